// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to look at the host lanes of a source that step finding shares.
#pragma once

#include "analysis/metrics/names.h"
#include "analysis/trace/trace.h"

#include <vector>

namespace tuneline::analysis {

// Operators and ranges whose name has a trait, by start.
[[nodiscard]] std::vector<EventId> scopesWith(const Trace &trace, const NameTable &names, SourceId source,
                                              std::uint32_t trait);
// Operators, API calls and data scopes of a lane that lie in no other such event, by start: what the thread does one
// after another, whatever ranges or Python frames wrap it.
[[nodiscard]] std::vector<EventId> outermostWork(const Trace &trace, const NameTable &names, LaneId lane);
// Where a step ends whose last work on the thread ended at `time`: behind the reads (loss.item()) that follow at once.
[[nodiscard]] std::int64_t behindReads(const Trace &trace, const NameTable &names, const std::vector<EventId> &work,
                                       std::int64_t time);
// The thread that drives the run: most launches and operators outside the backward pass, which has a thread of its own
// where there is a device. Invalid = no thread launches or runs operators.
[[nodiscard]] LaneId drivingLane(const Trace &trace, const NameTable &names, SourceId source);

} // namespace tuneline::analysis
