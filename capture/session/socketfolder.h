// SPDX-License-Identifier: GPL-3.0-or-later
// Where agents keep their sockets: $TUNELINE_SOCKET_DIR, else $XDG_RUNTIME_DIR/tuneline, else /tmp/tuneline-<uid>
// (control.h). A folder that somebody else could write to is never used: he could put his own agent there.
#pragma once

#include "capture/session/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tuneline::capture {

struct AgentSocket
{
    pid_t pid = 0; // as the agent sees itself, from the file's name
    std::filesystem::path path;
};

// By the rule above, for a process with this environment and user: the first is the one that is meant, the others are
// what an agent falls back to when it can't be used.
[[nodiscard]] std::vector<std::filesystem::path> socketFolders(const std::map<std::string, std::string> &environment,
                                                               uid_t uid);
// Ours: that of processes we launch.
[[nodiscard]] std::filesystem::path ownSocketFolder();
// Makes it if it isn't there (0700), and refuses one that isn't ours alone.
[[nodiscard]] Result<void> prepareSocketFolder(const std::filesystem::path &folder);

// "<pid>.sock" files; no connection is tried.
[[nodiscard]] std::vector<AgentSocket> socketsIn(const std::filesystem::path &folder);

} // namespace tuneline::capture
