// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli export: a capture or trace in another tool's format, or what is known about it as a report.
#include "analysis/import/writers/writers.h"
#include "analysis/report/htmlreport.h"
#include "analysis/report/reportjson.h"
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <functional>
#include <iostream>
#include <memory>

namespace tuneline::cli {

namespace {

using analysis::Result;

struct ExportOptions
{
    std::string file, format, out;
};

// To a file or, without a name, to standard output.
Result<void> writeStream(const std::string &out, const std::function<Result<void>(std::ostream &)> &write)
{
    if (out.empty())
        return write(std::cout);
    std::ofstream file(out, std::ios::binary);
    if (!file)
        return analysis::fail(analysis::Error::Code::CannotWrite,
                              "The file can't be made; check the folder and its permissions.", out);
    Result<void> done = write(file);
    file.close();
    if (done && !file)
        return analysis::fail(analysis::Error::Code::CannotWrite, "The file can't be written; is the disk full?", out);
    return done;
}

Result<void> writeReport(const ExportOptions &options)
{
    const auto analysis = openAnalysed({options.file});
    if (!analysis)
        return tl::make_unexpected(analysis.error());
    const analysis::Advice advice = analysis::advise(**analysis);
    return writeStream(options.out, [&](std::ostream &out) -> Result<void> {
        if (options.format == "html")
            out << htmlReport(**analysis, advice);
        else // names come from the file as they are: what is no UTF-8 is replaced, never fatal
            out << reportJson(**analysis, advice).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                << '\n';
        return {};
    });
}

Result<void> writeTrace(const ExportOptions &options)
{
    const auto trace = openWithProgress({options.file});
    if (!trace)
        return tl::make_unexpected(trace.error());
    analysis::Progress progress;
    if (options.format == "csv")
        return analysis::writeCsv(**trace, options.out, progress);
    if (options.format == "sqlite")
        return analysis::writeSqlite(**trace, options.out, progress);
    return writeStream(options.out, [&](std::ostream &out) { return writeChromeTrace(**trace, out, progress); });
}

ExitCode exportTrace(const ExportOptions &options)
{
    // Tables and a database are no stream.
    if (options.out.empty() && (options.format == "csv" || options.format == "sqlite")) {
        printError("--format " + options.format + " needs -o: " + (options.format == "csv" ? "a folder" : "a file"));
        return ExitCode::Usage;
    }
    const bool report = options.format == "html" || options.format == "json";
    const Result<void> done = report ? writeReport(options) : writeTrace(options);
    return done ? ExitCode::Done : cli::report(done.error());
}

} // namespace

void addExport(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<ExportOptions>();
    auto *command = app.add_subcommand("export", "Write a capture or trace in another format, or a report on it");
    command->add_option("FILE", options->file, "A capture or trace")->required();
    command
        ->add_option(
            "--format", options->format,
            "chrome (opens in Perfetto and chrome://tracing), csv (a folder of tables), sqlite, html (a report "
            "to read or send) or json (the report for programs)")
        ->required()
        ->check(CLI::IsMember({"chrome", "csv", "sqlite", "html", "json"}));
    command->add_option("-o,--out", options->out, "Where to; chrome, html and json go to standard output if left out");
    command->footer("Tables and keys are described in export-formats.md (share/doc/tuneline), those of sqlite also in "
                    "its own table "
                    "\"about\".");
    command->callback([options, &outcome] { outcome.exit = exportTrace(*options); });
}

} // namespace tuneline::cli
