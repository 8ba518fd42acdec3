// SPDX-License-Identifier: GPL-3.0-or-later
// The gdb commands that load the agent into a running process. Each stage prints a marker; the last one that is seen
// tells how far it came.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tuneline::capture {

enum class GdbCalls {
    // gdb calls functions of the process: it keeps and restores all registers, at any point of the program.
    ByGdb,
    // For gdb before 14 on processors with AMX (Sapphire Rapids and later), where it can't write back the vector
    // registers ("Couldn't write extended state status: Bad address") and so can't call anything. Only the general
    // registers are set and restored. Sound at the entry of malloc alone, where by the ABI no vector register is live;
    // does nothing if the process doesn't get there. x86-64.
    ByHand,
};

namespace gdbstage {
inline constexpr std::string_view kAttached = "tuneline-stage:attached";
inline constexpr std::string_view kSafePoint = "tuneline-stage:safe-point";
inline constexpr std::string_view kNoSafePoint = "tuneline-stage:no-safe-point";
inline constexpr std::string_view kLoaded = "tuneline-stage:loaded=";
inline constexpr std::string_view kStarted = "tuneline-stage:started=";
inline constexpr std::string_view kReason = "tuneline-dlerror:";
} // namespace gdbstage

// A script for gdb -x; the process is attached already when it runs.
[[nodiscard]] std::string gdbScript(GdbCalls calls, const std::filesystem::path &agent);

} // namespace tuneline::capture
