// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli export: a capture or trace in another tool's format.
#include "analysis/import/writers/writers.h"
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <memory>

namespace tuneline::cli {

namespace {

struct ExportOptions
{
    std::string file, format, out;
};

analysis::Result<void> writeChrome(const analysis::Trace &trace, const std::string &out, analysis::Progress &progress)
{
    if (out.empty())
        return writeChromeTrace(trace, std::cout, progress);
    std::ofstream file(out, std::ios::binary);
    if (!file)
        return analysis::fail(analysis::Error::Code::CannotWrite,
                              "The file can't be made; check the folder and its permissions.", out);
    return writeChromeTrace(trace, file, progress);
}

ExitCode exportTrace(const ExportOptions &options)
{
    // A table or a database is no stream.
    if (options.out.empty() && options.format != "chrome") {
        printError("--format " + options.format + " needs -o: " + (options.format == "csv" ? "a folder" : "a file"));
        return ExitCode::Usage;
    }
    const auto trace = openWithProgress({options.file});
    if (!trace)
        return report(trace.error());
    analysis::Progress progress;
    const auto done = options.format == "chrome" ? writeChrome(**trace, options.out, progress)
        : options.format == "csv"                ? analysis::writeCsv(**trace, options.out, progress)
                                                 : analysis::writeSqlite(**trace, options.out, progress);
    return done ? ExitCode::Done : report(done.error());
}

} // namespace

void addExport(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<ExportOptions>();
    auto *command = app.add_subcommand("export", "Write a capture or trace in another format");
    command->add_option("FILE", options->file, "A capture or trace")->required();
    command
        ->add_option("--format", options->format,
                     "chrome (opens in Perfetto and chrome://tracing), csv (a folder of tables) or sqlite")
        ->required()
        ->check(CLI::IsMember({"chrome", "csv", "sqlite"}));
    command->add_option("-o,--out", options->out, "Where to; chrome goes to standard output if left out");
    command->callback([options, &outcome] { outcome.exit = exportTrace(*options); });
}

} // namespace tuneline::cli
