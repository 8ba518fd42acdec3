// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/eventwaits.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tuneline::analysis {
namespace {

using Key = std::pair<std::uint32_t, std::uint64_t>; // source, correlation

// The API calls that the uses belong to.
std::map<Key, EventId> callsOf(const Trace &trace)
{
    std::map<Key, EventId> calls;
    for (const CudaEventUse &use : trace.eventUses)
        calls.emplace(Key{use.source.value, use.correlation}, EventId());
    for (std::uint32_t i = 0; !calls.empty() && i < trace.events.size(); ++i) {
        const EventId e{i};
        if (!isApiCall(trace.kind(e)) || trace.events.correlation[i] == 0)
            continue;
        const auto found = calls.find({trace.laneOf(e).source.value, trace.events.correlation[i]});
        if (found != calls.end() && !found->second.valid())
            found->second = e;
    }
    return calls;
}

struct Recording
{
    std::int64_t time;
    LaneId stream;
};

} // namespace

std::vector<EventWait> eventWaits(const Trace &trace)
{
    std::vector<EventWait> waits;
    if (trace.eventUses.empty())
        return waits;
    const std::map<Key, EventId> calls = callsOf(trace);
    std::map<std::tuple<std::uint32_t, int, std::int64_t>, LaneId> lanes;
    for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
        const Lane &lane = trace.lanes[i];
        if (lane.kind == LaneKind::Stream && lane.device && lane.stream)
            lanes.emplace(std::tuple(lane.source.value, *lane.device, *lane.stream), LaneId{i});
    }
    const auto laneOf = [&](const CudaEventUse &use) {
        const auto found = lanes.find({use.source.value, use.device, use.stream});
        return found == lanes.end() ? LaneId() : found->second;
    };
    std::map<std::tuple<std::uint32_t, int, std::uint32_t>, std::vector<Recording>> recordings;
    for (const CudaEventUse &use : trace.eventUses) {
        const EventId call = calls.at({use.source.value, use.correlation});
        if (use.kind == CudaEventUse::Kind::Recorded && call.valid())
            recordings[{use.source.value, use.device, use.event}].push_back({trace.start(call), laneOf(use)});
    }
    for (auto &[event, list] : recordings)
        std::sort(list.begin(), list.end(), [](const Recording &a, const Recording &b) { return a.time < b.time; });
    for (const CudaEventUse &use : trace.eventUses) {
        const EventId call = calls.at({use.source.value, use.correlation});
        const auto found = recordings.find({use.source.value, use.device, use.event});
        if (use.kind != CudaEventUse::Kind::AwaitedByStream || !call.valid() || found == recordings.end())
            continue;
        const auto &list = found->second;
        const auto after = std::upper_bound(list.begin(), list.end(), trace.start(call),
                                            [](std::int64_t time, const Recording &r) { return time < r.time; });
        const LaneId to = laneOf(use);
        if (after == list.begin() || !to.valid() || !std::prev(after)->stream.valid()
            || std::prev(after)->stream.value == to.value)
            continue;
        waits.push_back({call, std::prev(after)->stream, std::prev(after)->time, to});
    }
    std::sort(waits.begin(), waits.end(),
              [](const EventWait &a, const EventWait &b) { return a.call.value < b.call.value; });
    return waits;
}

} // namespace tuneline::analysis
