// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli advise: the bottlenecks, their evidence, their fixes and what each should bring.
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace tuneline::cli {

namespace {

struct AdviseOptions
{
    std::vector<std::string> files;
    std::string whatIf;
    int batch = 0;
    bool json = false;
    double failAbove = -1;
};

ExitCode advise(const AdviseOptions &options)
{
    const auto trace = openWithProgress(options.files);
    if (!trace)
        return report(trace.error());
    printError("this build has no rules yet");
    return ExitCode::Usage;
}

} // namespace

void addAdvise(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<AdviseOptions>();
    auto *command = app.add_subcommand("advise", "Name the bottlenecks, what to change and what it should bring");
    command->add_option("FILE", options->files, "Capture or trace; several are the ranks of one run")->required();
    command->add_option("--what-if", options->whatIf, "Predict the step time with CHANGE[+CHANGE…]");
    command->add_option("--batch", options->batch, "Present batch size, where the capture doesn't know it");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->add_option("--fail-above", options->failAbove, "Exit 1 if a finding takes more than PCT of the step");
    command->callback([options, &outcome] { outcome.exit = advise(*options); });
}

} // namespace tuneline::cli
