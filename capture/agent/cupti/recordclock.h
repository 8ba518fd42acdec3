// SPDX-License-Identifier: MIT
// The clock that CUPTI's records are on, made nanoseconds of CLOCK_REALTIME. CUPTI's own is that clock already, on WSL
// CLOCK_MONOTONIC_RAW. But a time stamp callback that somebody else in the process registered stays in force, and CUPTI
// can't be asked for it: Kineto, once used, puts everybody's records on the processor's counter (CAPTURE.md
// section 4.1).
#pragma once

#include <cstdint>

namespace tuneline::agent::cupti {

class RecordClock
{
public:
    enum class Kind { NotSeen, Realtime, MonotonicRaw, Counter, Unknown };

    // A first reading of counter and clock, the earlier the better the rate that is made of it: as the agent starts.
    static void remember() noexcept;

    // time: of a record that was made a moment ago, not 0. The first one settles the kind and, for the counter, its
    // rate. −1: on none of the clocks we know. One thread.
    std::int64_t toRealtime(std::int64_t time) noexcept;

    [[nodiscard]] Kind kind() const noexcept { return m_kind; }

private:
    void settle(std::int64_t time) noexcept;

    Kind m_kind = Kind::NotSeen;
    std::int64_t m_from = 0; // a moment on the record's clock …
    std::int64_t m_realtime = 0; // … and the same moment on ours
    double m_nsPerTick = 1;
};

} // namespace tuneline::agent::cupti
