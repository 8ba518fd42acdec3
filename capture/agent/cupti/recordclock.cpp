// SPDX-License-Identifier: MIT
#include "capture/agent/cupti/recordclock.h"

#include "capture/agent/clock.h"

#include <atomic>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tuneline::agent::cupti {

namespace {

constexpr double kRecentNs = 600e9; // records wait in their buffers, but not for ten minutes
constexpr std::int64_t kShortestBase = 20 * kMillisecond; // to make a rate of: 1 part in 10⁵ at worst

struct Reading
{
    std::int64_t counter = 0;
    std::int64_t realtime = 0;
};

std::int64_t readCounter() noexcept
{
#if defined(__x86_64__)
    return static_cast<std::int64_t>(__rdtsc());
#else
    return 0; // there Kineto's clock is in nanoseconds too
#endif
}

// The tightest of a few: nothing came between the two clocks.
Reading readBoth() noexcept
{
    Reading best;
    std::int64_t width = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 8; ++i) {
        const std::int64_t before = readCounter();
        const std::int64_t realtime = realtimeNow();
        const std::int64_t after = readCounter();
        if (after - before < width) {
            width = after - before;
            best = {before + (after - before) / 2, realtime};
        }
    }
    return best;
}

// Written once, before the threads that read it start.
Reading g_first;

} // namespace

void RecordClock::remember() noexcept
{
    if (g_first.realtime == 0)
        g_first = readBoth();
}

void RecordClock::settle(std::int64_t time) noexcept
{
    Reading now = readBoth();
    const std::int64_t raw = readClock(CLOCK_MONOTONIC_RAW);
    double rate = 0;
    if (now.counter != 0 && g_first.realtime != 0) {
        while (now.realtime - g_first.realtime < kShortestBase && now.realtime >= g_first.realtime)
            now = readBoth();
        const auto ticks = static_cast<double>(now.counter - g_first.counter);
        rate = ticks > 0 ? static_cast<double>(now.realtime - g_first.realtime) / ticks : 0;
    }
    // How long ago the record would have been made, by each clock: the right one says "just now".
    const double realtimeAge = std::fabs(static_cast<double>(now.realtime - time));
    const double rawAge = std::fabs(static_cast<double>(raw - time));
    const double counterAge =
        rate > 0 ? std::fabs(static_cast<double>(now.counter - time)) * rate : std::numeric_limits<double>::infinity();
    m_realtime = now.realtime;
    if (realtimeAge < kRecentNs) {
        m_kind = Kind::Realtime;
        m_from = now.realtime;
    } else if (counterAge < kRecentNs && counterAge <= rawAge) {
        m_kind = Kind::Counter;
        m_from = now.counter;
        m_nsPerTick = rate;
    } else if (rawAge < kRecentNs) {
        m_kind = Kind::MonotonicRaw;
        m_from = raw;
    } else {
        m_kind = Kind::Unknown;
    }
}

std::int64_t RecordClock::toRealtime(std::int64_t time) noexcept
{
    if (m_kind == Kind::NotSeen)
        settle(time);
    switch (m_kind) {
    case Kind::Realtime:
        return time;
    case Kind::Unknown:
    case Kind::NotSeen:
        return -1;
    case Kind::MonotonicRaw:
    case Kind::Counter:
        break;
    }
    return m_realtime + std::llround(static_cast<double>(time - m_from) * m_nsPerTick);
}

} // namespace tuneline::agent::cupti
