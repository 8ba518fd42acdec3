// SPDX-License-Identifier: GPL-3.0-or-later
// What each launching host thread does at each instant, by the precedence of DESIGN section 4: one flat, sorted list of
// segments for each thread. Built once in linear time, then read by any thread.
#pragma once

#include "analysis/metrics/causes.h"
#include "analysis/metrics/intervalset.h"
#include "analysis/metrics/names.h"
#include "analysis/steps/steps.h"

#include <unordered_map>
#include <vector>

namespace tuneline::analysis {

struct HostSegment
{
    std::int64_t start = 0, end = 0;
    IdleCause cause = IdleCause::HostCode;
    EventId event; // the scope, call or operator that decides; invalid = none recorded
};

class HostActivity
{
public:
    // Threads of the source that launch device work, run its steps or its operators.
    HostActivity(const Trace &trace, SourceId source, const NameTable &names, const StepSet &steps);

    // Segments of [from, to) on a thread, clipped, without holes (where nothing is recorded: HostCode between the
    // thread's own events, Unknown outside them; where this thread records nothing but another launching thread of the
    // process is in an operator or call, that one's). Appends to `out`. O(log n + touched).
    void split(LaneId thread, Range window, std::vector<HostSegment> &out) const;

    [[nodiscard]] const std::vector<HostSegment> *segments(LaneId thread) const; // nullptr: not a launching thread
    // The blocking call that thread is in at t, invalid = none.
    [[nodiscard]] EventId blockingCallAt(LaneId thread, std::int64_t t) const;
    // Every call that blocks its thread: by name, or because it ended only when its own copy had.
    [[nodiscard]] const std::vector<EventId> &blockingCalls() const noexcept { return m_blocking; }

private:
    std::vector<LaneId> m_threads; // training thread first
    std::unordered_map<std::uint32_t, std::vector<HostSegment>> m_segments;
    std::vector<EventId> m_blocking; // by start
};

} // namespace tuneline::analysis
