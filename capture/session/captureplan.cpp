// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/captureplan.h"

#include <array>
#include <utility>

namespace tuneline::capture {

namespace {
constexpr std::array<std::pair<std::string_view, format::Detail>, 3> kNames{
    {{"light", format::Detail::Light}, {"normal", format::Detail::Normal}, {"full", format::Detail::Full}}};
}

std::optional<format::Detail> parseDetail(std::string_view text) noexcept
{
    for (const auto &[name, detail] : kNames) {
        if (name == text)
            return detail;
    }
    return std::nullopt;
}

std::string_view detailName(format::Detail detail) noexcept
{
    for (const auto &[name, value] : kNames) {
        if (value == detail)
            return name;
    }
    return "normal";
}

std::optional<format::Graphs> parseGraphs(std::string_view text) noexcept
{
    if (text == "kernels")
        return format::Graphs::Kernels;
    return text == "whole" ? std::optional(format::Graphs::Whole) : std::nullopt;
}

} // namespace tuneline::capture
