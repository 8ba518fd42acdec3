// SPDX-License-Identifier: GPL-3.0-or-later
// How fast and how lean the JSON reader is: MB/s and peak resident memory at 10 MB, 100 MB and 1 GB, plain and gzip.
//   build/bin/importbench --benchmark_filter=100
#include "analysis/import/open.h"
#include "tests/bench/import/kinetogenerator.h"

#include <benchmark/benchmark.h>
#include <fstream>
#include <map>
#include <string>
#include <sys/resource.h>

namespace {

using namespace tuneline;
namespace fs = std::filesystem;

struct Input
{
    fs::path plain, packed;
    bench::Generated made;
};

const Input &inputOf(std::int64_t megabytes)
{
    static std::map<std::int64_t, Input> inputs;
    Input &input = inputs[megabytes];
    if (input.plain.empty()) {
        input.plain = fs::temp_directory_path() / ("tuneline-bench-" + std::to_string(megabytes) + ".json");
        input.packed = input.plain.string() + ".gz";
        input.made = bench::writeKineto(input.plain, static_cast<std::uint64_t>(megabytes) * 1'000'000);
        bench::gzipFile(input.plain, input.packed);
    }
    return input;
}

// Peak resident memory since the last call, in MB: the kernel's high-water mark can be reset.
double peakMegabytes()
{
    double kilobytes = 0;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:"))
            kilobytes = std::stod(line.substr(6));
    }
    std::ofstream("/proc/self/clear_refs") << "5";
    return kilobytes / 1000;
}

void open(benchmark::State &state, bool packed)
{
    const Input &input = inputOf(state.range(0));
    peakMegabytes();
    for (auto unused : state) {
        (void)unused;
        analysis::Progress progress;
        const auto opened = analysis::openTrace({packed ? input.packed : input.plain}, progress);
        if (!opened || (*opened)->links.linked != input.made.kernels)
            state.SkipWithError("the trace was not read as it was written");
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(input.made.bytes) * state.iterations());
    state.counters["peak_MB"] = peakMegabytes();
    state.counters["slices"] = static_cast<double>(input.made.slices);
}

void openPlain(benchmark::State &state)
{
    open(state, false);
}

void openGzip(benchmark::State &state)
{
    open(state, true);
}

BENCHMARK(openPlain)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(openGzip)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

BENCHMARK_MAIN();
