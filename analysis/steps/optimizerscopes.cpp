// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/intervalset.h"
#include "analysis/steps/hostscopes.h"
#include "analysis/steps/hosttimes.h"
#include "analysis/steps/markers.h"
#include "analysis/steps/tokens.h"

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

// Where the window begins and ends with a step, what begins the window begins each step: places in the token sequence
// behind each update that look like the first. Empty = it does not.
std::vector<std::uint32_t> alignedBounds(const std::vector<Token> &tokens, const std::vector<Range> &runs)
{
    if (tokens.size() < kLookBack)
        return {};
    const auto behind = [&](const Range &run) {
        return static_cast<std::uint32_t>(
            std::partition_point(tokens.begin(), tokens.end(), [&](const Token &t) { return t.time < run.end; })
            - tokens.begin());
    };
    const auto period = static_cast<std::uint32_t>(tokens.size() / runs.size());
    const std::uint32_t alike = std::min(kLookAhead, period) * 4 / 5;
    std::vector<std::uint32_t> begins{0};
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
        const std::uint32_t place = mostAlike(tokens, 0, behind(runs[i]), period / 2);
        if (place <= begins.back() || likeness(tokens, 0, place) < alike)
            return {};
        begins.push_back(place);
    }
    const auto last = static_cast<double>(tokens.size() - begins.back());
    const auto usual = static_cast<double>(begins.back()) / static_cast<double>(begins.size() - 1);
    if (last < 0.8 * usual || last > 1.25 * usual)
        return {};
    begins.push_back(static_cast<std::uint32_t>(tokens.size()));
    return begins;
}

// Each update ends a step; what follows the last one is the beginning of a step that the window cut, and no step.
void stepsBehindUpdates(const Trace &trace, const NameTable &names, const std::vector<Range> &runs, LaneId lane,
                        StepSet &set)
{
    const auto work = outermostWork(trace, names, lane);
    std::int64_t from = work.empty() ? runs.front().begin : std::min(trace.start(work.front()), runs.front().begin);
    for (const Range &run : runs) {
        Step step;
        step.lane = lane;
        step.hostStart = from;
        step.hostEnd = from = std::max(from, behindReads(trace, names, work, run.end));
        set.list.push_back(step);
    }
}

} // namespace

void stepsFromOptimizerScopes(const Trace &trace, const NameTable &names, StepSet &set)
{
    const LaneId lane = drivingLane(trace, names, set.source);
    const auto runs = optimizerRuns(trace, names, set.source);
    if (runs.size() < 2 || !lane.valid())
        return;
    const auto tokens = tokensOf(trace, names, set.source);
    if (const auto bounds = alignedBounds(tokens, runs); !bounds.empty())
        HostTimes(trace, names, tokens, lane).addSteps(bounds, set);
    else
        stepsBehindUpdates(trace, names, runs, lane, set);
    set.from = StepSource::Optimizer;
    set.trainingLane = lane;
    set.confidence = 0.9;
    set.why = "No step marks: each update of the optimizer ends a step.";
}

} // namespace tuneline::analysis
