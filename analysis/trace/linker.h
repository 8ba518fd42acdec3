// SPDX-License-Identifier: GPL-3.0-or-later
// Ties device records to the calls that launched them, and forward operators to their backward nodes. Used by
// TraceBuilder::finish only, once the columns are in their final order.
#pragma once

#include "analysis/trace/tracebuilder.h"

#include <vector>

namespace tuneline::analysis {

// Flow times are relative to the trace here. `externalIds` is by event, or empty where no event needs it.
void linkLaunches(Trace &trace, const FlowRuns &flows, const std::vector<std::uint64_t> &externalIds);
void linkForwardBackward(Trace &trace, const FlowRuns &flows);

template <typename Visit> void forEachFlow(const FlowRuns &flows, Visit &&visit)
{
    for (const auto &run : flows) {
        for (const RawFlow &flow : run)
            visit(flow);
    }
}

// The innermost event of a CPU lane at a time that `wanted` accepts, invalid if there is none.
template <typename Wanted> EventId innermostAt(const Trace &trace, LaneId lane, std::int64_t time, Wanted &&wanted)
{
    if (!lane.valid())
        return {};
    const Lane &at = trace.lanes[lane.value];
    auto [first, last] = trace.visible(at, time, time + 1);
    // A few events at most lie between: visible() starts at the first whose end can reach `time`.
    for (std::uint32_t e = last; e > first; --e) {
        const EventId id{e - 1};
        if (trace.end(id) >= time && (trace.events.flags[id.value] & EventFlag::kNoTimestamp) == 0 && wanted(id))
            return id;
    }
    return {};
}

} // namespace tuneline::analysis
