// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli inspect: what is in a file, what was repaired or dropped.
#include "analysis/report/inspect.h"
#include "analysis/analysis.h"
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace tuneline::cli {

namespace {

struct InspectOptions
{
    std::vector<std::string> files;
    bool json = false;
};

ExitCode inspect(const InspectOptions &options)
{
    const auto analysis = openAnalysed(options.files);
    if (!analysis)
        return report(analysis.error());
    // Names come from the file as they are: what is no UTF-8 is replaced, never fatal.
    if (options.json)
        std::cout << inspectJson(**analysis).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    else
        std::cout << inspectText(**analysis);
    return ExitCode::Done;
}

} // namespace

void addInspect(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<InspectOptions>();
    auto *command = app.add_subcommand("inspect", "What is in a capture or trace, and what was repaired or dropped");
    command->add_option("FILE", options->files, "Capture or trace; several are the ranks of one run")->required();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &outcome] { outcome.exit = inspect(*options); });
}

} // namespace tuneline::cli
