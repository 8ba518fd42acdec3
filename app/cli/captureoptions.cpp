// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/captureoptions.h"

#include "analysis/detaillevels.h"
#include "capture/session/outputpath.h"

#include <CLI/CLI.hpp>

#include <cmath>

namespace tuneline::cli {

namespace {

// "" = fine; CLI11 prints anything else and exits.
std::string checkWarmup(const std::string &text)
{
    if (text == "auto"
        || (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 10))
        return {};
    return "--warmup takes a number of steps or auto, not " + text;
}

} // namespace

void addCaptureOptions(CLI::App &command, CaptureOptions &options)
{
    command.add_option("-o,--out", options.out, "Capture to write; PROGRAM-DATE.tlc in this folder if left out");
    command.add_option("--warmup", options.warmup, "Steps to let pass first, or auto: until step times are steady")
        ->check(checkWarmup)
        ->capture_default_str();
    command.add_option("--steps", options.steps, "Length of the window in steps")->check(CLI::Range(1, 1'000'000));
    command
        .add_option("--seconds", options.seconds, "Length of the window in seconds; of both the first reached counts")
        ->check(CLI::Range(0.001, 86'400.0));
    command
        .add_option("--detail", options.detail, "How much to record: light, normal or full; see below what they cost")
        ->check(CLI::IsMember({"light", "normal", "full"}))
        ->capture_default_str();
    command
        .add_option("--graphs", options.graphs,
                    "CUDA graphs: kernels (each kernel is recorded) or whole (one record a launch, lighter)")
        ->check(CLI::IsMember({"kernels", "whole"}))
        ->capture_default_str();
    command.add_flag("--force", options.force, "Replace a capture that is already there");
    command.add_flag("--join", options.join,
                     "The capture is a folder that other nodes of the same job write into as well; one file a rank");
}

std::string captureNotes()
{
    std::string notes = "Detail (measured: " + std::string(analysis::kDetailMeasuredOn) + "):\n";
    for (const analysis::DetailLevel &level : analysis::kDetailLevels)
        notes += "  " + std::string(level.name) + std::string(8 - level.name.size(), ' ') + std::string(level.records)
            + ";\n          " + costText(level) + "\n";
    notes += "  torch.profiler, for comparison: " + analysis::slowdownText(analysis::kTorchProfilerLaunchBound)
        + " where launches limit the step, " + analysis::slowdownText(analysis::kTorchProfilerCudaGraphs)
        + " with CUDA graphs\n\n";
    return notes + std::string(analysis::kProfilerWarning) + '\n' + std::string(analysis::kAfterwards);
}

capture::CapturePlan toPlan(const CaptureOptions &options, const std::string &program)
{
    capture::CapturePlan plan;
    plan.out = options.out.empty() ? capture::defaultOutput(program) : std::filesystem::path(options.out);
    plan.warmupSteps = options.warmup == "auto" ? capture::kAutoWarmup : std::stoll(options.warmup);
    plan.windowSteps = options.steps;
    plan.windowNs = std::llround(options.seconds * 1e9);
    plan.detail = *capture::parseDetail(options.detail);
    plan.graphs = *capture::parseGraphs(options.graphs);
    plan.force = options.force;
    plan.join = options.join;
    return plan;
}

} // namespace tuneline::cli
