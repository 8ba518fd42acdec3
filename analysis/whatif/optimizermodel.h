// SPDX-License-Identifier: GPL-3.0-or-later
// What the optimizer does in a step, and what a fused or multi-tensor one would take.
#pragma once

#include "analysis/whatif/runfacts.h"

#include <vector>

namespace tuneline::analysis {

struct OptimizerFigures
{
    std::vector<std::uint32_t> device; // records launched in the optimizer's scope, all steps
    std::vector<std::uint32_t> host; // its host nodes
    double kernelsPerStep = 0;
    double unfusedPerStep = 0; // of these, launched by operators on one tensor at a time
    double parameters = 0; // tensors; 0 = unknown
    double hostNs = 0, deviceNs = 0; // per step
    double movedNs = 0; // per step: device time beyond the smallest kernel's, that is, moving bytes
    double smallestNs = 0; // of a kernel here
    EventId scope; // one of the scopes
};

// Computed when first asked for, kept with the facts.
[[nodiscard]] const OptimizerFigures &optimizerFigures(const RunFacts &facts);
[[nodiscard]] bool inOptimizer(const RunFacts &facts, std::uint32_t node);

} // namespace tuneline::analysis
