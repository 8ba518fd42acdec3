// SPDX-License-Identifier: GPL-3.0-or-later
// Puts raw events into the columns in their final order. Used by TraceBuilder::finish only.
#pragma once

#include "analysis/trace/tracebuilder.h"

#include <vector>

namespace tuneline::analysis {

// Sets the lanes' ranges and all columns; parent, launch and depth are empty yet. The slabs that the events lie in are
// used up, chunk by chunk: raw events and columns never take memory both as a whole. Returns external ids by event, or
// nothing where no device record needs one to find its launch.
[[nodiscard]] std::vector<std::uint64_t> fillColumns(Trace &trace, const EventRuns &runs, const EventSlabs &slabs);

} // namespace tuneline::analysis
