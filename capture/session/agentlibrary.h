// SPDX-License-Identifier: GPL-3.0-or-later
// Where libtuneline_agent.so is: beside this program, in the build tree or installed.
#pragma once

#include "capture/session/result.h"

#include <filesystem>
#include <vector>

namespace tuneline::capture {

// $TUNELINE_AGENT, else the first of agentCandidates() that is there. Absolute: it is loaded by another process.
[[nodiscard]] Result<std::filesystem::path> findAgent();
// For a program in this folder: BUILD/bin → BUILD/lib, PREFIX/bin → PREFIX/lib/…/tuneline, a bundle's own folder.
[[nodiscard]] std::vector<std::filesystem::path> agentCandidates(const std::filesystem::path &programFolder);

} // namespace tuneline::capture
