// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/boundaries.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr double kAheadShare = 0.02; // DESIGN section 4: 2 % of a step
constexpr double kUnmarkedShare = 0.025; // where the end of a step on the host is known to about 1 % only

template <typename T> T medianOf(std::vector<T> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The device with most kernel time.
int mainDevice(const Trace &trace, SourceId source)
{
    std::map<int, std::int64_t> time;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Stream || lane.source != source || !lane.device)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            if (isDeviceWork(trace.events.kind[i]))
                time[*lane.device] += trace.events.duration[i] + 1;
        }
    }
    const auto most =
        std::max_element(time.begin(), time.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == time.end() ? -1 : most->first;
}

void addRecord(const Trace &trace, EventId e, bool decides, Step &step)
{
    ++step.records;
    if (!decides)
        return;
    if (!step.firstRecord.valid() || trace.start(e) < trace.start(step.firstRecord))
        step.firstRecord = e;
    if (!step.lastRecord.valid() || trace.end(e) > trace.end(step.lastRecord))
        step.lastRecord = e;
}

bool hostAhead(const Trace &trace, const StepSet &set)
{
    std::vector<std::int64_t> late, length;
    for (const Step &s : set.list) {
        if (!s.lastRecord.valid())
            continue; // its records are lost, or not written yet when recording ended
        if (!trace.events.launch[s.lastRecord.value].valid())
            return false;
        late.push_back(trace.end(s.lastRecord) - s.hostEnd);
        length.push_back(s.hostEnd - s.hostStart);
    }
    if (2 * late.size() < set.list.size() || late.empty())
        return false;
    const double share = set.from == StepSource::Marker ? kAheadShare : kUnmarkedShare;
    return static_cast<double>(medianOf(late)) > share * static_cast<double>(medianOf(length));
}

} // namespace

void assignRecords(const Trace &trace, StepSet &set)
{
    set.device = mainDevice(trace, set.source);
    if (set.list.empty() || set.device < 0)
        return;
    set.stepOfRecord.assign(trace.events.size(), StepSet::kNoStep);
    constexpr std::uint8_t kOut = EventFlag::kOrphan | EventFlag::kNoTimestamp | EventFlag::kStray;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Stream || lane.source != set.source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (!isDeviceWork(trace.kind(e)) || trace.hasFlag(e, kOut))
                continue;
            const EventId launch = trace.events.launch[i];
            const std::uint32_t s = set.stepAtHost(trace.start(launch.valid() ? launch : e));
            if (s == StepSet::kNoStep)
                continue;
            set.stepOfRecord[i] = s;
            addRecord(trace, e, lane.device == set.device, set.list[s]);
        }
    }
}

void placeBoundaries(const Trace &trace, StepSet &set)
{
    set.hostRunsAhead = !set.list.empty() && set.device >= 0 && hostAhead(trace, set);
    // On the device, steps whose work had not run when recording ended have no boundaries.
    while (set.hostRunsAhead && !set.list.back().firstRecord.valid())
        set.list.pop_back();
    std::int64_t previous = std::numeric_limits<std::int64_t>::min();
    for (Step &s : set.list) {
        const bool onDevice = set.hostRunsAhead && s.firstRecord.valid();
        s.start = onDevice ? std::max(previous, trace.start(s.firstRecord)) : std::max(previous, s.hostStart);
        s.end = onDevice ? std::max(s.start, trace.end(s.lastRecord)) : std::max(s.start, s.hostEnd);
        previous = s.start;
    }
    for (std::size_t i = 0; i + 1 < set.list.size(); ++i)
        set.list[i].end = set.list[i + 1].start;
}

} // namespace tuneline::analysis
