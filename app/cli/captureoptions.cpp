// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/captureoptions.h"

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
        .add_option("--detail", options.detail,
                    "light: device work; normal: + operators; full: + shapes, memory, all calls")
        ->check(CLI::IsMember({"light", "normal", "full"}))
        ->capture_default_str();
    command.add_flag("--force", options.force, "Replace a capture that is already there");
}

capture::CapturePlan toPlan(const CaptureOptions &options, const std::string &program)
{
    capture::CapturePlan plan;
    plan.out = options.out.empty() ? capture::defaultOutput(program) : std::filesystem::path(options.out);
    plan.warmupSteps = options.warmup == "auto" ? capture::kAutoWarmup : std::stoll(options.warmup);
    plan.windowSteps = options.steps;
    plan.windowNs = std::llround(options.seconds * 1e9);
    plan.detail = *capture::parseDetail(options.detail);
    plan.force = options.force;
    return plan;
}

} // namespace tuneline::cli
