// SPDX-License-Identifier: MIT
// The activity buffers that CUPTI fills. CUPTI asks for one and hands it back on the host's threads, holding locks of
// its own: so both only move a pointer, under a lock that is never held around a CUPTI call (Kineto's deadlock,
// CAPTURE.md section 3.1). Buffers are given out zeroed (on our thread) and used again, last in, first out. Bounded:
// above the limit CUPTI gets none and counts its drops, or, where a null buffer would crash it (before 12.9), full ones
// are thrown away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tuneline::agent::cupti {

struct FullBuffer
{
    std::uint8_t *data = nullptr;
    std::size_t validBytes = 0;
};

class BufferPool
{
public:
    static constexpr std::size_t kBufferBytes = 4U << 20; // as Kineto and PyTorch's monitor use
    static constexpr std::size_t kMaxBuffers = 48;

    // One for the process, leaked: CUPTI may hold our buffers as long as it lives.
    static BufferPool &instance() noexcept;

    // Our thread: makes a few buffers ready, so that the host's threads needn't.
    void prepare(bool nullIsSafe) noexcept;
    // Our thread: all that came back since the last call.
    std::vector<FullBuffer> takeFull() noexcept;
    // Our thread: done with it; usedBytes of it need zeroing.
    void recycle(std::uint8_t *data, std::size_t usedBytes) noexcept;
    // Our thread: no capture is running; gives the memory of idle buffers back.
    void trim() noexcept;

    // CUPTI's callbacks. Any thread.
    std::uint8_t *give() noexcept;
    void accept(std::uint8_t *data, std::size_t validBytes) noexcept;

    [[nodiscard]] std::uint64_t thrownAway() const noexcept { return m_thrownAway; }
    [[nodiscard]] std::uint64_t refused() const noexcept { return m_refused; }

private:
    static std::uint8_t *map(bool populate) noexcept;

    std::mutex m_mutex;
    std::vector<std::uint8_t *> m_idle;
    std::vector<FullBuffer> m_full;
    std::size_t m_made = 0; // mapped now: idle, full, or with CUPTI
    bool m_nullIsSafe = false;
    std::uint64_t m_thrownAway = 0; // full buffers
    std::uint64_t m_refused = 0; // requests
};

} // namespace tuneline::agent::cupti
