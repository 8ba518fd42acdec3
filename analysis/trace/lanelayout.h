// SPDX-License-Identifier: GPL-3.0-or-later
// Nesting and drawing rows of one lane whose events are sorted by start, longer first. Iterative: depth has no limit
// but the 16 bits of EventColumns::depth. O(events) but for lanes with more than kMaxSubRows slices over one another.
#pragma once

#include "analysis/trace/trace.h"

namespace tuneline::analysis {

inline constexpr std::uint32_t kMaxSubRows = 256;

// Fills parent and depth of the lane's events and the lane's depth, overlaps, busyNs and maxEnd. `slackNs` is how far
// an inner slice may stick out because the source rounds its times (0 = exact).
void layOutLane(Trace &trace, LaneId lane, std::int64_t slackNs);

} // namespace tuneline::analysis
