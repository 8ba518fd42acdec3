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
    // Step time while recorded / plain step time − 1, medians of interleaved rounds; negative = not measured.
    double launchBound; // eager, the device waits for the host
    double cudaGraphs;
};

// Of tests/bench/gpu/slowdown.py; where launches limit the step they vary by ±8 points from run to run.
inline constexpr std::string_view kDetailMeasuredOn = "12-layer GPT in bf16 on an H200, torch 2.11";
inline constexpr DetailLevel kDetailLevels[] = {
    {"light", "device work, launches, copies, waits, allocations, steps and user scopes", 0.12, 0.05},
    {"normal", "light and operators", 0.25, 0.05},
    {"full", "normal and shapes, memory, every API call, events, JIT, CUPTI's own overhead", 0.46, 0.05},
};
inline constexpr double kTorchProfilerLaunchBound = 0.42, kTorchProfilerCudaGraphs = 0.05; // CPU + CUDA, same loop

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
inline constexpr std::string_view kLateAttachLimits =
    "Attached late, copies and memsets in CUDA graphs that exist already may show as kernels, and such graphs can't be "
    "recorded as a whole. Memory reports need a program that was launched with the agent.";

} // namespace tuneline::analysis
