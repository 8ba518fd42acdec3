// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/hostscopes.h"

#include <algorithm>
#include <limits>

namespace tuneline::analysis {

namespace {

constexpr std::uint8_t kUnusable = EventFlag::kNoTimestamp | EventFlag::kStray;

bool isHostScope(EventKind kind)
{
    return kind == EventKind::Op || kind == EventKind::Range || kind == EventKind::Slice;
}

bool readsBack(const Trace &trace, const NameTable &names, EventId e)
{
    const std::string_view name = trace.name(e);
    if (isApiCall(trace.kind(e)))
        return names.is(trace, e, NameTrait::kBlocking);
    return name == "aten::item" || name == "aten::_local_scalar_dense" || name == "aten::is_nonzero"
        || name == "aten::cpu" || name == "aten::detach" || name == "detach";
}

} // namespace

std::vector<EventId> scopesWith(const Trace &trace, const NameTable &names, SourceId source, std::uint32_t trait)
{
    std::vector<EventId> found;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu || lane.source != source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (isHostScope(trace.kind(e)) && names.is(trace, e, trait) && !trace.hasFlag(e, kUnusable))
                found.push_back(e);
        }
    }
    std::stable_sort(found.begin(), found.end(), [&](EventId a, EventId b) { return trace.start(a) < trace.start(b); });
    return found;
}

std::vector<EventId> outermostWork(const Trace &trace, const NameTable &names, LaneId id)
{
    std::vector<EventId> work;
    const Lane &lane = trace.lanes[id.value];
    std::int64_t covered = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
        const EventId e{i};
        const EventKind kind = trace.kind(e);
        if (kind != EventKind::Op && !isApiCall(kind) && !names.is(trace, e, NameTrait::kDataScope))
            continue;
        if (trace.start(e) < covered || trace.hasFlag(e, kUnusable)
            || names.is(trace, e, NameTrait::kStepMarker | NameTrait::kOptimizerScope))
            continue;
        work.push_back(e);
        covered = trace.end(e);
    }
    return work;
}

std::int64_t behindReads(const Trace &trace, const NameTable &names, const std::vector<EventId> &work,
                         std::int64_t time)
{
    auto it = std::partition_point(work.begin(), work.end(), [&](EventId e) { return trace.start(e) < time; });
    for (; it != work.end() && readsBack(trace, names, *it); ++it)
        time = std::max(time, trace.end(*it));
    return time;
}

LaneId drivingLane(const Trace &trace, const NameTable &names, SourceId source)
{
    LaneId best;
    std::pair<std::uint32_t, std::uint32_t> most{0, 0};
    for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
        const Lane &lane = trace.lanes[l];
        if (lane.kind != LaneKind::Cpu || lane.source != source)
            continue;
        std::pair<std::uint32_t, std::uint32_t> n{0, 0}; // outside the backward pass; all
        std::int64_t backwardUntil = std::numeric_limits<std::int64_t>::min();
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            const bool isOp = trace.kind(e) == EventKind::Op;
            if (!isOp && !(isApiCall(trace.kind(e)) && trace.events.launch[i].valid()))
                continue;
            ++n.second;
            if (isOp && names.is(trace, e, NameTrait::kBackward))
                backwardUntil = std::max(backwardUntil, trace.end(e));
            n.first += trace.start(e) >= backwardUntil ? 1 : 0;
        }
        if (n > most) {
            most = n;
            best = LaneId{l};
        }
    }
    return best;
}

} // namespace tuneline::analysis
