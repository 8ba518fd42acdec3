// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/intervalset.h"
#include "analysis/steps/hostscopes.h"
#include "analysis/steps/markers.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// Optimizer scopes; without scopes, the first operator of each run of fused or foreach optimizer operators. A backward
// pass in between parts two runs.
std::vector<Range> optimizerRuns(const Trace &trace, const NameTable &names, SourceId source)
{
    std::vector<Range> runs;
    for (const EventId e : scopesWith(trace, names, source, NameTrait::kOptimizerScope))
        runs.push_back({trace.start(e), trace.end(e)});
    if (!runs.empty())
        return runs;
    const auto ops = scopesWith(trace, names, source, NameTrait::kOptimizerOp);
    const auto backward = scopesWith(trace, names, source, NameTrait::kBackward);
    auto next = backward.begin();
    for (const EventId e : ops) {
        const auto at = trace.start(e);
        const auto parted = std::find_if(next, backward.end(), [&](EventId b) { return trace.start(b) >= at; });
        if (runs.empty() || parted != next)
            runs.push_back({at, trace.end(e)});
        runs.back().end = std::max(runs.back().end, trace.end(e));
        next = parted;
    }
    return backward.empty() ? std::vector<Range>{} : runs;
}

} // namespace

void stepsFromOptimizerScopes(const Trace &trace, const NameTable &names, StepSet &set)
{
    const LaneId lane = busiestLane(trace, set.source);
    const auto runs = optimizerRuns(trace, names, set.source);
    if (runs.size() < 2 || !lane.valid())
        return;
    const auto work = outermostWork(trace, names, lane);
    if (work.empty())
        return;
    std::int64_t from = std::min(trace.start(work.front()), runs.front().begin);
    for (const Range &run : runs) {
        Step step;
        step.lane = lane;
        step.hostStart = from;
        step.hostEnd = from = std::max(from, behindReads(trace, names, work, run.end));
        set.list.push_back(step);
    }
    // What follows the last update is the beginning of a step that the window cut.
    const std::int64_t last = trace.end(work.back());
    if (last - from > (from - set.list.front().hostStart) / static_cast<std::int64_t>(10 * set.list.size())) {
        Step rest;
        rest.lane = lane;
        rest.hostStart = from;
        rest.hostEnd = last;
        rest.flags = StepFlag::kPartial;
        set.list.push_back(rest);
    }
    set.from = StepSource::Optimizer;
    set.trainingLane = lane;
    set.confidence = 0.9;
    set.why = "No step marks: each update of the optimizer ends a step.";
}

} // namespace tuneline::analysis
