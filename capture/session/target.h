// SPDX-License-Identifier: GPL-3.0-or-later
// Which processes belong to a capture: one, with everything that it starts.
#pragma once

#include "capture/session/procfs.h"
#include "capture/session/socketfolder.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tuneline::capture {

struct Target
{
    pid_t root = 0; // what was launched or attached to
    std::string tag; // AgentSetup::tag of a launch, "" for an attached process
    std::filesystem::path socketFolder;
    std::vector<std::string> commandLine;
    std::filesystem::path folder; // its working folder
    std::string name; // what to call it in messages
};

// Finds the agents of a target as they come up: its ranks appear at any time, seconds after the launch.
class AgentFinder
{
public:
    AgentFinder(Target target, ProcFs proc);

    // Sockets that turned up since the last call and belong to the target. Removes sockets that dead processes left.
    [[nodiscard]] std::vector<AgentSocket> findNew();
    // The connection failed (its agent may not listen yet): findNew() will offer this one again.
    void forget(const std::filesystem::path &socket) { m_seen.erase(socket); }

private:
    [[nodiscard]] bool belongs(pid_t pid) const;

    Target m_target;
    ProcFs m_proc;
    std::set<std::filesystem::path> m_seen; // ours and strangers'
};

} // namespace tuneline::capture
