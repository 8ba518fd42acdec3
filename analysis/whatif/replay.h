// SPDX-License-Identifier: GPL-3.0-or-later
// Replays an event graph: each node starts when all that it depends on has ended. Durations and dependencies only.
#pragma once

#include "analysis/whatif/eventgraph.h"

#include <limits>
#include <vector>

namespace tuneline::analysis {

// The part of a graph that a change may alter: a node that goes away has duration 0. Start from stateOf(graph), alter,
// replay. Owned by one thread.
struct GraphState
{
    std::vector<std::int64_t> duration; // per node, ns
    std::vector<std::int64_t> lag; // per edge, ns; kCut = the edge is gone

    static constexpr std::int64_t kCut = std::numeric_limits<std::int64_t>::min();
};

[[nodiscard]] GraphState stateOf(const EventGraph &graph);

struct Replay
{
    std::int64_t stepNs = 0; // median over the steps, on the side that limits (DESIGN section 4)
    std::int64_t hostStepNs = 0; // likewise, on the training thread
    std::vector<std::int64_t> steps; // each step, ns
    std::vector<std::int64_t> start; // per node, ns from the replay's own zero
    std::vector<std::int64_t> end;
    bool hostRunsAhead = false;
};

// O(nodes + edges).
[[nodiscard]] Replay replay(const EventGraph &graph, const GraphState &state);
void replayInto(const EventGraph &graph, const GraphState &state, Replay &result); // uses the memory it has

// Takes `costNs` out of host durations for each recorded host event (DESIGN section 4, capture slow-down).
void removeRecordingCost(const EventGraph &graph, double costNs, GraphState &state);

} // namespace tuneline::analysis
