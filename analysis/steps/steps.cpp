// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/steps.h"

#include "analysis/steps/boundaries.h"
#include "analysis/steps/hostscopes.h"
#include "analysis/steps/markers.h"
#include "analysis/steps/periodicity.h"
#include "analysis/steps/steadiness.h"

#include <algorithm>
#include <functional>

namespace tuneline::analysis {

const char *toString(StepSource source) noexcept
{
    switch (source) {
    case StepSource::Marker:
    case StepSource::User:
        return "marker";
    case StepSource::Optimizer:
        return "optimizer";
    case StepSource::Periodicity:
        return "periodicity";
    case StepSource::None:
        break;
    }
    return "none";
}

const char *toString(StepBound bound) noexcept
{
    switch (bound) {
    case StepBound::Device:
        return "device";
    case StepBound::Host:
        return "host";
    case StepBound::Input:
        return "input";
    case StepBound::Sync:
        return "sync";
    case StepBound::Unknown:
        break;
    }
    return "unknown";
}

std::size_t StepSet::steadyCount() const noexcept
{
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [](const Step &s) { return s.steady(); }));
}

namespace {

// Index of the step whose [begin, end) holds the time.
template <typename Begin, typename End>
std::uint32_t stepHolding(const std::vector<Step> &list, std::int64_t time, Begin begin, End end)
{
    const auto next =
        std::partition_point(list.begin(), list.end(), [&](const Step &s) { return std::invoke(begin, s) <= time; });
    if (next == list.begin() || time >= std::invoke(end, *(next - 1)))
        return StepSet::kNoStep;
    return static_cast<std::uint32_t>(next - list.begin() - 1);
}

} // namespace

std::uint32_t StepSet::stepAtHost(std::int64_t time) const
{
    return stepHolding(list, time, &Step::hostStart, &Step::hostEnd);
}

std::uint32_t StepSet::stepAt(std::int64_t time) const
{
    return stepHolding(list, time, &Step::start, &Step::end);
}

std::uint32_t StepSet::stepOf(const Trace &trace, EventId e) const
{
    if (trace.laneOf(e).source != source)
        return kNoStep;
    if (isDeviceWork(trace.kind(e)))
        return e.value < stepOfRecord.size() ? stepOfRecord[e.value] : kNoStep;
    if (trace.hasFlag(e, EventFlag::kNoTimestamp | EventFlag::kStray))
        return kNoStep;
    return stepAtHost(trace.start(e));
}

StepSet findSteps(const Trace &trace, const NameTable &names, SourceId source, const StepOptions &options)
{
    StepSet set;
    set.source = source;
    set.why = "No steps: no step marks and no optimizer were recorded, and nothing that looks like training repeats.";
    if (!options.startsWith.valid() || options.startsWith.value == 0) {
        if (options.useMarkers)
            stepsFromMarkers(trace, names, set);
        if (set.empty() && options.useMarkers)
            stepsFromOptimizerScopes(trace, names, set);
        if (set.empty())
            stepsFromPeriodicity(trace, names, set);
    } else {
        stepsFromName(trace, options.startsWith, set);
    }
    if (!set.trainingLane.valid())
        set.trainingLane = drivingLane(trace, names, source);
    assignRecords(trace, set);
    placeBoundaries(trace, set);
    judgeSteadiness(trace, names, set);
    return set;
}

} // namespace tuneline::analysis
