// SPDX-License-Identifier: GPL-3.0-or-later
// A half-open range [from, to) of trace time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tuneline::ui {

struct TimeRange
{
    std::int64_t from = 0, to = 0; // ns

    [[nodiscard]] constexpr std::int64_t length() const noexcept { return to - from; }
    [[nodiscard]] constexpr bool empty() const noexcept { return to <= from; }
    [[nodiscard]] constexpr bool contains(std::int64_t t) const noexcept { return t >= from && t < to; }
    [[nodiscard]] constexpr bool touches(std::int64_t a, std::int64_t b) const noexcept { return a < to && b > from; }
    [[nodiscard]] constexpr TimeRange shifted(std::int64_t by) const noexcept { return {from + by, to + by}; }
    [[nodiscard]] static constexpr TimeRange between(std::int64_t a, std::int64_t b) noexcept
    {
        return {std::min(a, b), std::max(a, b)};
    }
    constexpr bool operator==(const TimeRange &) const noexcept = default;
};

} // namespace tuneline::ui
