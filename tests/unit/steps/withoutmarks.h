// SPDX-License-Identifier: GPL-3.0-or-later
// The same trace as if its program had marked nothing: rebuilt in memory without the events that mark a step.
#pragma once

#include "analysis/metrics/names.h"
#include "analysis/trace/tracebuilder.h"

namespace tuneline::analysis {

// Ranges on the host and on the device (annotations of the profiler, NVTX, scopes of the user) and whatever else has a
// name that step finding takes for a mark or for an update. The ranges in which a batch is fetched stay: they mark
// input, not steps.
inline bool isMark(const Trace &trace, const NameTable &names, EventId e)
{
    const EventKind kind = trace.kind(e);
    if (isDeviceWork(kind) || isApiCall(kind) || kind == EventKind::Window)
        return false;
    if (names.is(trace, e, NameTrait::kStepMarker | NameTrait::kOptimizerScope))
        return true;
    return (kind == EventKind::Range || kind == EventKind::DeviceRange) && !names.is(trace, e, NameTrait::kDataScope);
}

inline RawEvent rawEvent(const Trace &trace, EventId e, LaneId lane)
{
    RawEvent raw;
    raw.start = trace.start(e);
    raw.duration = trace.duration(e);
    raw.name = trace.events.name[e.value];
    raw.lane = lane;
    raw.kind = trace.kind(e);
    raw.flags =
        static_cast<std::uint8_t>(trace.events.flags[e.value] & ~(EventFlag::kOrphan | EventFlag::kGuessedLink));
    raw.detail = trace.events.detail[e.value];
    raw.correlation = trace.events.correlation[e.value];
    return raw;
}

inline std::string textOf(const Trace &trace, StringId id)
{
    return std::string(trace.strings.view(id));
}

// `dropped` counts the events that were left out.
inline TracePtr withoutMarks(const Trace &trace, std::size_t &dropped)
{
    const NameTable names(trace);
    TraceBuilder builder;
    for (std::uint32_t s = 1; s < trace.strings.size(); ++s) // in their order: ids stay as they are
        builder.strings().intern(trace.strings.view(StringId{s}));
    for (std::size_t s = 0; s < trace.sources.size(); ++s)
        builder.setBase(builder.addSource(trace.sources[s]), trace.baseUnixNs.value_or(0));
    Trace &copy = builder.trace();
    copy.kernels = trace.kernels;
    copy.copies = trace.copies;
    copy.ops = trace.ops;
    copy.collectives = trace.collectives;
    copy.eventUses = trace.eventUses;
    dropped = 0;
    for (const Lane &lane : trace.lanes) {
        const LaneId id = builder.lane(
            {lane.kind, lane.source, textOf(trace, lane.pid), textOf(trace, lane.tid), lane.device, lane.stream});
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            if (isMark(trace, names, EventId{i}))
                ++dropped;
            else
                builder.add(rawEvent(trace, EventId{i}, id));
        }
    }
    Progress progress;
    return builder.finish(progress).value();
}

} // namespace tuneline::analysis
