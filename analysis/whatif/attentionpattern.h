// SPDX-License-Identifier: GPL-3.0-or-later
// Attention written in pieces: a batched matmul, a softmax, a batched matmul on one thread, and its backward.
#pragma once

#include "analysis/whatif/runfacts.h"

#include <vector>

namespace tuneline::analysis {

struct AttentionBlock
{
    bool backward = false;
    std::int64_t heads = 0; // batch × heads
    std::int64_t queries = 0, keys = 0, dim = 0; // 0 = shapes are not recorded
    double matmulNs = 0; // of its matmul kernels now
    NumberType type = NumberType::Unknown;
    std::uint32_t step = RunFacts::kNone;
    std::vector<std::uint32_t> kernels; // device nodes from the first matmul to the last, inclusive
    std::vector<std::uint32_t> hostNodes; // operators that the fused one replaces
    EventId firstOp; // the first matmul
};

[[nodiscard]] std::vector<AttentionBlock> attentionBlocks(const RunFacts &facts);
// Device time of the fused kernels.
[[nodiscard]] double fusedAttentionNs(const DeviceRates &rates, const AttentionBlock &block);

} // namespace tuneline::analysis
