// SPDX-License-Identifier: GPL-3.0-or-later
// How fast and how lean traces open: at 10 MB, 100 MB and 1 GB, plain and gzip, to columns and to the whole analysis.
// Beside the wall time, which needs an idle machine, each line has the processor seconds of a round and the most memory
// it took, anonymous and resident, as a share of the (inflated) file.
//   build/bin/importbench --benchmark_filter=1000
//   TUNELINE_BENCH_TRACE=big.json build/bin/importbench      that file instead of generated ones
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "tests/bench/import/kinetogenerator.h"
#include "tests/bench/import/memorywatch.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace {

using namespace tuneline;
namespace fs = std::filesystem;

struct Input
{
    fs::path plain, packed;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> kernels; // that must be found linked; nullopt: the file isn't ours
};

const char *ownFile()
{
    return std::getenv("TUNELINE_BENCH_TRACE");
}

Input makeInput(std::int64_t megabytes)
{
    Input input;
    if (const char *file = ownFile()) {
        input.plain = file;
        input.bytes = fs::file_size(input.plain);
    } else {
        input.plain = fs::temp_directory_path() / ("tuneline-bench-" + std::to_string(megabytes) + ".json");
        const bench::Generated made =
            bench::writeKineto(input.plain, static_cast<std::uint64_t>(megabytes) * 1'000'000);
        input.bytes = made.bytes;
        input.kernels = made.kernels;
    }
    input.packed = input.plain.string() + ".gz";
    if (!fs::exists(input.packed))
        bench::gzipFile(input.plain, input.packed);
    return input;
}

const Input &inputOf(std::int64_t megabytes)
{
    static std::map<std::int64_t, Input> inputs;
    const auto [known, fresh] = inputs.try_emplace(megabytes);
    if (fresh)
        known->second = makeInput(megabytes);
    return known->second;
}

void round(benchmark::State &state, const Input &input, const fs::path &file, bool analyse)
{
    analysis::Progress progress;
    const auto opened = analysis::openTrace({file}, progress);
    if (!opened || (input.kernels && (*opened)->links.linked != *input.kernels))
        state.SkipWithError("the trace was not read as it was written");
    else if (analyse && !analysis::analyse(*opened, {}, progress))
        state.SkipWithError("the trace could not be analysed");
}

void run(benchmark::State &state, bool packed, bool analyse)
{
    const Input &input = inputOf(state.range(0));
    const double megabytes = static_cast<double>(input.bytes) / 1e6;
    const bench::MemoryWatch memory;
    const double before = bench::processorSeconds();
    for (auto unused : state) {
        (void)unused;
        round(state, input, packed ? input.packed : input.plain, analyse);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(input.bytes) * state.iterations());
    state.counters["cpu_s"] = (bench::processorSeconds() - before) / static_cast<double>(state.iterations());
    state.counters["anon/file"] = memory.anonymousMegabytes() / megabytes;
    state.counters["resident/file"] = memory.residentMegabytes() / megabytes;
    state.counters["MB"] = megabytes;
}

void columnsPlain(benchmark::State &state)
{
    run(state, false, false);
}

void columnsGzip(benchmark::State &state)
{
    run(state, true, false);
}

void analysisPlain(benchmark::State &state)
{
    run(state, false, true);
}

void sizes(benchmark::internal::Benchmark *benchmark)
{
    for (const std::int64_t megabytes : {10, 100, 1000}) {
        if (ownFile() == nullptr || megabytes == 1000)
            benchmark->Arg(megabytes);
    }
    benchmark->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
}

BENCHMARK(columnsPlain)->Apply(sizes);
BENCHMARK(columnsGzip)->Apply(sizes);
BENCHMARK(analysisPlain)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
