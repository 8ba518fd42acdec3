// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes sorted into the rank groups of the timeline.
#include "ui/timeline/layout.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <tuple>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

QString groupTitle(const Trace &trace, SourceId source, std::optional<int> rank)
{
    if (rank)
        return QCoreApplication::translate("Timeline", "rank %1").arg(*rank);
    if (source.value < trace.sources.size() && !trace.sources[source.value].label.empty())
        return QString::fromStdString(trace.sources[source.value].label);
    return QCoreApplication::translate("Timeline", "source %1").arg(source.value + 1);
}

// The training thread first, then the busiest process, in it the busiest thread.
void sortThreads(const Trace &trace, const Analysis *analysis, LaneGroup &group)
{
    LaneId training;
    if (analysis && group.source.value < analysis->stepsOfSource.size())
        training = analysis->stepsOfSource[group.source.value].trainingLane;
    std::map<StringId, std::int64_t> processBusy;
    for (const LaneId lane : group.threads)
        processBusy[trace.lanes[lane.value].pid] += trace.lanes[lane.value].busyNs;
    const StringId trainingProcess = training.valid() ? trace.lanes[training.value].pid : StringId{};
    std::ranges::stable_sort(group.threads, {}, [&](LaneId id) {
        const Lane &lane = trace.lanes[id.value];
        return std::tuple(id != training, lane.pid != trainingProcess, -processBusy[lane.pid], lane.pid.value,
                          -lane.busyNs);
    });
}

void sortGroup(const Trace &trace, const Analysis *analysis, LaneGroup &group)
{
    std::ranges::stable_sort(group.streams, {}, [&trace](LaneId id) {
        const Lane &lane = trace.lanes[id.value];
        return std::tuple(lane.device.value_or(-1), lane.stream.value_or(-1));
    });
    sortThreads(trace, analysis, group);
    if (!analysis)
        return;
    for (std::uint32_t i = 0; i < analysis->devices.size(); ++i) {
        const DeviceMetrics &device = analysis->devices[i];
        const bool hasLane = std::ranges::any_of(group.streams, [&](LaneId id) {
            return trace.lanes[id.value].source == device.source && trace.lanes[id.value].device == device.device;
        });
        if (hasLane)
            group.devices.push_back(i);
    }
}

} // namespace

std::vector<LaneGroup> laneGroups(const Trace &trace, const Analysis *analysis)
{
    std::map<std::tuple<int, std::uint32_t>, LaneGroup> groups;
    for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
        const Lane &lane = trace.lanes[i];
        if (lane.count == 0)
            continue;
        std::optional<int> rank = lane.rank;
        if (!rank && lane.source.value < trace.sources.size())
            rank = trace.sources[lane.source.value].rank;
        LaneGroup &group = groups[{rank.value_or(-1), lane.source.value}];
        group.source = lane.source;
        group.rank = rank;
        auto &list = lane.kind == LaneKind::Stream ? group.streams
            : lane.kind == LaneKind::Cpu           ? group.threads
                                                   : group.others;
        list.push_back(LaneId{i});
    }
    std::vector<LaneGroup> result;
    for (auto &[key, group] : groups) {
        group.title = groupTitle(trace, group.source, group.rank);
        sortGroup(trace, analysis, group);
        result.push_back(std::move(group));
    }
    return result;
}

FoldState initialFolds(const std::vector<LaneGroup> &groups)
{
    static constexpr std::uint32_t kOpenGroups = 2; // a pair is there to be compared
    FoldState folds;
    const auto count = static_cast<std::uint32_t>(groups.size());
    for (std::uint32_t i = 1; count > kOpenGroups && i < count; ++i)
        folds.groups.insert(i);
    return folds;
}

} // namespace tuneline::ui
