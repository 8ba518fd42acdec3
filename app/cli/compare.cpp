// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli compare: two runs side by side, and the verdict.
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace tuneline::cli {

namespace {

struct CompareOptions
{
    std::string before, after;
    bool json = false;
    double failOnRegression = -1;
};

ExitCode compare(const CompareOptions &options)
{
    for (const auto &file : {options.before, options.after}) {
        const auto trace = openWithProgress({file});
        if (!trace)
            return report(trace.error());
    }
    printError("this build can't compare yet");
    return ExitCode::Usage;
}

} // namespace

void addCompare(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<CompareOptions>();
    auto *command = app.add_subcommand("compare", "Compare two runs: metrics, findings, operators, verdict");
    command->add_option("BEFORE", options->before)->required();
    command->add_option("AFTER", options->after)->required();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->add_option("--fail-on-regression", options->failOnRegression,
                        "Exit 1 if the step got slower by more than PCT");
    command->callback([options, &outcome] { outcome.exit = compare(*options); });
}

} // namespace tuneline::cli
