// SPDX-License-Identifier: GPL-3.0-or-later
// What recording added to the host time of a trace, for each event (DESIGN section 4, capture slow-down).
#pragma once

#include "analysis/whatif/eventgraph.h"

namespace tuneline::analysis {

struct Analysis;

struct RecordingCost
{
    double low = 0, expected = 0, high = 0; // ns per recorded host event, low <= expected <= high; 0 = not known
};

// O(nodes + edges), about twenty replays where the capture states its slow-down.
[[nodiscard]] RecordingCost recordingCost(const Analysis &analysis, const EventGraph &graph);

} // namespace tuneline::analysis
