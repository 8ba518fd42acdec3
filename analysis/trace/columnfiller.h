// SPDX-License-Identifier: GPL-3.0-or-later
// Puts raw events into the columns in their final order. Used by TraceBuilder::finish only.
#pragma once

#include "analysis/trace/tracebuilder.h"

#include <vector>

namespace tuneline::analysis {

// Sets the lanes' ranges and all columns but parent, launch and depth. Returns external ids by event, or nothing where
// no device record needs one to find its launch.
[[nodiscard]] std::vector<std::uint64_t> fillColumns(Trace &trace, const EventRuns &runs);

} // namespace tuneline::analysis
