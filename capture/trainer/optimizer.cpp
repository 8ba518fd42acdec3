// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/optimizer.h"

namespace tuneline::trainer {
namespace {

// torch::optim, which updates one parameter after the other.
class SingleTensorOptimizer : public Optimizer
{
public:
    SingleTensorOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer, std::vector<torch::Tensor> parameters,
                          bool canBeCaptured)
        : Optimizer(std::move(parameters))
        , m_optimizer(std::move(optimizer))
        , m_canBeCaptured(canBeCaptured)
    { }

    void step() override { m_optimizer->step(); }
    bool canBeCaptured() const override { return m_canBeCaptured; }
    void save(torch::serialize::OutputArchive &archive) const override { m_optimizer->save(archive); }
    void load(torch::serialize::InputArchive &archive) override { m_optimizer->load(archive); }

private:
    const std::unique_ptr<torch::optim::Optimizer> m_optimizer;
    const bool m_canBeCaptured;
};

} // namespace

void Optimizer::zeroGradients(bool memset)
{
    for (torch::Tensor &parameter : m_parameters) {
        torch::Tensor &gradient = parameter.mutable_grad();
        if (!gradient.defined())
            continue;
        if (memset)
            gradient.detach_().zero_();
        else
            gradient.reset();
    }
}

std::unique_ptr<Optimizer> makeOptimizer(const Options &options, std::vector<torch::Tensor> parameters)
{
    namespace optim = torch::optim;
    const std::string &name = options.knobs.optimizer;
    if (name == "sgd-multi" || name == "adamw-multi")
        return makeForeachOptimizer(options, std::move(parameters));
    std::unique_ptr<optim::Optimizer> optimizer;
    if (name == "sgd") {
        const auto settings =
            optim::SGDOptions(options.learningRate).momentum(options.momentum).weight_decay(options.weightDecay);
        optimizer = std::make_unique<optim::SGD>(parameters, settings);
    } else {
        const auto settings = optim::AdamWOptions(options.learningRate).weight_decay(options.weightDecay);
        optimizer = std::make_unique<optim::AdamW>(parameters, settings);
    }
    // AdamW's bias correction is a number of the host that changes with every step.
    return std::make_unique<SingleTensorOptimizer>(std::move(optimizer), std::move(parameters), name == "sgd");
}

} // namespace tuneline::trainer
