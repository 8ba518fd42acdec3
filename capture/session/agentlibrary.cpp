// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/agentlibrary.h"

#include <cstdlib>
#include <system_error>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {
constexpr auto kName = "libtuneline_agent.so";
}

std::vector<fs::path> agentCandidates(const fs::path &programFolder)
{
    const fs::path lib = programFolder.parent_path() / "lib";
    return {
        lib / kName,
        lib / TUNELINE_LIBRARY_ARCHITECTURE / "tuneline" / kName,
        lib / "tuneline" / kName,
        programFolder.parent_path() / "lib64" / "tuneline" / kName,
        programFolder / kName,
    };
}

Result<fs::path> findAgent()
{
    std::error_code error;
    if (const char *chosen = std::getenv("TUNELINE_AGENT")) {
        const auto path = fs::absolute(chosen, error);
        if (fs::is_regular_file(path, error))
            return path;
        return fail(Error::Code::AgentMissing, "TUNELINE_AGENT is " + std::string(chosen) + ", which isn't there.",
                    "Correct it, or unset it to use the agent that was installed.");
    }
    const auto program = fs::read_symlink("/proc/self/exe", error);
    for (const auto &candidate : agentCandidates(program.parent_path())) {
        if (fs::is_regular_file(candidate, error))
            return candidate.lexically_normal();
    }
    return fail(Error::Code::AgentMissing, "libtuneline_agent.so isn't beside " + program.string() + ".",
                "Install Tuneline again, build the target tuneline_agent, or set TUNELINE_AGENT to the library.");
}

} // namespace tuneline::capture
