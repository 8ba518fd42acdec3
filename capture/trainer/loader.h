// SPDX-License-Identifier: GPL-3.0-or-later
// Batches for the training thread, from torch::data with loader threads (or none: then next() does the work).
#pragma once

#include "capture/trainer/samples.h"
#include "capture/trainer/torchpch.h"

namespace tuneline::trainer {

struct Batch
{
    torch::Tensor inputs; // float images or int64 tokens, in host memory
    torch::Tensor targets; // int64
};

class BatchSource
{
public:
    virtual ~BatchSource() = default;
    // Waits for the next batch, in the order of the samples. Throws what the loader thread threw. Training thread only.
    virtual Batch next() = 0;
};

// `firstBatch`: how many batches an earlier part of the run has used. Loader threads end with the source.
std::unique_ptr<BatchSource> makeBatchSource(std::shared_ptr<const Samples> samples, const Knobs &knobs, bool pinned,
                                             int64_t firstBatch);

} // namespace tuneline::trainer
