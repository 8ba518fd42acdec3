// SPDX-License-Identifier: GPL-3.0-or-later
// What needs LibTorch's CUDA headers, which exist only where LibTorch was built with CUDA. Without it the functions
// throw UserError(Usage), but options refuse such runs before. Training thread only.
#pragma once

#include "capture/trainer/torchpch.h"

#include <functional>
#include <memory>

namespace tuneline::trainer {

std::string deviceName(torch::Device device); // "cpu", or the GPU's product name
void emptyDeviceCache();

// Runs the whole training on a stream of its own (a graph can't be captured on the default one), and records one step.
class StepGraph
{
public:
    explicit StepGraph(torch::Device device);
    ~StepGraph();
    StepGraph(const StepGraph &) = delete;
    StepGraph &operator=(const StepGraph &) = delete;

    void capture(const std::function<void()> &step);
    void replay();
    bool captured() const { return m_captured; }

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
    bool m_captured = false;
};

} // namespace tuneline::trainer
