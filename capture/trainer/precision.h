// SPDX-License-Identifier: GPL-3.0-or-later
// Mixed precision: autocast for a scope, and the loss scaling that fp16 needs. Training thread, and for recomputed
// blocks LibTorch's backward thread.
#pragma once

#include "capture/trainer/torchpch.h"

#include <string>
#include <vector>

namespace tuneline::trainer {

// What autocast is to be inside a Scope; immutable.
class Autocast
{
public:
    Autocast(const std::string &precision, torch::Device device);

    // Switches autocast on for the calling thread until it goes out of scope; nothing in fp32 and tf32.
    class Scope
    {
    public:
        explicit Scope(const Autocast &autocast);
        ~Scope();
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

    private:
        const Autocast &m_autocast;
        bool m_before = false;
    };

    // A CUDA graph may not keep the weights that autocast converted for an earlier step.
    void setWeightCache(bool enabled) const;

private:
    bool m_enabled;
    torch::Device m_device;
    torch::ScalarType m_type;
};

// TF32 in matrix products and convolutions of fp32 tensors: on for tf32, off for everything else.
void setTf32(bool allowed);

// Scales the loss so that small fp16 gradients don't vanish, and skips the update when one overflowed.
class LossScaler
{
public:
    LossScaler(bool enabled, torch::Device device);

    torch::Tensor scaled(const torch::Tensor &loss) const;
    // Divides the gradients by the scale. False: one of them is not finite, leave the update out. Reads from the
    // device.
    bool unscale(const std::vector<torch::Tensor> &parameters);
    // Grows or shrinks the scale, once per step after unscale().
    void update();
    bool enabled() const { return m_enabled; }

    void save(torch::serialize::OutputArchive &archive) const;
    void load(torch::serialize::InputArchive &archive);

private:
    bool m_enabled;
    torch::Tensor m_scale; // one float on the device
    torch::Tensor m_growth; // steps since the scale changed
    torch::Tensor m_overflow; // not zero where a gradient was not finite
};

} // namespace tuneline::trainer
