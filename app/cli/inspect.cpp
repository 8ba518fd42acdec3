// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli inspect: what is in a file, what was repaired or dropped.
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

nlohmann::json summary(const analysis::Trace &trace)
{
    auto problems = nlohmann::json::array();
    for (const auto &problem : trace.report.problems())
        problems.push_back({{"name", problem.name}, {"count", problem.count}});
    return {{"span_ns", {trace.spanBegin, trace.spanEnd}},
            {"counts", {{"slices", trace.events.size()}, {"kernels", trace.kernels.size()}}},
            {"problems", std::move(problems)}};
}

ExitCode inspect(const InspectOptions &options)
{
    const auto trace = openWithProgress(options.files);
    if (!trace)
        return report(trace.error());
    const auto document = summary(**trace);
    std::cout << document.dump(options.json ? -1 : 2) << '\n';
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
