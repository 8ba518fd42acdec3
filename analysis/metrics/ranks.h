// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of one run: the same collective on each of them, who arrives last, who waits.
#pragma once

#include "analysis/metrics/names.h"
#include "analysis/trace/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

struct RankFigures
{
    SourceId source;
    std::optional<int> rank;
    std::int64_t commWaitNs = 0; // until the last rank arrived, over the whole trace
    std::int64_t commTransferNs = 0; // after it
    std::int64_t clockOffsetNs = 0; // to add to this rank's times so that collectives end together
    std::int64_t lateNs = 0; // how long the others waited for this rank
};

// One collective on all ranks that have it.
struct Collective
{
    std::vector<EventId> events; // one for each rank, in the order of RankAnalysis::ranks; invalid = not there
    std::int64_t lastArrival = 0, end = 0; // ns, clock offsets applied
    std::uint32_t lastRank = 0; // index into RankAnalysis::ranks
    std::int64_t spreadNs = 0; // last arrival − first arrival
};

struct RankAnalysis
{
    std::vector<RankFigures> ranks; // one for each source
    std::vector<Collective> collectives; // matched on at least two ranks
    std::optional<int> straggler; // rank that arrives last and makes the others wait; nullopt = none or unknown
};

[[nodiscard]] RankAnalysis analyseRanks(const Trace &trace, const NameTable &names);

} // namespace tuneline::analysis
