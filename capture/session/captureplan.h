// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody wants captured: the window, how much detail, and where it goes.
#pragma once

#include "capture/format/control.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace tuneline::capture {

inline constexpr std::int64_t kAutoWarmup = -1; // until step times are steady

struct CapturePlan
{
    std::filesystem::path out; // NAME.tlc: a file, or a folder when several ranks are found
    std::int64_t warmupSteps = kAutoWarmup;
    std::int64_t windowSteps = 0; // 0 = no limit
    std::int64_t windowNs = 0; // 0 = no limit
    format::Detail detail = format::Detail::Normal;
    format::Graphs graphs = format::Graphs::Kernels;
    bool force = false; // replace what is at `out`
    bool join = false; // `out` is a folder that other nodes of the same job write into as well

    [[nodiscard]] bool limited() const noexcept { return windowSteps > 0 || windowNs > 0; }
};

// "light", "normal", "full"; nullopt for anything else.
[[nodiscard]] std::optional<format::Detail> parseDetail(std::string_view text) noexcept;
[[nodiscard]] std::string_view detailName(format::Detail detail) noexcept;
// "kernels", "whole"; nullopt for anything else.
[[nodiscard]] std::optional<format::Graphs> parseGraphs(std::string_view text) noexcept;

} // namespace tuneline::capture
