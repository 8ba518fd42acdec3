// SPDX-License-Identifier: GPL-3.0-or-later
// What memory format costs: NCHW normalisation and pooling kernels, and biases that a norm subtracts again.
#pragma once

#include "analysis/whatif/runfacts.h"

namespace tuneline::analysis {

// Time of a batch-norm or pooling kernel on NCHW data if it were channels last; 0 = not such a kernel, or sizes
// unknown. `factor` scales the estimate.
[[nodiscard]] double channelsLastNs(const RunFacts &facts, std::uint32_t node, double factor);
// A kernel that adds or reduces the bias of a convolution that a batch norm follows.
[[nodiscard]] bool isBiasBeforeNorm(const RunFacts &facts, std::uint32_t node);

} // namespace tuneline::analysis
