// SPDX-License-Identifier: GPL-3.0-or-later
// The networks. Built on the CPU by the training thread, which then moves them to the device and alone uses them.
#pragma once

#include "capture/trainer/options.h"
#include "capture/trainer/precision.h"
#include "capture/trainer/samples.h"
#include "capture/trainer/torchpch.h"

namespace tuneline::trainer {

// A part of a network that activation checkpointing can recompute: one tensor in, one out, no random numbers.
class Block : public torch::nn::Module
{
public:
    virtual torch::Tensor forward(const torch::Tensor &x) = 0;
};

// Gives the logits [rows, classes]. `recompute` is null, or what backward needs to compute the blocks once more.
class Model : public torch::nn::Module
{
public:
    virtual torch::Tensor forward(const torch::Tensor &input) = 0;
    void setRecompute(const Autocast *autocast) { m_recompute = autocast; }

protected:
    torch::Tensor run(Block &block, const torch::Tensor &x) const;
    torch::Tensor runAll(const torch::nn::ModuleList &blocks, torch::Tensor x) const;

private:
    const Autocast *m_recompute = nullptr; // set where blocks are to be checkpointed
};

std::shared_ptr<Model> makeModel(const Options &options);
std::shared_ptr<Model> makeCnn(const Options &options);
std::shared_ptr<Model> makeGpt(const Options &options);
std::shared_ptr<Model> makeMlp(const Options &options);

// The output of the block without its inner activations, which backward computes again. The block and autocast must
// outlive the backward pass.
torch::Tensor checkpointed(Block &block, const Autocast &autocast, const torch::Tensor &x);

} // namespace tuneline::trainer
