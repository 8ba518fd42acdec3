// SPDX-License-Identifier: GPL-3.0-or-later
// SGD with momentum and AdamW, one parameter after the other (LibTorch's own) or all parameters in one call per
// operation (foreach). Training thread only.
#pragma once

#include "capture/trainer/options.h"
#include "capture/trainer/torchpch.h"

namespace tuneline::trainer {

class Optimizer
{
public:
    explicit Optimizer(std::vector<torch::Tensor> parameters)
        : m_parameters(std::move(parameters))
    { }
    virtual ~Optimizer() = default;
    virtual void step() = 0;
    // True where step() needs nothing from the host that changes, so that a CUDA graph may hold it.
    virtual bool canBeCaptured() const = 0;
    virtual void save(torch::serialize::OutputArchive &archive) const = 0;
    virtual void load(torch::serialize::InputArchive &archive) = 0;

    const std::vector<torch::Tensor> &parameters() const { return m_parameters; }
    // memset: fills the gradients with zeros, one launch each; otherwise drops them, for backward to make new ones.
    void zeroGradients(bool memset);

private:
    std::vector<torch::Tensor> m_parameters;
};

std::unique_ptr<Optimizer> makeOptimizer(const Options &options, std::vector<torch::Tensor> parameters);
std::unique_ptr<Optimizer> makeForeachOptimizer(const Options &options, std::vector<torch::Tensor> parameters);

} // namespace tuneline::trainer
