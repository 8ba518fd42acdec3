// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli record: starts a program with the agent in it and captures a window of it.
#include "app/cli/captureoptions.h"
#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "capture/session/outputpath.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace tuneline::cli {

namespace {

struct RecordOptions
{
    CaptureOptions capture;
    bool stopAfter = false;
};

ExitCode record(const RecordOptions &options, const std::vector<std::string> &program)
{
    if (program.empty()) {
        printError(
            "no program to record; put it behind --, as in: tuneline-cli record --steps 10 -- ./train --epochs 1");
        return ExitCode::Usage;
    }
    return recordProgram({toPlan(options.capture, capture::programName(program)), program, options.stopAfter, -1}).exit;
}

} // namespace

void addRecord(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<RecordOptions>();
    auto *command = app.add_subcommand("record", "Start a program and capture a window of it");
    addCaptureOptions(*command, options->capture);
    command->add_flag("--stop-after", options->stopAfter, "End the program (SIGTERM) once the capture is complete");
    command->footer(captureNotes()
                    + "\n\n"
                      "The program keeps this terminal. It goes on after the window; Ctrl-C ends the window and keeps "
                      "the capture.");
    command->callback([options, &outcome] { outcome.exit = record(*options, outcome.program); });
}

} // namespace tuneline::cli
