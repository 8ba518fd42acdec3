// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a helper program and takes its output, with a time limit.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuneline::capture {

struct CommandResult
{
    int exitCode = -1; // -1: killed, or it couldn't be started
    bool timedOut = false;
    std::string output, errors;
};

// Blocks. `watch`, if given, is called every 50 ms and after each piece of output with what has come so far and the
// helper's pid; it may send signals. After `limit` the helper gets SIGTERM, two seconds later SIGKILL. stdin is
// /dev/null.
[[nodiscard]] CommandResult runCommand(const std::vector<std::string> &commandLine, std::chrono::milliseconds limit,
                                       const std::function<void(std::string_view output, int pid)> &watch = {});

} // namespace tuneline::capture
