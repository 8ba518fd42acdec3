// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include <iostream>

namespace tuneline::cli {

void printError(std::string_view message, std::string_view where)
{
    std::cerr << "tuneline-cli: " << message;
    if (!where.empty())
        std::cerr << " (" << where << ')';
    std::cerr << '\n';
}

ExitCode report(const analysis::Error &error)
{
    printError(error.message, error.where);
    return error.code == analysis::Error::Code::Usage ? ExitCode::Usage : ExitCode::Unreadable;
}

} // namespace tuneline::cli
