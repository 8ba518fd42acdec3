// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder-only transformer: pre-norm blocks of causal attention and a feed-forward layer.
#include "capture/trainer/models.h"
#include "capture/trainer/usererror.h"

#include <cmath>

namespace tuneline::trainer {
namespace {

namespace nn = torch::nn;

#if TUNELINE_TORCH_AT_LEAST(2, 0)
constexpr bool kHasSdpa = true;
torch::Tensor fusedAttention(const torch::Tensor &q, const torch::Tensor &k, const torch::Tensor &v)
{
    return at::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
}
#else
constexpr bool kHasSdpa = false;
torch::Tensor fusedAttention(const torch::Tensor &, const torch::Tensor &, const torch::Tensor &)
{
    usageError("--attention sdpa needs LibTorch 2.0 or later");
}
#endif

class TransformerBlock : public Block
{
public:
    explicit TransformerBlock(const Options &options)
        : m_heads(options.heads)
        , m_fused(options.attention == "sdpa")
        , m_attentionNorm(register_module("ln1", nn::LayerNorm(nn::LayerNormOptions({options.width}))))
        , m_qkv(register_module("qkv", nn::Linear(options.width, 3 * options.width)))
        , m_projection(register_module("proj", nn::Linear(options.width, options.width)))
        , m_forwardNorm(register_module("ln2", nn::LayerNorm(nn::LayerNormOptions({options.width}))))
        , m_up(register_module("up", nn::Linear(options.width, 4 * options.width)))
        , m_down(register_module("down", nn::Linear(4 * options.width, options.width)))
        , m_mask(register_buffer("mask", torch::ones({options.sequence, options.sequence}, torch::kBool).triu(1)))
    { }

    torch::Tensor forward(const torch::Tensor &x) override
    {
        const torch::Tensor y = x + attention(m_attentionNorm->forward(x));
        return y + m_down->forward(torch::gelu(m_up->forward(m_forwardNorm->forward(y))));
    }

private:
    torch::Tensor attention(const torch::Tensor &x)
    {
        const int64_t batch = x.size(0);
        const int64_t length = x.size(1);
        const int64_t width = x.size(2);
        const torch::Tensor qkv = m_qkv->forward(x).view({batch, length, 3, m_heads, width / m_heads});
        const torch::Tensor q = qkv.select(2, 0).transpose(1, 2);
        const torch::Tensor k = qkv.select(2, 1).transpose(1, 2);
        const torch::Tensor v = qkv.select(2, 2).transpose(1, 2);
        const torch::Tensor mixed = m_fused ? fusedAttention(q, k, v) : plainAttention(q, k, v);
        return m_projection->forward(mixed.transpose(1, 2).reshape({batch, length, width}));
    }

    torch::Tensor plainAttention(const torch::Tensor &q, const torch::Tensor &k, const torch::Tensor &v)
    {
        const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
        const torch::Tensor scores = torch::matmul(q, k.transpose(2, 3)) * scale;
        return torch::matmul(torch::softmax(scores.masked_fill(m_mask, -1e4), -1), v);
    }

    const int64_t m_heads;
    const bool m_fused;
    nn::LayerNorm m_attentionNorm;
    nn::Linear m_qkv;
    nn::Linear m_projection;
    nn::LayerNorm m_forwardNorm;
    nn::Linear m_up;
    nn::Linear m_down;
    torch::Tensor m_mask; // true above the diagonal: tokens still to come
};

class Gpt : public Model
{
public:
    explicit Gpt(const Options &options)
        : m_vocab(options.vocab)
        , m_tokens(register_module("tokens", nn::Embedding(options.vocab, options.width)))
        , m_positions(register_parameter("positions", 0.02 * torch::randn({options.sequence, options.width})))
        , m_blocks(register_module("blocks", nn::ModuleList()))
        , m_norm(register_module("norm", nn::LayerNorm(nn::LayerNormOptions({options.width}))))
        , m_head(register_module("head", nn::Linear(nn::LinearOptions(options.width, options.vocab).bias(false))))
    {
        if (options.attention == "sdpa" && !kHasSdpa)
            usageError("--attention sdpa needs LibTorch 2.0 or later");
        for (int64_t i = 0; i < options.depth; ++i)
            m_blocks->push_back(std::make_shared<TransformerBlock>(options));
        const torch::NoGradGuard noGrad;
        m_tokens->weight.normal_(0.0, 0.02);
        m_head->weight.normal_(0.0, 0.02);
    }

    torch::Tensor forward(const torch::Tensor &tokens) override
    {
        const torch::Tensor x = m_tokens->forward(tokens) + m_positions;
        return m_head->forward(m_norm->forward(runAll(m_blocks, x))).view({-1, m_vocab});
    }

private:
    const int64_t m_vocab;
    nn::Embedding m_tokens;
    torch::Tensor m_positions;
    nn::ModuleList m_blocks;
    nn::LayerNorm m_norm;
    nn::Linear m_head;
};

} // namespace

std::shared_ptr<Model> makeGpt(const Options &options)
{
    return std::make_shared<Gpt>(options);
}

} // namespace tuneline::trainer
