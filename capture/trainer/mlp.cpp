// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected layers over the flattened image.
#include "capture/trainer/models.h"

namespace tuneline::trainer {
namespace {

namespace nn = torch::nn;

class DenseBlock : public Block
{
public:
    DenseBlock(int64_t in, int64_t out)
        : m_linear(register_module("linear", nn::Linear(in, out)))
    { }
    torch::Tensor forward(const torch::Tensor &x) override { return torch::relu(m_linear->forward(x)); }

private:
    nn::Linear m_linear;
};

class Mlp : public Model
{
public:
    explicit Mlp(const Options &options)
        : m_first(register_module("first", nn::Linear(3 * options.imageSize * options.imageSize, options.width)))
        , m_blocks(register_module("layers", nn::ModuleList()))
        , m_head(register_module("head", nn::Linear(options.width, options.classes)))
    {
        for (int64_t i = 1; i < options.depth; ++i)
            m_blocks->push_back(std::make_shared<DenseBlock>(options.width, options.width));
    }

    torch::Tensor forward(const torch::Tensor &images) override
    {
        const torch::Tensor x = torch::relu(m_first->forward(images.flatten(1)));
        return m_head->forward(runAll(m_blocks, x));
    }

private:
    nn::Linear m_first;
    nn::ModuleList m_blocks;
    nn::Linear m_head;
};

} // namespace

std::shared_ptr<Model> makeMlp(const Options &options)
{
    return std::make_shared<Mlp>(options);
}

} // namespace tuneline::trainer
