// SPDX-License-Identifier: GPL-3.0-or-later
// One launch, one window: what record and tune have in common.
#pragma once

#include "app/cli/command.h"
#include "capture/session/captureplan.h"

#include <string>
#include <vector>

namespace tuneline::cli {

struct RecordRequest
{
    capture::CapturePlan plan;
    std::vector<std::string> program; // with its arguments
    bool stopAfter = false; // end the program once the capture is complete
    int output = -1; // fd for the program's stdout and stderr, -1 = ours
};

struct RecordResult
{
    ExitCode exit = ExitCode::CaptureFailed; // Done: there is a capture
    bool interrupted = false; // the user wants to stop (Ctrl-C)
};

// Blocks until the program has ended. Messages go to stderr.
[[nodiscard]] RecordResult recordProgram(const RecordRequest &request);

} // namespace tuneline::cli
