// SPDX-License-Identifier: GPL-3.0-or-later
// Flattens the nested events of one thread into segments of one cause each (DESIGN section 4, "idle cause").
#pragma once

#include "analysis/metrics/hostactivity.h"

#include <functional>

namespace tuneline::analysis {

// True for lanes that launch device work or run operators: only those can explain idle time.
[[nodiscard]] bool launchesOrRunsOperators(const Trace &trace, const Lane &lane);

// Sorted, disjoint, holes where nothing is recorded. Linear in the lane's events.
[[nodiscard]] std::vector<HostSegment> threadSegments(const Trace &trace, const NameTable &names, LaneId lane,
                                                      const std::function<bool(EventId)> &isBlocking);

// Appends and joins with the last where both say the same; ignores empty ones.
void appendSegment(std::vector<HostSegment> &out, const HostSegment &segment);

// From segments[from] on: what lies inside `ranges` and is host code, operators, launch calls or unknown becomes
// `cause`.
void overlay(std::vector<HostSegment> &segments, std::size_t from, const IntervalSet &ranges, IdleCause cause);

// Puts the ranges into a thread's own segments, holes included.
void overlayInputWait(std::vector<HostSegment> &segments, const IntervalSet &wait);

} // namespace tuneline::analysis
