// SPDX-License-Identifier: GPL-3.0-or-later
// The advisor's answer on one run: how far the capture can be trusted, where the step goes, what to change in which
// order, and what was checked and found fine.
#pragma once

#include "analysis/findings/finding.h"
#include "analysis/steps/steps.h"
#include "analysis/whatif/whatif.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

struct Analysis;

enum class CaptureVerdict : std::uint8_t { Good, Limited, Unusable };

struct CaptureQuality
{
    std::optional<double> slowdown; // step while recorded / step without (DESIGN section 4); nullopt = not known
    std::uint64_t dropped = 0;
    std::uint32_t steadySteps = 0;
    CaptureVerdict verdict = CaptureVerdict::Good;
    std::string why; // one sentence, and which capture would settle it
};

struct IdleSummary // ns per step
{
    std::int64_t inputWaitNs = 0, synchronisationNs = 0, allocationNs = 0, compilationNs = 0, checkpointNs = 0;
    std::int64_t hostOperatorsNs = 0, hostCodeNs = 0, launchCallsNs = 0, deviceWaitNs = 0, unknownNs = 0;
};

// Undisturbed step; the parts add up to timeNs.
struct StepSummary
{
    std::int64_t timeNs = 0; // without the capture's own cost; at the loaders' pace, where the window ran ahead of them
    std::int64_t capturedNs = 0; // as it lies in the capture
    std::string bound; // device, host, input, sync, unknown
    std::optional<double> unitsPerSecond;
    std::int64_t computeNs = 0, exposedCopyNs = 0, exposedCommNs = 0;
    IdleSummary idle;
    std::int64_t notMeasurableNs = 0;
    std::vector<RecurringStall> recurring;
};

struct PlanItem
{
    std::string rule;
    std::int64_t stepNsAfter = 0;
};

struct ReplayCheck
{
    std::int64_t stepNs = 0; // unchanged graph
    double error = 0; // against the measured step
    std::uint32_t firstStep = 0, steps = 0, ofSteps = 0; // replayed: all of the window's steps, or its middle ones
};

struct Advice
{
    CaptureQuality capture;
    StepSummary step;
    std::vector<Finding> findings; // best gain first, risks in their place
    std::vector<PlanItem> plan;
    std::vector<CheckedRule> checked;
    std::optional<ReplayCheck> replay;
    std::optional<WhatIfResult> whatIf; // answer to AdviseOptions::whatIf
    std::optional<int> straggler; // rank
};

struct AdviseOptions
{
    std::optional<std::int64_t> batch;
    std::vector<Change> whatIf; // from parseChanges
};

// Runs every rule. Seconds at most for a million events; call it from a worker thread.
[[nodiscard]] Advice advise(const Analysis &analysis, const AdviseOptions &options = {});

} // namespace tuneline::analysis
