// SPDX-License-Identifier: GPL-3.0-or-later
// The most memory that this process held while it is watched: the kernel keeps a high-water mark of resident memory
// only as a whole, so the anonymous part is sampled every few milliseconds by a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace tuneline::bench {

class MemoryWatch
{
public:
    MemoryWatch();
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch &) = delete;
    MemoryWatch &operator=(const MemoryWatch &) = delete;
    // Above what was held at the beginning. In MB of 10^6 bytes.
    [[nodiscard]] double anonymousMegabytes() const;
    [[nodiscard]] double residentMegabytes() const;

private:
    void sample();

    std::uint64_t m_anonymousBefore = 0, m_residentBefore = 0; // bytes
    std::atomic<std::uint64_t> m_anonymous{0}, m_resident{0};
    std::atomic<bool> m_stop{false};
    std::thread m_thread; // last: it uses what stands above
};

// Processor seconds that this process has used, user and system, all threads.
[[nodiscard]] double processorSeconds();

} // namespace tuneline::bench
