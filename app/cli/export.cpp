// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli export: a capture or trace in another tool's format.
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace tuneline::cli {

namespace {

struct ExportOptions
{
    std::string file, format, out;
};

ExitCode exportTrace(const ExportOptions &options)
{
    const auto trace = openWithProgress({options.file});
    if (!trace)
        return report(trace.error());
    printError("this build can't write " + options.format + " yet");
    return ExitCode::Usage;
}

} // namespace

void addExport(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<ExportOptions>();
    auto *command = app.add_subcommand("export", "Write a capture or trace in another format");
    command->add_option("FILE", options->file)->required();
    command->add_option("--format", options->format)
        ->required()
        ->check(CLI::IsMember({"chrome", "csv", "sqlite", "html", "json"}));
    command->add_option("-o,--out", options->out, "Where to; standard output if left out");
    command->callback([options, &outcome] { outcome.exit = exportTrace(*options); });
}

} // namespace tuneline::cli
