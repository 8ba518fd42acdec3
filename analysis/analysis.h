// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is known about a trace, computed once: steps, device figures, idle causes, tables, ranks. The one
// entry for findings, what-if, compare, reports and the window. Published as std::shared_ptr<const Analysis>:
// immutable, any thread may read it.
#pragma once

#include "analysis/metrics/devicemetrics.h"
#include "analysis/metrics/hostactivity.h"
#include "analysis/metrics/memory.h"
#include "analysis/metrics/names.h"
#include "analysis/metrics/rankcauses.h"
#include "analysis/metrics/ranks.h"
#include "analysis/metrics/stepmetrics.h"
#include "analysis/metrics/tables.h"
#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/steps/steps.h"
#include "analysis/trace/trace.h"

#include <functional>
#include <memory>
#include <vector>

namespace tuneline::analysis {

struct Analysis;
class WhatIf;

// What only the replay can tell (analysis/whatif), asked for once all else is known.
struct ReplayAnswers
{
    std::shared_ptr<const WhatIf> whatIf; // kept for those who have more questions; refers to the analysis
    // By index of main device's gaps: ns of it that vanish without the blocking call in which the gap began; empty = no
    // answer.
    std::vector<std::int64_t> vanishingNs;
    std::vector<std::int64_t> artefactNs; // likewise: ns that vanish without the profiler's slow-down (not measurable)
    std::optional<std::int64_t> trueSyncCostNsPerStep;
};

// Builds the event graph once; empty answers where there is nothing to replay.
[[nodiscard]] ReplayAnswers replayAnswers(const Analysis &analysis);

struct AnalysisOptions
{
    StepOptions steps;
    std::function<ReplayAnswers(const Analysis &)> replay = replayAnswers; // empty = figures without the replay
};

struct Analysis
{
    TracePtr trace;
    NameTable names;
    std::vector<StepSet> stepsOfSource; // by SourceId
    std::vector<HostActivity> hostOfSource; // by SourceId
    std::uint32_t mainSource = 0; // the one whose steps are the headline: the lowest rank that has steps
    std::vector<DeviceMetrics> devices; // by source, then device
    int mainDevice = -1; // index into devices: the steps' device of the main source; -1 = no device work
    std::vector<StepMetrics> steps; // parallel to stepSet().list
    StepBreakdown breakdown; // of stepSet().medianNs (adds up to it exactly): mean over steady steps, scaled
    SyncFigures syncs;
    InputFigures input;
    CopyFigures copies;
    LinkFigures links;
    Tables tables;
    std::vector<MemoryCurve> memory;
    RankAnalysis ranks;
    std::optional<LateCause> lateCause; // of the straggler
    std::shared_ptr<const WhatIf> whatIf; // of this analysis; nullptr where it was made without the replay

    [[nodiscard]] const StepSet &stepSet() const { return stepsOfSource[mainSource]; }
    [[nodiscard]] const HostActivity &host() const { return hostOfSource[mainSource]; }
    [[nodiscard]] const DeviceMetrics *device() const // nullptr: no device work
    {
        return mainDevice < 0 ? nullptr : &devices[static_cast<std::size_t>(mainDevice)];
    }
};

using AnalysisPtr = std::shared_ptr<const Analysis>;

// Linear in the number of events, up to sorting. Fails only when cancelled.
[[nodiscard]] Result<AnalysisPtr> analyse(TracePtr trace, const AnalysisOptions &options, Progress &progress);

} // namespace tuneline::analysis
