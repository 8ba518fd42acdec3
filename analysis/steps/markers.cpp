// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/markers.h"

#include "analysis/steps/hostscopes.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr std::uint8_t kUnusable = EventFlag::kNoTimestamp | EventFlag::kStray;

// The marks of our own agent win over the profiler's, those over ranges that are just named "step".
int markerRank(std::string_view name)
{
    return name.starts_with("TunelineStep") ? 0 : name.starts_with("ProfilerStep") ? 1 : 2;
}

// Markers of the best kind, on the lane that has most of them, none inside another.
std::vector<EventId> bestMarkers(const Trace &trace, std::vector<EventId> all)
{
    std::map<std::pair<int, std::uint32_t>, std::uint32_t> count; // (rank, lane) → markers
    for (const EventId e : all)
        ++count[{markerRank(trace.name(e)), trace.events.lane[e.value].value}];
    if (count.empty())
        return {};
    auto best = count.begin();
    for (auto it = count.begin(); it != count.end() && it->first.first == best->first.first; ++it) {
        if (it->second > best->second)
            best = it;
    }
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    std::erase_if(all, [&](EventId e) {
        if (markerRank(trace.name(e)) != best->first.first || trace.events.lane[e.value].value != best->first.second
            || trace.start(e) < end)
            return true;
        end = trace.end(e);
        return false;
    });
    return all;
}

std::int64_t numberIn(std::string_view name)
{
    const auto at = name.find_last_not_of("0123456789");
    const std::string_view digits = at == name.npos ? name : name.substr(at + 1);
    std::int64_t value = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

Step stepOfMarker(const Trace &trace, EventId marker)
{
    Step step;
    step.hostStart = trace.start(marker);
    step.hostEnd = trace.end(marker);
    step.lane = trace.events.lane[marker.value];
    step.marker = marker;
    step.number = numberIn(trace.name(marker));
    if (trace.hasFlag(marker, EventFlag::kUnfinished))
        step.flags |= StepFlag::kPartial;
    return step;
}

// Start-to-start: what happens between two markers belongs to the first.
void closeGaps(std::vector<Step> &list)
{
    for (std::size_t i = 0; i + 1 < list.size(); ++i)
        list[i].hostEnd = list[i + 1].hostStart;
}

std::uint32_t medianMicro(const std::vector<Step> &list)
{
    std::vector<std::uint32_t> sizes;
    for (const Step &s : list)
        sizes.push_back(s.micro);
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
    return sizes[sizes.size() / 2];
}

// Joins the micro-batches of one update: a group ends with the marker in which the optimizer starts.
void groupMicroBatches(const Trace &trace, const std::vector<EventId> &optimizers, StepSet &set)
{
    std::vector<Step> groups;
    std::size_t next = 0;
    bool open = false;
    for (const Step &micro : set.list) {
        while (next < optimizers.size() && trace.start(optimizers[next]) < micro.hostStart)
            ++next;
        const bool updates = next < optimizers.size() && trace.start(optimizers[next]) < micro.hostEnd;
        if (open) {
            groups.back().hostEnd = micro.hostEnd;
            ++groups.back().micro;
            groups.back().flags |= micro.flags;
        } else {
            groups.push_back(micro);
        }
        open = !updates;
    }
    const std::uint32_t usual = medianMicro(groups);
    for (Step &g : groups) {
        if (g.micro < usual && (&g == &groups.front() || &g == &groups.back()))
            g.flags |= StepFlag::kPartial;
    }
    if (open && groups.size() > 1)
        groups.back().flags |= StepFlag::kPartial;
    set.list = std::move(groups);
    set.microPerStep = usual;
}

} // namespace

void stepsFromMarkers(const Trace &trace, const NameTable &names, StepSet &set)
{
    const auto markers = bestMarkers(trace, scopesWith(trace, names, set.source, NameTrait::kStepMarker));
    if (markers.empty())
        return;
    for (const EventId m : markers)
        set.list.push_back(stepOfMarker(trace, m));
    closeGaps(set.list);
    set.from = StepSource::Marker;
    set.trainingLane = set.list.front().lane;
    set.confidence = 1;
    set.why = "Steps are marked (" + std::string(trace.name(markers.front())) + ").";
    const auto optimizers = scopesWith(trace, names, set.source, NameTrait::kOptimizerScope);
    if (!optimizers.empty())
        groupMicroBatches(trace, optimizers, set);
}

void stepsFromName(const Trace &trace, StringId name, StepSet &set)
{
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu || lane.source != set.source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            if (trace.events.name[i] == name && !trace.hasFlag(EventId{i}, kUnusable))
                set.list.push_back(stepOfMarker(trace, EventId{i}));
        }
        if (!set.list.empty())
            break;
    }
    if (set.list.empty())
        return;
    closeGaps(set.list);
    set.list.back().flags |= StepFlag::kPartial; // where it ends is not known
    set.from = StepSource::User;
    set.trainingLane = set.list.front().lane;
    set.confidence = 1;
    set.why = "Each \"" + std::string(trace.strings.view(name)) + "\" starts a step, as you chose.";
}

} // namespace tuneline::analysis
