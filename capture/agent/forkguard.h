// SPDX-License-Identifier: MIT
// Keeps the host's forks out of what must not be cut in two. A child has only the thread that forked: a lock that our
// control thread held in LibTorch or in the loader at that moment would stay taken in it for good, and the child's
// first operator would wait for it. The other way round, fork() holds malloc's locks, so a thread of ours inside
// LibTorch's lock waits for them until the child is made: without the guard such a child isn't even rare.
#pragma once

namespace tuneline::agent {

// While one exists, a fork waits for it: hold it around calls into LibTorch's observer list and dlopen, and not around
// anything that waits for the host. Any thread; a second one of the same thread does nothing.
class ForkGuard
{
public:
    ForkGuard() noexcept;
    ~ForkGuard();
    ForkGuard(const ForkGuard &) = delete;
    ForkGuard &operator=(const ForkGuard &) = delete;

    // Once per process. `inChild` runs in each forked child. A fork waits two seconds at most (a thread may fork while
    // it holds the very lock that the guarded call waits for), then goes on unguarded.
    static void watchForks(void (*inChild)() noexcept) noexcept;

private:
    bool m_holds;
};

} // namespace tuneline::agent
