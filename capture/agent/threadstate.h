// SPDX-License-Identifier: MIT
// What the agent keeps per thread of the host: the ring, a cache of names and the stack of operators that are running.
// Made at the thread's first event (one mmap), used by that thread without locks, drained by the writer, unmapped after
// the thread has ended.
#pragma once

#include "capture/agent/hot.h"
#include "capture/agent/names.h"
#include "capture/agent/ring.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace tuneline::agent {

// An operator that has begun. Atomic because the writer looks at what is still open when the capture ends.
struct OpenOp
{
    std::atomic<const void *> key{nullptr};
    std::atomic<std::int64_t> start{0};
    std::atomic<std::uint64_t> id{0};
    std::atomic<std::uint32_t> name{0};
    std::atomic<std::uint32_t> scope{0};
};

class ThreadState
{
public:
    static constexpr std::uint32_t kMaxDepth = 512;
    static constexpr std::size_t kCachedNames = 1024;

    // This thread's; made if need be. nullptr: no memory, forked child, thread is ending, or called from inside itself.
    static ThreadState *current() noexcept;
    // This thread's if there is one.
    static ThreadState *existing() noexcept;
    // Forgets operators that an earlier capture left open.
    void enterEpoch(std::uint32_t epoch) noexcept;
    // The same ahead of the window, with the ring's pages made: else the first 30,000 events would each now and then
    // wait for a page fault inside the window. Owner only.
    void prepareForWindow(std::uint32_t epoch) noexcept;

    template <typename Record> void push(format::RecordKind kind, const Record &record) noexcept
    {
        if (!ring.push(kind, record))
            dropped.store(dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    // Id of a name, by its bytes: names of user scopes come from buffers that are used again.
    std::uint32_t nameId(std::string_view text) noexcept;

    // All threads, for the writer. Holds the registry's lock while it runs; visit(state) may not come back here.
    template <typename Visit> static void forEach(Visit &&visit)
    {
        lockRegistry();
        for (ThreadState *state = s_first; state; state = state->next)
            visit(*state);
        unlockRegistry();
    }
    // Unmaps the states of threads that have ended and whose last events were taken. Writer or control thread.
    static void reap() noexcept;
    // Gives the rings' pages back to the system: no capture is running.
    static void releaseMemory() noexcept;

    std::uint32_t tid = 0;
    std::uint32_t epoch = 0;
    std::atomic<std::uint32_t> depth{0};
    std::atomic<std::uint64_t> dropped{0}; // ring full; written by the owner only
    std::atomic<std::uint64_t> tooDeep{0};
    std::atomic<bool> ended{false}; // the thread is gone
    std::atomic<bool> drained{false}; // and its last events were taken: may be unmapped
    std::uint64_t opsBegun = 0; // low part of operator ids
    std::array<OpenOp, kMaxDepth> open;
    std::array<Name, kCachedNames> names{};
    std::array<std::uint64_t, kCachedNames> nameHashes{};
    ThreadState *next = nullptr;
    Ring ring;

private:
    static ThreadState *make() noexcept;
    static void onThreadExit(void *state) noexcept;
    static void lockRegistry() noexcept;
    static void unlockRegistry() noexcept;
    static ThreadState *s_first;
};

} // namespace tuneline::agent
