// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/gpustate.h"

#include "analysis/findings/words.h"
#include "analysis/trace/counters.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {
namespace {

std::optional<double> median(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::optional<double> highest(const CounterTrack &track)
{
    return track.value.empty() ? std::nullopt
                               : std::optional(*std::max_element(track.value.begin(), track.value.end()));
}

struct Tracks
{
    const CounterTrack *clock = nullptr, *reasons = nullptr;
};

// A device with nothing to do lowers its clock, which is no fault.
void readClock(const Tracks &tracks, GpuState &state)
{
    std::vector<double> busy;
    for (std::size_t i = 0; tracks.clock && i < tracks.clock->value.size(); ++i) {
        const std::int64_t time = tracks.clock->time[i];
        if (tracks.reasons) {
            const auto after = std::upper_bound(tracks.reasons->time.begin(), tracks.reasons->time.end(), time);
            const auto at = static_cast<std::size_t>(after - tracks.reasons->time.begin());
            if (at > 0 && (static_cast<std::uint32_t>(tracks.reasons->value[at - 1]) & 1U) != 0)
                continue;
        }
        busy.push_back(tracks.clock->value[i]);
        if (!state.lowestClockMhz || busy.back() < *state.lowestClockMhz) {
            state.lowestClockMhz = busy.back();
            state.lowestClockTime = time;
        }
    }
    state.smClockMhz = median(std::move(busy));
}

void readReasons(const CounterTrack &track, GpuState &state)
{
    std::uint32_t limiting = 0;
    for (const ThrottleReason &reason : kThrottleReasons)
        limiting |= reason.limiting ? reason.bit : 0;
    std::size_t held = 0;
    for (std::size_t i = 0; i < track.value.size(); ++i) {
        const auto bits = static_cast<std::uint32_t>(std::clamp(track.value[i], 0.0, 4e9));
        state.reasons |= bits;
        if ((bits & limiting) != 0 && held++ == 0)
            state.limitedTime = track.time[i];
    }
    state.limitedShare = static_cast<double>(held) / static_cast<double>(track.value.size());
}

void take(const CounterTrack &track, CounterKind kind, GpuState &state, Tracks &tracks)
{
    state.samples = std::max(state.samples, track.value.size());
    switch (kind) {
    case CounterKind::GpuUsed:
        state.usedShare = median(track.value);
        return;
    case CounterKind::Power:
        state.powerWatts = median(track.value);
        return;
    case CounterKind::Temperature:
        state.temperatureC = highest(track);
        return;
    case CounterKind::GpuMemoryUsed:
        state.memoryUsedBytes = highest(track);
        return;
    case CounterKind::SmClock:
        tracks.clock = &track;
        return;
    case CounterKind::ThrottleReasons:
        tracks.reasons = &track;
        return readReasons(track, state);
    default:
        return;
    }
}

} // namespace

std::vector<GpuState> gpuStates(const Trace &trace)
{
    std::map<std::pair<std::uint32_t, int>, std::pair<GpuState, Tracks>> found;
    for (const CounterTrack &track : trace.counters) {
        const CounterMeaning meaning = counterMeaning(trace.strings.view(track.name));
        if (meaning.device < 0 || track.value.empty())
            continue;
        auto &[state, tracks] = found[{track.source.value, meaning.device}];
        state.source = track.source;
        state.device = meaning.device;
        take(track, meaning.kind, state, tracks);
    }
    std::vector<GpuState> states;
    for (auto &[key, value] : found) {
        auto &[state, tracks] = value;
        readClock(tracks, state);
        for (const DeviceProperties &device : trace.sources[state.source.value].devices) {
            if (device.id != state.device)
                continue;
            state.properties = &device;
            if (device.smClockMaxMhz > 0)
                state.smClockMaxMhz = device.smClockMaxMhz;
            if (device.powerLimitWatts > 0)
                state.powerLimitWatts = device.powerLimitWatts;
        }
        states.push_back(state);
    }
    return states;
}

std::string limitingWords(std::uint32_t reasons)
{
    std::string words;
    for (const ThrottleReason &reason : kThrottleReasons) {
        if (reason.limiting && (reasons & reason.bit) != 0)
            words += (words.empty() ? "" : " and ") + std::string(reason.words);
    }
    return words;
}

std::string otherProcesses(const DeviceProperties &device)
{
    std::string words;
    for (const DeviceProcess &process : device.processes) {
        words += (words.empty() ? "" : ", ") + (process.name.empty() ? std::string("a process") : process.name)
            + " (pid " + std::to_string(process.pid);
        if (process.memoryBytes >= 0)
            words += ", " + bytesText(static_cast<double>(process.memoryBytes));
        if (process.usedShare >= 0)
            words += process.usedShare > 0 ? ", up to " + percentText(process.usedShare) + " of the time" : ", idle";
        words += ')';
    }
    if (words.empty() && device.otherProcesses > 0)
        words = device.otherProcesses == 1
            ? "one other process (not visible from this container)"
            : std::to_string(device.otherProcesses) + " other processes (not visible from this container)";
    return words;
}

bool sharesDevice(const DeviceProperties &device)
{
    if (device.processes.empty())
        return device.otherProcesses > 0;
    return std::any_of(device.processes.begin(), device.processes.end(),
                       [](const DeviceProcess &process) { return process.usedShare != 0; });
}

} // namespace tuneline::analysis
