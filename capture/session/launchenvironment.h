// SPDX-License-Identifier: GPL-3.0-or-later
// The environment of a program that is launched with the agent in it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuneline::capture {

using Environment = std::map<std::string, std::string>;

struct AgentSetup
{
    std::filesystem::path agent; // absolute
    std::filesystem::path socketFolder;
    std::string tag; // marks all processes of one launch, however they are started (TUNELINE_SESSION)
    std::string sanitizer; // soname of the AddressSanitizer runtime that the program needs, "" = none
};

inline constexpr auto kTagVariable = "TUNELINE_SESSION";

// The LD_PRELOAD that puts AddressSanitizer first (it refuses to start otherwise), then the agent, then what was there.
[[nodiscard]] std::string composePreload(std::string_view existing, std::string_view agent, std::string_view sanitizer);

// `base` with the agent's variables. What the user has set for CUDA or NVTX injection himself stays: it is his tool.
[[nodiscard]] Environment withAgent(Environment base, const AgentSetup &setup);

[[nodiscard]] Environment ownEnvironment();
[[nodiscard]] std::vector<std::string> toAssignments(const Environment &environment); // NAME=value

} // namespace tuneline::capture
