// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli: the headless half of Tuneline. See CLI.md for the commands and their JSON.
#include "app/cli/command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace tuneline::cli;

void addCommands(CLI::App &app, Outcome &outcome)
{
    addRecord(app, outcome);
    addList(app, outcome);
    addAttach(app, outcome);
    addInspect(app, outcome);
    addAdvise(app, outcome);
    addCompare(app, outcome);
    addTune(app, outcome);
    addExport(app, outcome);
    addServe(app, outcome);
}

// What stands behind "--" belongs to the program that is started, not to us: it never reaches CLI11, which would read
// "[1,2]" as a list and "@file" as it likes.
std::vector<std::string> takeProgram(std::vector<std::string> &arguments)
{
    if (arguments.empty() || (arguments.front() != "record" && arguments.front() != "tune"))
        return {};
    const auto mark = std::find(arguments.begin(), arguments.end(), "--");
    if (mark == arguments.end())
        return {};
    std::vector<std::string> program(mark + 1, arguments.end());
    arguments.erase(mark, arguments.end());
    return program;
}

int run(int argc, char **argv)
{
    CLI::App app{"Captures PyTorch and LibTorch training runs, finds what makes them slow and says what to change.",
                 "tuneline-cli"};
    app.set_version_flag("--version", "tuneline-cli " TUNELINE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Exit codes: 0 done, 1 the answer is \"no\", 2 wrong usage, 3 the input can't be read, 4 the capture failed.");

    Outcome outcome;
    addCommands(app, outcome);
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    outcome.program = takeProgram(arguments);
    std::reverse(arguments.begin(), arguments.end()); // what CLI11 wants of a vector
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError &e) {
        return app.exit(e) == 0 ? 0 : static_cast<int>(ExitCode::Usage);
    }
    return static_cast<int>(outcome.exit);
}

} // namespace

int main(int argc, char **argv)
{
    // A reader that goes away ("| head") is no reason to lose a capture: writes report it instead.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::exception &e) {
        // Only out of memory or a bug gets here; say so instead of aborting without a word.
        printError(std::string("unexpected failure: ") + e.what());
        return static_cast<int>(ExitCode::Unreadable);
    }
}
