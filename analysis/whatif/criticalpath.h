// SPDX-License-Identifier: GPL-3.0-or-later
// What holds a replay up: the chain of nodes that each started just when the one before let it. Pure; any thread.
#pragma once

#include "analysis/whatif/replay.h"

#include <string>
#include <vector>

namespace tuneline::analysis {

class RunFacts;

struct PathShare
{
    std::string what; // "matrix products", "host operators", "waiting for input", …
    double share = 0; // of the chain, 0..1
};

// Largest share first; empty for an empty graph. O(nodes).
[[nodiscard]] std::vector<PathShare> criticalPath(const RunFacts &facts, const GraphState &state, const Replay &replay);

} // namespace tuneline::analysis
