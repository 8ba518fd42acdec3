// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/optimizer.h"

#include <cmath>

namespace tuneline::trainer {
namespace {

using Tensors = std::vector<torch::Tensor>;

// The state tensors of all parameters under one name: name0, name1, …
void write(torch::serialize::OutputArchive &archive, const std::string &name, const Tensors &tensors)
{
    for (size_t i = 0; i < tensors.size(); ++i)
        archive.write(name + std::to_string(i), tensors[i], true);
}

void read(torch::serialize::InputArchive &archive, const std::string &name, Tensors &tensors)
{
    for (size_t i = 0; i < tensors.size(); ++i)
        archive.read(name + std::to_string(i), tensors[i], true);
}

Tensors zerosLike(const Tensors &tensors)
{
    Tensors zeros;
    for (const torch::Tensor &tensor : tensors)
        zeros.push_back(torch::zeros_like(tensor));
    return zeros;
}

Tensors gradientsOf(const Tensors &parameters)
{
    Tensors gradients;
    for (const torch::Tensor &parameter : parameters)
        gradients.push_back(parameter.grad());
    return gradients;
}

class ForeachSgd : public Optimizer
{
public:
    ForeachSgd(const Options &options, Tensors parameters)
        : Optimizer(std::move(parameters))
        , m_rate(options.learningRate)
        , m_momentum(options.momentum)
        , m_decay(options.weightDecay)
        , m_velocity(zerosLike(this->parameters()))
    { }

    void step() override
    {
        const torch::NoGradGuard noGrad;
        Tensors gradients = gradientsOf(parameters());
        if (m_decay != 0)
            gradients = at::_foreach_add(gradients, parameters(), m_decay);
        at::_foreach_mul_(m_velocity, m_momentum);
        at::_foreach_add_(m_velocity, gradients, 1.0);
        at::_foreach_add_(parameters(), m_velocity, -m_rate);
    }

    bool canBeCaptured() const override { return true; }
    void save(torch::serialize::OutputArchive &archive) const override { write(archive, "velocity", m_velocity); }
    void load(torch::serialize::InputArchive &archive) override { read(archive, "velocity", m_velocity); }

private:
    const double m_rate;
    const double m_momentum;
    const double m_decay;
    Tensors m_velocity;
};

class ForeachAdamW : public Optimizer
{
public:
    ForeachAdamW(const Options &options, Tensors parameters)
        : Optimizer(std::move(parameters))
        , m_rate(options.learningRate)
        , m_decay(options.weightDecay)
        , m_mean(zerosLike(this->parameters()))
        , m_square(zerosLike(this->parameters()))
    { }

    void step() override
    {
        constexpr double kBeta1 = 0.9;
        constexpr double kBeta2 = 0.999;
        constexpr double kEpsilon = 1e-8;
        const torch::NoGradGuard noGrad;
        const Tensors gradients = gradientsOf(parameters());
        const auto count = static_cast<double>(++m_steps);
        at::_foreach_mul_(parameters(), 1.0 - m_rate * m_decay);
        at::_foreach_mul_(m_mean, kBeta1);
        at::_foreach_add_(m_mean, gradients, 1.0 - kBeta1);
        at::_foreach_mul_(m_square, kBeta2);
        at::_foreach_addcmul_(m_square, gradients, gradients, 1.0 - kBeta2);
        Tensors divisor = at::_foreach_sqrt(m_square);
        at::_foreach_div_(divisor, std::sqrt(1.0 - std::pow(kBeta2, count)));
        at::_foreach_add_(divisor, kEpsilon);
        at::_foreach_addcdiv_(parameters(), m_mean, divisor, -m_rate / (1.0 - std::pow(kBeta1, count)));
    }

    bool canBeCaptured() const override { return false; }

    void save(torch::serialize::OutputArchive &archive) const override
    {
        archive.write("steps", torch::tensor(m_steps), true);
        write(archive, "mean", m_mean);
        write(archive, "square", m_square);
    }

    void load(torch::serialize::InputArchive &archive) override
    {
        torch::Tensor steps;
        archive.read("steps", steps, true);
        m_steps = steps.item<int64_t>();
        read(archive, "mean", m_mean);
        read(archive, "square", m_square);
    }

private:
    const double m_rate;
    const double m_decay;
    int64_t m_steps = 0;
    Tensors m_mean;
    Tensors m_square;
};

} // namespace

std::unique_ptr<Optimizer> makeForeachOptimizer(const Options &options, std::vector<torch::Tensor> parameters)
{
    if (options.knobs.optimizer == "sgd-multi")
        return std::make_unique<ForeachSgd>(options, std::move(parameters));
    return std::make_unique<ForeachAdamW>(options, std::move(parameters));
}

} // namespace tuneline::trainer
