// SPDX-License-Identifier: GPL-3.0-or-later
// Which collective of one rank is which of another. Ranks record the same sequence, but a window may begin a few
// collectives earlier on one of them, and their clocks may differ. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tuneline::analysis {

struct CollectiveMatch
{
    std::int64_t shift = 0; // number i of this rank is number i + shift of the reference
    std::int64_t offsetNs = 0; // to add to this rank's times so that collectives end together (median)
    std::int64_t residualNs = 0; // what then remains, median of the absolute differences
    std::size_t pairs = 0;
};

// `reference`, `own`: ends in ns, in the order of their starts. `sameClock`: both read the same clock, so a large
// offset means a wrong shift. nullopt: fewer than three pairs.
[[nodiscard]] std::optional<CollectiveMatch> matchCollectives(std::span<const std::int64_t> reference,
                                                              std::span<const std::int64_t> own, bool sameClock);

} // namespace tuneline::analysis
