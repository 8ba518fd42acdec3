// SPDX-License-Identifier: GPL-3.0-or-later
// What a capture records at each level of detail, and what that was measured to cost the run. The only place for these
// figures and words: the capture form, `tuneline-cli record --help` and `attach --help` read them here.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

namespace tuneline::analysis {

struct DetailLevel
{
    std::string_view name; // as --detail spells it
    std::string_view records;
    // Step time while recorded / step time of a process that no profiler ever touched − 1, medians of interleaved
    // rounds; negative = not measured.
    double launchBound; // eager, the device waits for the host
    double cudaGraphs;
};

// Of tests/bench/gpu/slowdown.py, 37 rounds; where launches limit the step, half of the rounds lie within ±15 points of
// these. `full` was measured against a process that torch.profiler had been used in (1.46), which makes steps 1.25
// times as long for good.
inline constexpr std::string_view kDetailMeasuredOn = "12-layer GPT in bf16 on an H200, torch 2.11";
inline constexpr DetailLevel kDetailLevels[] = {
    {"light", "device work, launches, copies, waits, allocations, steps and user scopes", 0.44, 0.05},
    {"normal", "light and operators", 0.62, 0.05},
    {"full", "normal and shapes, memory, every API call, events, JIT, CUPTI's own overhead", 0.82, 0.05},
};
inline constexpr double kTorchProfilerLaunchBound = 0.87, kTorchProfilerCudaGraphs = 0.05; // CPU + CUDA, same loop

// "+13 %", "not measured"
[[nodiscard]] inline std::string slowdownText(double slowdown)
{
    return slowdown < 0 ? "not measured" : "+" + std::to_string(std::lround(slowdown * 100)) + " %";
}

// What it costs, for people.
[[nodiscard]] inline std::string costText(const DetailLevel &level)
{
    if (level.launchBound < 0 && level.cudaGraphs < 0)
        return "cost not measured";
    return "step time " + slowdownText(level.launchBound) + " where launches limit it, "
        + slowdownText(level.cudaGraphs) + " with CUDA graphs";
}

// Limits that a user should know before capturing.
inline constexpr std::string_view kProfilerWarning =
    "While capturing, the program's own torch.profiler will not see the GPU.";
// 21 % after ours, 25 % after torch.profiler, 0.4 and 0.5 % with CUDA graphs; measured in the same run.
inline constexpr std::string_view kAfterwards =
    "After a capture of its GPU, a program whose steps are limited by launches stays slower until it ends (measured: "
    "21 %; "
    "after torch.profiler 25 %): CUPTI keeps a hand in each call. Time such a program in a run of its own.";
inline constexpr std::string_view kLateAttachLimits =
    "Attached late, copies and memsets in CUDA graphs that exist already may show as kernels, and such graphs can't be "
    "recorded as a whole. Memory reports need a program that was launched with the agent.";

} // namespace tuneline::analysis
