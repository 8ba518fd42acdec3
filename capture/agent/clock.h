// SPDX-License-Identifier: MIT
// Clocks by vDSO: no system call. Any thread.
#pragma once

#include <cstdint>
#include <ctime>

namespace tuneline::agent {

inline std::int64_t readClock(clockid_t clock) noexcept
{
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

// The Host clock of the capture file.
inline std::int64_t hostNow() noexcept
{
    return readClock(CLOCK_MONOTONIC);
}
inline std::int64_t realtimeNow() noexcept
{
    return readClock(CLOCK_REALTIME);
}

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;

} // namespace tuneline::agent
