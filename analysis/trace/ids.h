// SPDX-License-Identifier: GPL-3.0-or-later
// Distinct 32-bit index types, so that a string id can't be passed as an event id.
#pragma once

#include <cstdint>
#include <functional>

namespace tuneline::analysis {

template <typename Tag> struct Id
{
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    std::uint32_t value = kNone;

    constexpr Id() noexcept = default;
    constexpr explicit Id(std::uint32_t v) noexcept
        : value(v)
    { }
    constexpr explicit Id(std::size_t v) noexcept
        : value(static_cast<std::uint32_t>(v))
    { }
    [[nodiscard]] constexpr bool valid() const noexcept { return value != kNone; }
    constexpr auto operator<=>(const Id &) const noexcept = default;
};

using EventId = Id<struct EventTag>; // index into Trace's event columns
using LaneId = Id<struct LaneTag>; // index into Trace::lanes
using StringId = Id<struct StringTag>; // index into StringPool; 0 is the empty string
using SourceId = Id<struct SourceTag>; // index into Trace::sources

} // namespace tuneline::analysis

template <typename Tag> struct std::hash<tuneline::analysis::Id<Tag>>
{
    std::size_t operator()(tuneline::analysis::Id<Tag> id) const noexcept
    {
        return std::hash<std::uint32_t>{}(id.value);
    }
};
