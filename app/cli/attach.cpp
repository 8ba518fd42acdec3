// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include <CLI/CLI.hpp>

namespace tuneline::cli {

void addAttach(CLI::App &app, Outcome &outcome)
{
    app.add_subcommand("attach", "Comes with the capture session")->callback([&outcome] {
        printError("this build can't capture yet");
        outcome.exit = ExitCode::CaptureFailed;
    });
}

} // namespace tuneline::cli
