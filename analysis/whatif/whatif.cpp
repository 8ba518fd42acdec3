// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/whatif.h"

#include "analysis/whatif/batchmodel.h"
#include "analysis/whatif/graphedit.h"
#include "analysis/whatif/inputmodel.h"
#include "analysis/whatif/recordingcost.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace tuneline::analysis {

namespace {

// Of the step: predictions against 40 measured pairs lie within this.
constexpr double kNothing = 0.002, kSmallChange = 0.05, kModelError = 0.015, kModelErrorShare = 0.15;
constexpr double kWidest = 0.145; // a wider range would say nothing

// Half of the distance between the quartiles of the steady steps, as an estimate for a median over a few of them.
double noiseOf(const StepSet &steps)
{
    constexpr double kMost = 0.03;
    std::vector<std::int64_t> times;
    for (const Step &s : steps.list)
        if (s.steady())
            times.push_back(s.timeNs());
    if (times.size() < 3)
        return 0;
    std::sort(times.begin(), times.end());
    const auto quartiles = static_cast<double>(times[3 * times.size() / 4] - times[times.size() / 4]);
    const auto middle = static_cast<double>(std::max<std::int64_t>(1, times[times.size() / 2]));
    return std::min(kMost, 0.5 * quartiles / middle);
}

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
        , graph(buildEventGraph(a, o.mostEvents))
        , facts(a, graph)
    {
        if (graph.nodes.empty())
            return;
        measured = a.stepSet().medianNs.value_or(0);
        replayed = replay(graph, stateOf(graph)).stepNs;
        noise = noiseOf(a.stepSet());
        cost = recordingCost(a, graph);
        const double costs[] = {cost.low, cost.expected, cost.high};
        for (std::size_t i = 0; i < 3; ++i) {
            if (i > 0 && costs[i] == costs[i - 1]) {
                unchanged[i] = unchanged[i - 1];
                base[i] = base[i - 1];
                continue;
            }
            auto state = std::make_shared<GraphState>(stateOf(graph));
            removeRecordingCost(graph, costs[i], *state);
            base[i] = replay(graph, *state).stepNs;
            unchanged[i] = std::move(state);
        }
        if (!options.batch)
            options.batch = presentBatch(facts);
        // Where workers keep the step waiting they set its pace, whatever else changes.
        const InputModel input = inputModel(facts);
        inputPaced = input.loadNs > 0 && input.workers != 0;
        // Recording slows the training thread, not the loaders: without it the same step has a longer wait.
        if (inputPaced && input.inMostSteps)
            std::fill(std::begin(base), std::end(base), replayed);
        if (input.paceNs > 0)
            waitForLoaders(input);
    }

    // The window ran on batches that were loaded before it; the run goes on at the loaders' pace.
    void waitForLoaders(const InputModel &input)
    {
        pacedNs = input.paceNs;
        paceError = (input.paceHighNs - input.paceLowNs) / 2 / input.paceNs;
        for (std::int64_t &ns : base)
            ns = std::max(
                ns, static_cast<std::int64_t>(pacedNs * static_cast<double>(replayed) / static_cast<double>(measured)));
    }

    struct Answer
    {
        double ratio = 1; // changed step / unchanged step
        bool changed = false; // the graph differs at all
        std::vector<std::string> assumptions;
    };

    // The step can't get shorter than its input allows, at this recording cost.
    double floorNs(std::size_t costIndex) const { return inputPaced ? static_cast<double>(base[costIndex]) : 0; }

    // All changes put into `state`, a copy of an unchanged one.
    GraphEdit edited(const std::vector<Change> &changes, GraphState &state, std::size_t costIndex,
                     Outlook outlook) const
    {
        GraphEdit edit(facts, state, outlook);
        edit.batch = options.batch;
        edit.stepFloorNs = floorNs(costIndex);
        for (const Change &change : changes)
            apply(change, edit);
        return edit;
    }

    // At one of the recording costs.
    Answer answer(const std::vector<Change> &changes, std::size_t costIndex, Outlook outlook) const
    {
        const auto scratch = borrow();
        const GraphState &before = *unchanged[costIndex];
        const auto baseNs = static_cast<double>(base[costIndex]);
        scratch->state.duration = before.duration;
        scratch->state.lag = before.lag;
        GraphEdit edit = edited(changes, scratch->state, costIndex, outlook);
        Answer a;
        a.assumptions = std::move(edit.assumptions);
        a.changed = edit.stepFloorNs != floorNs(costIndex) || scratch->state.duration != before.duration
            || scratch->state.lag != before.lag;
        if (a.changed && baseNs > 0) {
            replayInto(graph, scratch->state, scratch->replay);
            a.ratio = std::max(static_cast<double>(scratch->replay.stepNs), edit.stepFloorNs) / baseNs;
        }
        return a;
    }

