// SPDX-License-Identifier: GPL-3.0-or-later
// Sums and differences of times that a damaged file may have put anywhere: they stop at the ends instead of wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace tuneline::analysis {

[[nodiscard]] constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

[[nodiscard]] constexpr std::int64_t saturatedDifference(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

} // namespace tuneline::analysis
