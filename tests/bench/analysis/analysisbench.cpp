// SPDX-License-Identifier: GPL-3.0-or-later
// How long understanding takes, in processor time of one core, of 0.1, 1 and 10 million events: all that `advise` does
// once the columns are there (withAdvice), and its parts. The goal is 1 s for a million with everything, and growth in
// proportion: per_event is the same in each line then, and the RMS of the linear fit small.
//   build/bin/analysisbench --benchmark_filter=withAdvice
//   build/bin/analysisbench --benchmark_filter=1000000/
#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/whatif/whatif.h"
#include "tests/bench/analysis/tracegenerator.h"

#include <benchmark/benchmark.h>
#include <limits>
#include <map>

namespace {

using namespace tuneline;

analysis::TracePtr runOf(std::int64_t events, bool marked = true)
{
    static std::map<std::pair<std::int64_t, bool>, analysis::TracePtr> runs;
    analysis::TracePtr &run = runs[{events, marked}];
    if (!run)
        run = bench::makeRun({events, marked});
    return run;
}

analysis::AnalysisPtr analysed(const analysis::TracePtr &trace, bool replay)
{
    analysis::Progress progress;
    analysis::AnalysisOptions options;
    if (!replay)
        options.replay = {};
    return analysis::analyse(trace, options, progress).value();
}

// Seconds an event.
void perEvent(benchmark::State &state)
{
    state.SetComplexityN(state.range(0));
    state.counters["per_event"] =
        benchmark::Counter(static_cast<double>(state.range(0)),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Steps and metrics alone.
void figures(benchmark::State &state)
{
    const auto trace = runOf(state.range(0));
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysed(trace, false));
    }
    state.counters["steps"] = static_cast<double>(analysed(trace, false)->stepSet().list.size());
    perEvent(state);
}

void figuresWithoutMarks(benchmark::State &state)
{
    const auto trace = runOf(state.range(0), false);
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysed(trace, false));
    }
    state.counters["steps"] = static_cast<double>(analysed(trace, false)->stepSet().list.size());
    perEvent(state);
}

// What `inspect` does: figures, event graph, true cost of synchronisation.
void withGraph(benchmark::State &state)
{
    const auto trace = runOf(state.range(0));
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysed(trace, true));
    }
    perEvent(state);
}

// The event graph of every event, not of the middle steps only, and its first replays.
void wholeGraph(benchmark::State &state)
{
    const auto a = analysed(runOf(state.range(0)), false);
    analysis::WhatIfOptions options;
    options.mostEvents = std::numeric_limits<std::size_t>::max();
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysis::WhatIf(*a, options).undisturbedStepNs());
    }
    perEvent(state);
}

// What the window and `advise` do: everything.
void advice(benchmark::State &state, bool marked)
{
    const auto trace = runOf(state.range(0), marked);
    std::size_t findings = 0;
    for (auto unused : state) {
        (void)unused;
        const auto a = analysed(trace, true);
        findings = analysis::advise(*a).findings.size();
    }
    state.counters["findings"] = static_cast<double>(findings);
    perEvent(state);
}

void withAdvice(benchmark::State &state)
{
    advice(state, true);
}

void withAdviceWithoutMarks(benchmark::State &state)
{
    advice(state, false);
}

void onePrediction(benchmark::State &state)
{
    const auto a = analysed(runOf(state.range(0)), false);
    const analysis::WhatIf whatIf(*a);
    analysis::Change change;
    change.kind = analysis::ChangeKind::ScaleKernels;
    change.text = "gemm";
    change.factor = 0.5;
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(whatIf.predict({change}));
    }
    perEvent(state);
}

void sizes(benchmark::internal::Benchmark *b)
{
    b->Arg(100'000)
        ->Arg(1'000'000)
        ->Arg(10'000'000)
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.3)
        ->Complexity(benchmark::oN);
}

BENCHMARK(withAdvice)->Apply(sizes);
BENCHMARK(withAdviceWithoutMarks)->Apply(sizes);
BENCHMARK(figures)->Apply(sizes);
BENCHMARK(figuresWithoutMarks)->Apply(sizes);
BENCHMARK(withGraph)->Apply(sizes);
BENCHMARK(wholeGraph)->Apply(sizes);
BENCHMARK(onePrediction)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
