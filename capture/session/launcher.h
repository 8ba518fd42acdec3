// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a program with the agent in it.
#pragma once

#include "capture/session/launchenvironment.h"
#include "capture/session/result.h"

#include <optional>
#include <sys/types.h>

namespace tuneline::capture {

struct LaunchRequest
{
    std::vector<std::string> commandLine; // program first, looked up in PATH
    std::filesystem::path folder; // "" = ours
    Environment environment; // complete; the agent's variables are added
    int input = -1, output = -1, error = -1; // fds for 0, 1, 2; -1 = ours, untouched
    bool ownSession = false; // setsid: the terminal's signals and hang-up don't reach it
};

struct LaunchedProcess
{
    pid_t pid = 0;
    std::string tag; // AgentSetup::tag
    std::filesystem::path socketFolder;
    std::string remark; // what the user should know, "" = nothing: a static program, …
};

// How a process ended.
struct ProcessEnd
{
    std::optional<int> exitCode;
    std::optional<int> signal;

    [[nodiscard]] std::string text() const; // "exit code 3", "signal SIGKILL"
};

// Forks and executes. The caller must wait for the pid (pollEnd).
[[nodiscard]] Result<LaunchedProcess> launch(const LaunchRequest &request);
// Has this child ended? Reaps it.
[[nodiscard]] std::optional<ProcessEnd> pollEnd(pid_t child);
// "SIGTERM"; "signal 34" for one without a name.
[[nodiscard]] std::string signalName(int signal);

} // namespace tuneline::capture
