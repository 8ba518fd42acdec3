// SPDX-License-Identifier: GPL-3.0-or-later
// A residual network of basic blocks (He et al. 2015), four stages that each halve the side and double the channels.
#include "capture/trainer/models.h"

namespace tuneline::trainer {
namespace {

namespace nn = torch::nn;

constexpr int kStages = 4;

nn::Conv2d convolution(int64_t in, int64_t out, int64_t side, int64_t stride, bool bias)
{
    nn::Conv2d layer(nn::Conv2dOptions(in, out, side).stride(stride).padding(side / 2).bias(bias));
    nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
    return layer;
}

class ResidualBlock : public Block
{
public:
    ResidualBlock(int64_t in, int64_t out, int64_t stride, bool bias)
        : m_first(register_module("conv1", convolution(in, out, 3, stride, bias)))
        , m_firstNorm(register_module("bn1", nn::BatchNorm2d(out)))
        , m_second(register_module("conv2", convolution(out, out, 3, 1, bias)))
        , m_secondNorm(register_module("bn2", nn::BatchNorm2d(out)))
    {
        if (stride == 1 && in == out)
            return;
        m_skip = register_module("downsample", convolution(in, out, 1, stride, bias));
        m_skipNorm = register_module("downsample_bn", nn::BatchNorm2d(out));
    }

    torch::Tensor forward(const torch::Tensor &x) override
    {
        torch::Tensor y = torch::relu(m_firstNorm->forward(m_first->forward(x)));
        y = m_secondNorm->forward(m_second->forward(y));
        return torch::relu(y + (m_skip ? m_skipNorm->forward(m_skip->forward(x)) : x));
    }

private:
    nn::Conv2d m_first;
    nn::BatchNorm2d m_firstNorm;
    nn::Conv2d m_second;
    nn::BatchNorm2d m_secondNorm;
    nn::Conv2d m_skip{nullptr};
    nn::BatchNorm2d m_skipNorm{nullptr};
};

class Cnn : public Model
{
public:
    explicit Cnn(const Options &options)
        : m_stem(register_module("conv1", convolution(3, options.width, 3, 2, options.convBias)))
        , m_stemNorm(register_module("bn1", nn::BatchNorm2d(options.width)))
        , m_blocks(register_module("layers", nn::ModuleList()))
        , m_head(register_module("fc", nn::Linear(options.width << (kStages - 1), options.classes)))
    {
        int64_t in = options.width;
        for (int stage = 0; stage < kStages; ++stage) {
            const int64_t out = options.width << stage;
            for (int64_t i = 0; i < options.depth; ++i) {
                const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
                m_blocks->push_back(std::make_shared<ResidualBlock>(in, out, stride, options.convBias));
                in = out;
            }
        }
    }

    torch::Tensor forward(const torch::Tensor &images) override
    {
        torch::Tensor x = torch::relu(m_stemNorm->forward(m_stem->forward(images)));
        x = runAll(m_blocks, x);
        return m_head->forward(x.mean({2, 3}));
    }

private:
    nn::Conv2d m_stem;
    nn::BatchNorm2d m_stemNorm;
    nn::ModuleList m_blocks;
    nn::Linear m_head;
};

} // namespace

std::shared_ptr<Model> makeCnn(const Options &options)
{
    return std::make_shared<Cnn>(options);
}

} // namespace tuneline::trainer
