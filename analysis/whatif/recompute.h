// SPDX-License-Identifier: GPL-3.0-or-later
// Which work is a forward pass run again inside backward (activation checkpointing), and which belongs to the loss.
#pragma once

#include "analysis/whatif/runfacts.h"

#include <vector>

namespace tuneline::analysis {

// By node, host and device. O(n).
[[nodiscard]] std::vector<bool> recomputed(const RunFacts &facts);
[[nodiscard]] bool isLoss(const RunFacts &facts, std::uint32_t node);

} // namespace tuneline::analysis