    // Fresh memory costs as much as the replay itself: what one prediction has used serves the next.
    struct Scratch
    {
        GraphState state;
        Replay replay;
    };

    std::shared_ptr<Scratch> borrow() const
    {
        std::unique_ptr<Scratch> taken;
        {
            const std::lock_guard lock(spareMutex);
            if (!spare.empty()) {
                taken = std::move(spare.back());
                spare.pop_back();
            }
        }
        if (!taken)
            taken = std::make_unique<Scratch>();
        return {taken.release(), [this](Scratch *s) {
                    const std::lock_guard lock(spareMutex);
                    spare.emplace_back(s);
                }};
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
    double noise = 0; // of the step time, relative
    double pacedNs = 0, paceError = 0; // step at the loaders' pace if it is longer than the window's, relative error
    std::int64_t measured = 0, replayed = 0;
    std::int64_t base[3] = {0, 0, 0}; // step at the low, expected and high recording cost, as replayed
    std::shared_ptr<const GraphState> unchanged[3]; // likewise
    mutable std::mutex spareMutex;
    mutable std::vector<std::unique_ptr<Scratch>> spare;
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

std::optional<std::int64_t> WhatIf::loaderPaceNs() const
{
    return d->pacedNs > 0 ? std::optional(std::llround(d->pacedNs)) : std::nullopt;
}

std::int64_t WhatIf::measuredStepNs() const
{
    return d->measured;
}

std::int64_t WhatIf::replayedStepNs() const
{
    return d->replayed;
}

double WhatIf::replayError() const
{
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < d->graph.stepCount(); ++i)
        if (d->graph.steady[i] != 0)
            times.push_back(d->analysis.stepSet().list[d->graph.firstStep + i].timeNs());
    if (times.empty() || times.size() == d->analysis.stepSet().steadyCount())
        times = {d->measured};
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    const auto measured = static_cast<double>(std::max<std::int64_t>(1, *middle));
    return (static_cast<double>(d->replayed) - measured) / measured;
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

std::vector<PathShare> WhatIf::limits(const std::vector<Change> &changes) const
{
    if (!usable())
        return {};
    constexpr std::size_t kExpected = 1; // recording cost
    GraphState state = *d->unchanged[kExpected];
    const GraphEdit edit = d->edited(changes, state, kExpected, Outlook::Expected);
    const Replay r = replay(d->graph, state);
    if (edit.stepFloorNs > static_cast<double>(r.stepNs))
        return {{"waiting for input", 1.0}};
    return criticalPath(d->facts, state, r);
}

std::int64_t WhatIf::predictedStepNs(const std::vector<Change> &changes) const
{
    constexpr std::size_t kExpected = 1; // recording cost
    if (!usable())
        return 0;
    return std::llround(d->answer(changes, kExpected, Outlook::Expected).ratio
                        * static_cast<double>(undisturbedStepNs()));
}

WhatIfResult WhatIf::predict(const std::vector<Change> &changes) const
{
    WhatIfResult result;
    if (!usable())
        return result;
    constexpr std::size_t kLow = 0, kExpected = 1, kHigh = 2; // recording cost
    Private::Answer answer = d->answer(changes, kExpected, Outlook::Expected);
    result.assumptions = std::move(answer.assumptions);
    const double expected = answer.ratio;
    double low = expected, high = expected;
    const auto widen = [&](double r) {
        low = std::min(low, r);
        high = std::max(high, r);
    };
    if (answer.changed) {
        widen(d->answer(changes, kExpected, Outlook::Optimistic).ratio);
        widen(d->answer(changes, kExpected, Outlook::Pessimistic).ratio);
        if (d->cost.high > d->cost.low) {
            widen(d->answer(changes, kLow, Outlook::Expected).ratio);
            widen(d->answer(changes, kHigh, Outlook::Expected).ratio);
        }
    }
    // What no outlook knows: the model itself. A change that does nothing is certain.
    const double change = std::fabs(1 - expected);
    if (change > kNothing) {
        const double error = kModelError * std::min(1.0, change / kSmallChange) + kModelErrorShare * change;
        widen(expected - error);
        widen(expected + error);
    }
    // Two runs of the same program differ by what steps of one run do.
    widen(expected - d->noise);
    widen(expected + d->noise);
    if (d->paceError > 0 && expected < 1) {
        widen(expected / (1 + d->paceError));
        widen(expected / (1 - d->paceError));
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
