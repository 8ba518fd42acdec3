// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include <CLI/CLI.hpp>

namespace tuneline::cli {

void addTune(CLI::App &app, Outcome &outcome)
{
    app.add_subcommand("tune", "Comes with the tuning loop")->callback([&outcome] {
        printError("this build can't tune yet");
        outcome.exit = ExitCode::Usage;
    });
}

} // namespace tuneline::cli
