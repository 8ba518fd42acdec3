// SPDX-License-Identifier: GPL-3.0-or-later
// How a command of tuneline-cli plugs in: one file per command, one function that adds its options and a callback. The
// callback does the work and leaves the exit code in Outcome. Results go to stdout, everything else to stderr.
// To add one: write app/cli/<name>.cpp, declare it here, list it in app/CMakeLists.txt and in main.cpp.
#pragma once

#include "analysis/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tuneline::cli {

// CLI.md: what scripts rely on.
enum class ExitCode : int {
    Done = 0,
    No = 1, // the answer is "no": a regression, a finding above the limit
    Usage = 2,
    Unreadable = 3, // the input can't be read
    CaptureFailed = 4,
};

// One per process, made by main(), alive as long as the App.
struct Outcome
{
    ExitCode exit = ExitCode::Done;
    std::vector<std::string> program; // what stood behind "--", untouched: PROGRAM [ARG…]
};

// Prints "tuneline-cli: MESSAGE (WHERE)" on stderr.
void printError(std::string_view message, std::string_view where = {});
// The same for an analysis error; returns the exit code that fits it: `return outcome.exit = report(error)`.
[[nodiscard]] ExitCode report(const analysis::Error &error);

void addRecord(CLI::App &app, Outcome &outcome);
void addList(CLI::App &app, Outcome &outcome);
void addAttach(CLI::App &app, Outcome &outcome);
void addInspect(CLI::App &app, Outcome &outcome);
void addAdvise(CLI::App &app, Outcome &outcome);
void addCompare(CLI::App &app, Outcome &outcome);
void addTune(CLI::App &app, Outcome &outcome);
void addExport(CLI::App &app, Outcome &outcome);
void addServe(CLI::App &app, Outcome &outcome);

} // namespace tuneline::cli
