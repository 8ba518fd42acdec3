// SPDX-License-Identifier: GPL-3.0-or-later
// A host thread as a gapless sequence of pieces: the self time of each event and each API call whole.
#pragma once

#include "analysis/analysis.h"

#include <vector>

namespace tuneline::analysis {

struct HostPiece
{
    static constexpr unsigned kBoundaryUnits = 8; // of one operator or call; a Python frame counts 1

    std::int64_t start = 0, end = 0; // ns
    EventId owner; // innermost event, invalid = none
    bool call = false; // owner is an API call, and this is all of it
    std::uint16_t boundaries = 0; // begins and ends of events on its two sides, in kBoundaryUnits
    IdleCause cause = IdleCause::HostCode;

    [[nodiscard]] std::int64_t length() const noexcept { return end - start; }
};

// Pieces of [window.begin, window.end). `cuts` (sorted) are instants at which a piece outside API calls is split.
[[nodiscard]] std::vector<HostPiece> splitThread(const Trace &trace, const Lane &lane, Range window,
                                                 const std::vector<std::int64_t> &cuts);

// Sets HostPiece::cause from what the metrics found.
void setCauses(std::vector<HostPiece> &pieces, const std::vector<HostSegment> &segments);

} // namespace tuneline::analysis
