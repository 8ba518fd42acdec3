// SPDX-License-Identifier: GPL-3.0-or-later
// Which processes can be captured, and why others can't.
#pragma once

#include "capture/session/injector.h"
#include "capture/session/permissions.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::capture {

enum class CaptureWay { None, Agent, Debugger };

struct ListedProcess
{
    pid_t pid = 0;
    std::string name;
    std::vector<std::string> commandLine;
    std::string user;
    CaptureWay way = CaptureWay::None;
    std::string why; // why not, or what is special; "" = nothing to say
    std::optional<std::string> torch; // version, "" = has it in an unknown version, nullopt = not found or not visible
    bool cuda = false;
    std::optional<int> rank; // RANK and its like in its environment
};

// `injector` is asked whether it works; nothing is injected. `agent` is the path of the agent here, "" = not found.
[[nodiscard]] std::vector<ListedProcess> listProcesses(const ProcFs &proc, const Observer &observer, Injector &injector,
                                                       const std::filesystem::path &agent);

// The socket of the agent in this process, whether it answers or not; nullopt = there is none.
[[nodiscard]] std::optional<std::filesystem::path> agentSocketOf(const ProcFs &proc, const ProcessFacts &process);

} // namespace tuneline::capture
