// SPDX-License-Identifier: GPL-3.0-or-later
// What a capture session tells its owner. The fields are those of PROTOCOL.md.
#pragma once

#include "capture/session/capturefile.h"
#include "capture/session/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tuneline::capture {

// In the order in which they are passed; the first is the least advanced.
enum class SessionState { Starting, Dormant, WarmingUp, Baseline, Recording, BaselineAfter, Finished, Failed };
[[nodiscard]] std::string_view stateName(SessionState state) noexcept; // as in PROTOCOL.md

struct RankProgress
{
    pid_t pid = 0;
    std::optional<int> rank;
    SessionState state = SessionState::Dormant;
    std::int64_t stepsSeen = 0, windowSteps = 0;
    std::uint64_t records = 0, dropped = 0, bytes = 0;
    std::string message;

    bool operator==(const RankProgress &) const = default;
};

struct SessionProgress
{
    SessionState state = SessionState::Starting;
    std::int64_t stepsSeen = 0, windowSteps = 0; // the fewest of all ranks
    std::uint64_t records = 0, dropped = 0, bytes = 0; // sums
    std::string message;
    std::vector<RankProgress> ranks;

    bool operator==(const SessionProgress &) const = default;
};

[[nodiscard]] SessionProgress summarise(std::vector<RankProgress> ranks);

struct CapturedFile
{
    std::filesystem::path path;
    pid_t pid = 0;
    std::optional<int> rank;
    CaptureFileFacts facts;
};

struct Captured
{
    std::filesystem::path path; // what to open
    bool complete = true; // every file was ended in order
    std::string message;
    std::vector<CapturedFile> files;
};

// Called on the poller's thread. None of them may destroy the session.
struct CaptureCallbacks
{
    std::function<void(const SessionProgress &)> progress;
    std::function<void(const Captured &)> captured; // once for each window, or
    std::function<void(const Error &)> failed;
};

} // namespace tuneline::capture
