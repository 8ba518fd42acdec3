// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/stepsummary.h"

#include "analysis/analysis.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

// Takes `ns` out of the given parts, in proportion to them; returns what could not be taken.
std::int64_t takeFrom(std::vector<std::int64_t *> parts, std::int64_t ns)
{
    std::int64_t total = 0;
    for (const std::int64_t *p : parts)
        total += *p;
    const std::int64_t wanted = std::min(ns, total);
    std::int64_t taken = 0;
    for (std::int64_t *p : parts) {
        const std::int64_t share = total > 0
            ? std::llround(static_cast<double>(wanted) * static_cast<double>(*p) / static_cast<double>(total))
            : 0;
        const std::int64_t take = std::min({share, *p, wanted - taken});
        *p -= take;
        taken += take;
    }
    for (std::int64_t *p : parts) { // rounding
        const std::int64_t take = std::min(*p, wanted - taken);
        *p -= take;
        taken += take;
    }
    return ns - wanted;
}

std::optional<double> unitsPerSecond(const Analysis &analysis, const StepSummary &step, const AdviseOptions &options)
{
    double units = 0;
    std::size_t marks = 0;
    for (const Mark &m : analysis.trace->marks)
        if (m.kind == MarkKind::Units) {
            units += m.value;
            ++marks;
        }
    if (step.timeNs <= 0)
        return std::nullopt;
    if (marks > 0)
        return 1e9 * units / static_cast<double>(marks) / static_cast<double>(step.timeNs);
    if (options.batch)
        return 1e9 * static_cast<double>(*options.batch) / static_cast<double>(step.timeNs);
    return std::nullopt;
}

} // namespace

StepSummary summariseStep(const Analysis &analysis, const WhatIf &whatIf, const AdviseOptions &options)
{
    StepSummary s;
    const StepSet &steps = analysis.stepSet();
    s.bound = toString(steps.bound);
    s.recurring = steps.recurring;
    const StepBreakdown &b = analysis.breakdown;
    s.computeNs = b.computeNs;
    s.exposedCopyNs = b.exposedCopyNs;
    s.exposedCommNs = b.exposedCommNs;
    s.idle = {b.idle.of(IdleCause::InputWait),  b.idle.of(IdleCause::Synchronisation),
              b.idle.of(IdleCause::Allocation), b.idle.of(IdleCause::Compilation),
              b.idle.of(IdleCause::Checkpoint), b.idle.of(IdleCause::HostOperators),
              b.idle.of(IdleCause::HostCode),   b.idle.of(IdleCause::LaunchCalls),
              b.idle.of(IdleCause::DeviceWait), b.idle.of(IdleCause::Unknown)};
    s.notMeasurableNs = b.idle.of(IdleCause::NotMeasurable);
    s.timeNs = s.capturedNs = b.total();
    if (!whatIf.usable())
        return s;
    if (whatIf.loaderPaceNs()) {
        const std::int64_t wait = std::max<std::int64_t>(0, whatIf.undisturbedStepNs() - s.timeNs);
        s.timeNs += wait;
        s.idle.inputWaitNs += wait;
        s.bound = "input";
    }
    // Recording makes the host slower: what vanishes without it was host time, then waits behind it.
    std::int64_t vanished = std::max<std::int64_t>(0, s.timeNs - whatIf.undisturbedStepNs());
    s.timeNs -= vanished;
    IdleSummary &i = s.idle;
    vanished = takeFrom({&i.hostOperatorsNs, &i.launchCallsNs, &i.hostCodeNs}, vanished);
    vanished = takeFrom({&i.synchronisationNs, &i.deviceWaitNs, &i.unknownNs, &i.inputWaitNs, &i.allocationNs,
                         &i.compilationNs, &i.checkpointNs, &s.notMeasurableNs},
                        vanished);
    takeFrom({&s.computeNs, &s.exposedCopyNs, &s.exposedCommNs}, vanished);
    s.unitsPerSecond = unitsPerSecond(analysis, s, options);
    return s;
}

} // namespace tuneline::analysis
