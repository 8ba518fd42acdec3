// SPDX-License-Identifier: GPL-3.0-or-later
// Mistakes that real training programs make, each done for real when --fault asks for it. Training thread only.
#pragma once

#include "capture/trainer/loader.h"
#include "capture/trainer/options.h"
#include "capture/trainer/runmarks.h"

namespace tuneline::trainer {

class Faults
{
public:
    Faults(const Options &options, RunMarks marks);

    // host-work: formats values of the batch as text, outside any operator.
    void afterLoad(const Batch &batch);
    // small-copies: one copy for each sample instead of one for the batch.
    bool copiesEachSample() const { return m_smallCopies; }
    static torch::Tensor copyEachSample(const torch::Tensor &host, torch::Device device, bool nonBlocking);
    // item-per-parameter: reads the norm of each gradient.
    void afterBackward(const std::vector<torch::Tensor> &parameters);
    // memory-growth: keeps inputs and undetached output. empty-cache: gives cached memory back.
    void afterStep(const torch::Tensor &inputs, const torch::Tensor &output);

private:
    const RunMarks m_marks;
    const bool m_itemPerParameter;
    const bool m_emptyCache;
    const bool m_smallCopies;
    const bool m_hostWork;
    const bool m_memoryGrowth;
    std::string m_dump;
    std::vector<torch::Tensor> m_kept;
};

} // namespace tuneline::trainer
