// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/whatif.h"

#include "analysis/whatif/batchmodel.h"
#include "analysis/whatif/graphedit.h"
#include "analysis/whatif/inputmodel.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

// What torch.profiler adds for each recorded host event, measured on launch-bound runs (DESIGN section 4).
constexpr double kProfilerLowNs = 1800, kProfilerNs = 2700, kProfilerHighNs = 4300;

// Host time that the recording added per event: expected, and its range.
struct RecordingCost
{
    double low = 0, expected = 0, high = 0;
};

std::int64_t replayWithCost(const EventGraph &graph, double cost)
{
    GraphState state = stateOf(graph);
    removeRecordingCost(graph, cost, state);
    return replay(graph, state).stepNs;
}

// The cost at which the replay gives a step time that was measured without recording.
double costThatGives(const EventGraph &graph, double stepNs)
{
    double low = 0, high = 2 * kProfilerHighNs;
    if (static_cast<double>(replayWithCost(graph, 0)) <= stepNs)
        return 0;
    for (int i = 0; i < 10; ++i) {
        const double middle = (low + high) / 2;
        (static_cast<double>(replayWithCost(graph, middle)) > stepNs ? low : high) = middle;
    }
    return (low + high) / 2;
}

// The cost was measured on launch-bound runs, where every event's shows. The busier the device, the less of it does.
double launchBoundness(const Analysis &analysis)
{
    const double step = static_cast<double>(std::max<std::int64_t>(1, analysis.breakdown.total()));
    const double idle = static_cast<double>(analysis.breakdown.idle.total()) / step;
    return analysis.device() ? std::clamp(idle / 0.3, 0.4, 1.0) : 1.0;
}

RecordingCost recordingCost(const Analysis &analysis, const EventGraph &graph, std::int64_t replayed)
{
    if (analysis.trace->sources.empty() || graph.nodes.empty())
        return {};
    const Source &source = analysis.trace->sources[analysis.mainSource];
    if (source.capture.slowdown && *source.capture.slowdown > 1) {
        const double c = costThatGives(graph, static_cast<double>(replayed) / *source.capture.slowdown);
        return {0.8 * c, c, 1.2 * c};
    }
    const bool known = source.capture.hostEventCostNs > 0;
    if (!known && source.format != SourceFormat::KinetoJson)
        return {};
    const double c = (known ? source.capture.hostEventCostNs : kProfilerNs) * launchBoundness(analysis);
    return {c * kProfilerLowNs / kProfilerNs, c, c * kProfilerHighNs / kProfilerNs};
}

// Of the step: predictions against 40 measured pairs lie within this.
constexpr double kNothing = 0.002, kSmallChange = 0.05, kModelError = 0.015, kModelErrorShare = 0.15;
constexpr double kWidest = 0.145; // a wider range would say nothing

bool apply(const Change &change, GraphEdit &edit)
{
    using Apply = bool (*)(const Change &, GraphEdit &);
    static constexpr Apply kFamilies[] = {applyInputChange,  applySyncChange,  applyPrecisionChange, applyKernelChange,
                                          applyLaunchChange, applyBatchChange, applyMemoryChange,    applyRankChange};
    return std::any_of(std::begin(kFamilies), std::end(kFamilies), [&](Apply f) { return f(change, edit); });
}

} // namespace

struct WhatIf::Private
{
    Private(const Analysis &a, WhatIfOptions o)
        : analysis(a)
        , options(o)
        , graph(buildEventGraph(a))
        , facts(a, graph)
    {
        if (graph.nodes.empty())
            return;
        measured = a.stepSet().medianNs.value_or(0);
        replayed = replay(graph, stateOf(graph)).stepNs;
        cost = recordingCost(a, graph, replayed);
        base[0] = replayWithCost(graph, cost.low);
        base[1] = replayWithCost(graph, cost.expected);
        base[2] = replayWithCost(graph, cost.high);
        if (!options.batch)
            options.batch = presentBatch(facts);
        // Where workers keep the step waiting they set its pace, whatever else changes.
        const InputModel input = inputModel(facts);
        inputPaced = input.loadNs > 0 && input.workers != 0;
    }

