// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/models.h"

namespace tuneline::trainer {
namespace {

// An autograd context holds tensors and plain values only; the objects themselves outlive the backward pass.
int64_t toValue(const void *pointer)
{
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
}

template <typename T> T &fromValue(const c10::IValue &value)
{
    return *reinterpret_cast<T *>(static_cast<intptr_t>(value.toInt()));
}

struct Recompute : torch::autograd::Function<Recompute>
{
    // Runs without grad mode, so the activations inside the block are freed at once.
    static torch::Tensor forward(torch::autograd::AutogradContext *context, const torch::Tensor &x, int64_t block,
                                 int64_t autocast)
    {
        context->saved_data["block"] = block;
        context->saved_data["autocast"] = autocast;
        context->save_for_backward({x});
        return fromValue<Block>(block).forward(x);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                   torch::autograd::variable_list gradients)
    {
        const torch::Tensor saved = context->get_saved_variables()[0];
        const torch::Tensor x = saved.detach().requires_grad_(saved.requires_grad());
        torch::Tensor y;
        {
            const torch::AutoGradMode grad(true);
            const Autocast::Scope cast(fromValue<const Autocast>(context->saved_data["autocast"]));
            y = fromValue<Block>(context->saved_data["block"]).forward(x);
        }
        // Leaves the parameters' gradients where an ordinary backward pass would.
        torch::autograd::backward({y}, {gradients[0]});
        return {x.grad(), torch::Tensor(), torch::Tensor()};
    }
};

} // namespace

torch::Tensor checkpointed(Block &block, const Autocast &autocast, const torch::Tensor &x)
{
    return Recompute::apply(x, toValue(&block), toValue(&autocast));
}

torch::Tensor Model::run(Block &block, const torch::Tensor &x) const
{
    return m_recompute ? checkpointed(block, *m_recompute, x) : block.forward(x);
}

torch::Tensor Model::runAll(const torch::nn::ModuleList &blocks, torch::Tensor x) const
{
    for (const auto &module : *blocks)
        x = run(*module->as<Block>(), x);
    return x;
}

std::shared_ptr<Model> makeModel(const Options &options)
{
    if (options.knobs.model == "gpt")
        return makeGpt(options);
    return options.knobs.model == "mlp" ? makeMlp(options) : makeCnn(options);
}

} // namespace tuneline::trainer
