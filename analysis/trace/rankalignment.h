// SPDX-License-Identifier: GPL-3.0-or-later
// Clocks of ranks on different machines: a collective ends at nearly the same moment everywhere, so its ends tell how
// far the clocks are apart. Used by TimeAxis only.
#pragma once

#include "analysis/trace/tracebuilder.h"

#include <span>
#include <vector>

namespace tuneline::analysis {

// `offsets`: by source, what leads from its clock to the common one so far. Returns what to add to each, and writes
// Source::alignment and a line of the report. Ranks on one machine share its clock and are only measured.
[[nodiscard]] std::vector<std::int64_t>
alignRanks(Trace &trace, const EventRuns &runs, const std::vector<std::int64_t> &offsets, const CollectiveNamer &namer);

} // namespace tuneline::analysis
