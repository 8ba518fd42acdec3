// SPDX-License-Identifier: GPL-3.0-or-later
// How long understanding takes, in processor time of one core: steps, metrics, event graph, advice; 0.1, 1 and 10
// million events. The goal is 1 s for a million and growth in proportion.
//   build/bin/analysisbench --benchmark_filter=1000000
#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/whatif/whatif.h"
#include "tests/bench/analysis/tracegenerator.h"

#include <benchmark/benchmark.h>
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

// Steps and metrics alone.
void figures(benchmark::State &state)
{
    const auto trace = runOf(state.range(0));
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysed(trace, false));
    }
    state.counters["steps"] = static_cast<double>(analysed(trace, false)->stepSet().list.size());
}

void figuresWithoutMarks(benchmark::State &state)
{
    const auto trace = runOf(state.range(0), false);
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysed(trace, false));
    }
    state.counters["steps"] = static_cast<double>(analysed(trace, false)->stepSet().list.size());
}

// What `inspect` does: figures, event graph, true cost of synchronisation.
void withGraph(benchmark::State &state)
{
    const auto trace = runOf(state.range(0));
    for (auto unused : state) {
        (void)unused;
        benchmark::DoNotOptimize(analysed(trace, true));
    }
}

// What the window and `advise` do.
void withAdvice(benchmark::State &state)
{
    const auto trace = runOf(state.range(0));
    std::size_t findings = 0;
    for (auto unused : state) {
        (void)unused;
        const auto a = analysed(trace, true);
        findings = analysis::advise(*a).findings.size();
    }
    state.counters["findings"] = static_cast<double>(findings);
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
}

void sizes(benchmark::internal::Benchmark *b)
{
    b->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->MinTime(0.3);
}

BENCHMARK(figures)->Apply(sizes);
BENCHMARK(figuresWithoutMarks)->Apply(sizes);
BENCHMARK(withGraph)->Apply(sizes);
BENCHMARK(withAdvice)->Apply(sizes);
BENCHMARK(onePrediction)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