    // Changed step / unchanged step, at one recording cost.
    double ratio(const std::vector<Change> &changes, double costNs, std::int64_t baseNs, Outlook outlook,
                 std::vector<std::string> *assumptions) const
    {
        GraphState state = stateOf(graph);
        removeRecordingCost(graph, costNs, state);
        GraphEdit edit(facts, state, outlook);
        edit.batch = options.batch;
        if (inputPaced)
            edit.stepFloorNs = static_cast<double>(baseNs);
        for (const Change &change : changes)
            apply(change, edit);
        const double step = std::max(static_cast<double>(replay(graph, state).stepNs), edit.stepFloorNs);
        if (assumptions)
            *assumptions = edit.assumptions;
        return baseNs > 0 ? step / static_cast<double>(baseNs) : 1.0;
    }

    [[nodiscard]] std::int64_t scaled(std::int64_t replayedNs) const
    {
        if (replayed <= 0)
            return measured;
        return std::llround(static_cast<double>(measured) * static_cast<double>(replayedNs)
                            / static_cast<double>(replayed));
    }

    const Analysis &analysis;
    WhatIfOptions options;
    EventGraph graph;
    RunFacts facts;
    RecordingCost cost;
    bool inputPaced = false;
    std::int64_t measured = 0, replayed = 0;
    std::int64_t base[3] = {0, 0, 0}; // replayed step at the low, expected and high recording cost
};

WhatIf::WhatIf(const Analysis &analysis, WhatIfOptions options)
    : d(std::make_unique<Private>(analysis, options))
{ }

WhatIf::~WhatIf() = default;
WhatIf::WhatIf(WhatIf &&) noexcept = default;
WhatIf &WhatIf::operator=(WhatIf &&) noexcept = default;

bool WhatIf::usable() const
{
    return !d->graph.nodes.empty() && d->base[1] > 0;
}

const EventGraph &WhatIf::graph() const
{
    return d->graph;
}

const RunFacts &WhatIf::facts() const
{
    return d->facts;
}

std::optional<std::int64_t> WhatIf::batch() const
{
    return d->options.batch;
}

bool WhatIf::inputPaced() const
{
    return d->inputPaced;
}

std::int64_t WhatIf::measuredStepNs() const
{
    return d->measured;
}

std::int64_t WhatIf::replayedStepNs() const
{
    return d->replayed;
}

std::int64_t WhatIf::undisturbedStepNs() const
{
    return d->scaled(d->base[1]);
}

std::int64_t WhatIf::undisturbedLowNs() const
{
    return d->scaled(d->base[2]);
}

std::int64_t WhatIf::undisturbedHighNs() const
{
    return d->scaled(d->base[0]);
}

WhatIfResult WhatIf::predict(const std::vector<Change> &changes) const
{
    WhatIfResult result;
    if (!usable())
        return result;
    const double expected = d->ratio(changes, d->cost.expected, d->base[1], Outlook::Expected, &result.assumptions);
    double low = expected, high = expected;
    const auto widen = [&](double r) {
        low = std::min(low, r);
        high = std::max(high, r);
    };
    widen(d->ratio(changes, d->cost.expected, d->base[1], Outlook::Optimistic, nullptr));
    widen(d->ratio(changes, d->cost.expected, d->base[1], Outlook::Pessimistic, nullptr));
    if (d->cost.high > d->cost.low) {
        widen(d->ratio(changes, d->cost.low, d->base[0], Outlook::Expected, nullptr));
        widen(d->ratio(changes, d->cost.high, d->base[2], Outlook::Expected, nullptr));
    }
    // What no outlook knows: the model itself. A change that does nothing is certain.
    const double change = std::fabs(1 - expected);
    if (change > kNothing) {
        const double error = kModelError * std::min(1.0, change / kSmallChange) + kModelErrorShare * change;
        widen(expected - error);
        widen(expected + error);
    }
    low = std::max({0.0, low, expected - kWidest});
    high = std::min(high, expected + kWidest);
    const auto step = static_cast<double>(undisturbedStepNs());
    result.stepNs = std::llround(expected * step);
    result.lowNs = std::llround(low * step);
    result.highNs = std::llround(high * step);
    return result;
}

} // namespace tuneline::analysis
