// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli serve: captures for the window, here or through ssh. See capture/session/PROTOCOL.md.
#include "app/cli/command.h"
#include "capture/session/server.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

namespace tuneline::cli {

void addServe(CLI::App &app, Outcome &outcome)
{
    auto *command = app.add_subcommand("serve", "Speak JSON-RPC 2.0 on stdin and stdout, for the window");
    command->callback([&outcome] {
        capture::Server(STDIN_FILENO, STDOUT_FILENO).run();
        outcome.exit = ExitCode::Done;
    });
}

} // namespace tuneline::cli
