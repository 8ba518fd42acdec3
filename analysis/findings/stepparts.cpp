// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/stepparts.h"

#include "analysis/findings/words.h"

#include <cmath>

namespace tuneline::analysis {

std::vector<StepPart> stepParts(const StepSummary &s)
{
    const IdleSummary &i = s.idle;
    std::vector<StepPart> parts{{PartKind::Compute, IdleCause::Unknown, "compute", s.computeNs},
                                {PartKind::ExposedCopy, IdleCause::Unknown, "exposed copies", s.exposedCopyNs},
                                {PartKind::ExposedComm, IdleCause::Unknown, "exposed communication", s.exposedCommNs}};
    const std::pair<IdleCause, std::int64_t> causes[] = {
        {IdleCause::InputWait, i.inputWaitNs},         {IdleCause::Synchronisation, i.synchronisationNs},
        {IdleCause::Allocation, i.allocationNs},       {IdleCause::Compilation, i.compilationNs},
        {IdleCause::Checkpoint, i.checkpointNs},       {IdleCause::HostOperators, i.hostOperatorsNs},
        {IdleCause::HostCode, i.hostCodeNs},           {IdleCause::LaunchCalls, i.launchCallsNs},
        {IdleCause::DeviceWait, i.deviceWaitNs},       {IdleCause::Unknown, i.unknownNs},
        {IdleCause::NotMeasurable, s.notMeasurableNs},
    };
    for (const auto &[cause, ns] : causes)
        parts.push_back({PartKind::Idle, cause, causeName(cause), ns});
    std::erase_if(parts, [](const StepPart &part) { return part.ns <= 0; });
    return parts;
}

bool showsBothTimes(const StepSummary &s)
{
    constexpr double kSame = 0.01;
    const auto time = static_cast<double>(s.timeNs), captured = static_cast<double>(s.capturedNs);
    return s.timeNs > 0 && s.capturedNs > 0 && std::abs(time - captured) > kSame * captured;
}

std::string timesDifferBy(const StepSummary &s)
{
    if (!showsBothTimes(s))
        return {};
    return s.timeNs < s.capturedNs ? "without the capture's own cost" : "at the pace of its loader threads";
}

std::string stepTimesText(const StepSummary &s)
{
    const std::string time = timeText(static_cast<double>(s.timeNs));
    if (!showsBothTimes(s))
        return time;
    return timeText(static_cast<double>(s.capturedNs)) + " captured, about " + time + " " + timesDifferBy(s);
}

std::string timesUsedText(const StepSummary &s)
{
    if (!showsBothTimes(s) || s.timeNs > s.capturedNs) // at the loaders' pace every figure is
        return {};
    return "Gains, and the parts of the step, refer to " + timeText(static_cast<double>(s.timeNs))
        + "; times inside the findings, the timeline and the tables are those of the capture.";
}

std::string replayedStepsText(const Advice &advice)
{
    if (!advice.replay || advice.replay->steps >= advice.replay->ofSteps)
        return {};
    const ReplayCheck &r = *advice.replay;
    return "Gains come from replaying the middle " + numberText(r.steps) + " of " + numberText(r.ofSteps) + " steps ("
        + numberText(r.firstStep) + " to " + numberText(r.firstStep + r.steps - 1)
        + ", counted from 0): this window has too many events to replay whole.";
}

} // namespace tuneline::analysis
