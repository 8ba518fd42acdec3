// SPDX-License-Identifier: GPL-3.0-or-later
// The options that record and attach share.
#pragma once

#include "capture/session/captureplan.h"

#include <string>

namespace CLI {
class App;
}

namespace tuneline::cli {

struct CaptureOptions
{
    std::string out, warmup = "auto", detail = "normal", graphs = "kernels";
    std::int64_t steps = 0;
    double seconds = 0;
    bool force = false, join = false;
};

void addCaptureOptions(CLI::App &command, CaptureOptions &options);
// For the end of the help page: what each level records and costs, and what a capture takes away from the program.
[[nodiscard]] std::string captureNotes();
// What the session is asked for; `program` names the file where --out doesn't.
[[nodiscard]] capture::CapturePlan toPlan(const CaptureOptions &options, const std::string &program);

} // namespace tuneline::cli
