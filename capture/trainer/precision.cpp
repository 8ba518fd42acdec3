// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/precision.h"

#include <ATen/autocast_mode.h>

namespace tuneline::trainer {
namespace {

// As torch.amp.GradScaler has them.
constexpr double kFirstScale = 65536.0;
constexpr double kGrowth = 2.0;
constexpr double kBackoff = 0.5;
constexpr int64_t kGrowthInterval = 2000;

#if TUNELINE_TORCH_AT_LEAST(2, 4)
bool isEnabled(torch::Device device)
{
    return at::autocast::is_autocast_enabled(device.type());
}

void setEnabled(torch::Device device, bool enabled)
{
    at::autocast::set_autocast_enabled(device.type(), enabled);
}

void setType(torch::Device device, torch::ScalarType type)
{
    at::autocast::set_autocast_dtype(device.type(), type);
}
#else
bool isEnabled(torch::Device device)
{
    return device.is_cuda() ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled();
}

void setEnabled(torch::Device device, bool enabled)
{
    device.is_cuda() ? at::autocast::set_enabled(enabled) : at::autocast::set_cpu_enabled(enabled);
}

void setType(torch::Device device, torch::ScalarType type)
{
    device.is_cuda() ? at::autocast::set_autocast_gpu_dtype(type) : at::autocast::set_autocast_cpu_dtype(type);
}
#endif

} // namespace

Autocast::Autocast(const std::string &precision, torch::Device device)
    : m_enabled(precision == "bf16" || precision == "fp16")
    , m_device(device)
    , m_type(precision == "fp16" ? torch::kHalf : torch::kBFloat16)
{ }

Autocast::Scope::Scope(const Autocast &autocast)
    : m_autocast(autocast)
{
    if (!autocast.m_enabled)
        return;
    m_before = isEnabled(autocast.m_device);
    setType(autocast.m_device, autocast.m_type);
    setEnabled(autocast.m_device, true);
    at::autocast::increment_nesting();
}

Autocast::Scope::~Scope()
{
    if (!m_autocast.m_enabled)
        return;
    if (at::autocast::decrement_nesting() == 0)
        at::autocast::clear_cache();
    setEnabled(m_autocast.m_device, m_before);
}

void Autocast::setWeightCache(bool enabled) const
{
    at::autocast::set_autocast_cache_enabled(enabled);
}

void setTf32(bool allowed)
{
    at::globalContext().setAllowTF32CuBLAS(allowed);
    at::globalContext().setAllowTF32CuDNN(allowed);
}

LossScaler::LossScaler(bool enabled, torch::Device device)
    : m_enabled(enabled)
{
    if (!enabled)
        return;
    m_scale = torch::full({1}, kFirstScale, torch::TensorOptions(device).dtype(torch::kFloat));
    m_growth = torch::zeros({1}, torch::TensorOptions(device).dtype(torch::kInt));
    m_overflow = torch::zeros({1}, torch::TensorOptions(device).dtype(torch::kFloat));
}

torch::Tensor LossScaler::scaled(const torch::Tensor &loss) const
{
    return m_enabled ? loss * m_scale.squeeze() : loss;
}

bool LossScaler::unscale(const std::vector<torch::Tensor> &parameters)
{
    if (!m_enabled)
        return true;
    const torch::NoGradGuard noGrad;
    std::vector<torch::Tensor> gradients;
    for (const torch::Tensor &parameter : parameters) {
        if (parameter.grad().defined())
            gradients.push_back(parameter.grad());
    }
    m_overflow.zero_();
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, m_overflow, m_scale.reciprocal());
    return m_overflow.item<float>() == 0.0F;
}

void LossScaler::update()
{
    if (!m_enabled)
        return;
    const torch::NoGradGuard noGrad;
    at::_amp_update_scale_(m_scale, m_growth, m_overflow, kGrowth, kBackoff, kGrowthInterval);
}

void LossScaler::save(torch::serialize::OutputArchive &archive) const
{
    if (!m_enabled)
        return;
    archive.write("scale", m_scale);
    archive.write("growth", m_growth);
}

void LossScaler::load(torch::serialize::InputArchive &archive)
{
    if (!m_enabled)
        return;
    archive.read("scale", m_scale);
    archive.read("growth", m_growth);
}

} // namespace tuneline::trainer
