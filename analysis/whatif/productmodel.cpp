// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/productmodel.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

// Share of the peak that cuBLAS and cuDNN reach on large products, measured on an H200 with torch 2.11 over 500 shapes
// each (forward and both gradients); the shapes do the rest.
constexpr double kFloatEfficiency = 0.72;
constexpr double kTf32Efficiency = 0.60; // forward 0.77, input gradient 0.68, weight gradient 0.45
constexpr double kHalfEfficiency = 0.73;
constexpr double kConvEfficiency = 0.50; // channels last
constexpr double kFloatConvEfficiency = 0.45;
constexpr double kMemoryEfficiency = 0.70;
constexpr double kFixedNs = 2000;
constexpr std::int64_t kTile = 128;

// A product smaller than the device leaves multiprocessors idle; splitting along k helps a little.
double fill(const DeviceRates &rates, const Product &p)
{
    const double tiles = static_cast<double>(p.batch) * std::ceil(static_cast<double>(p.m) / kTile)
        * std::ceil(static_cast<double>(p.n) / kTile);
    const double sms = std::max(1, rates.multiprocessors);
    const double waves = tiles / sms;
    if (waves >= 1)
        return waves / std::ceil(waves);
    const double split = std::clamp(static_cast<double>(p.k) / 512.0, 1.0, 1.0 / waves);
    return std::min(1.0, waves * split);
}

} // namespace

bool isProduct(const NodeWork &work)
{
    return work.cls == WorkClass::Matmul || work.cls == WorkClass::Convolution;
}

double productNs(const DeviceRates &rates, const Product &p, MathMode mode, bool channelsLast)
{
    const double peak = mode == MathMode::Float32 ? rates.fp32 : mode == MathMode::Tf32 ? rates.tf32 : rates.half;
    if (peak <= 0 || rates.memory <= 0)
        return 0;
    const double size = mode == MathMode::Half ? 2 : 4;
    const double bytes = size * static_cast<double>(p.elementsRead + p.elementsWritten);
    double efficiency = mode == MathMode::Half ? kHalfEfficiency
        : mode == MathMode::Tf32               ? kTf32Efficiency
                                               : kFloatEfficiency;
    if (p.convolution)
        efficiency = mode == MathMode::Float32 ? kFloatConvEfficiency : kConvEfficiency;
    const double compute = p.flops() / (peak * efficiency * std::max(0.02, fill(rates, p)));
    const double memory = bytes / (rates.memory * kMemoryEfficiency);
    double ns = 1e9 * std::max(compute, memory) + kFixedNs;
    // Tensor-core convolutions of NCHW tensors convert input and output first.
    if (p.convolution && mode != MathMode::Float32 && !channelsLast)
        ns += 1e9 * size * static_cast<double>(p.activationElements) / (rates.memory * kMemoryEfficiency);
    return ns;
}

bool isPlainFloatProduct(const RunFacts &facts, std::uint32_t node)
{
    const NodeWork &w = facts.work[node];
    return isProduct(w) && !w.tensorCore && facts.rates.tf32 > facts.rates.fp32
        && (w.type == NumberType::Float32 || w.type == NumberType::Unknown);
}

MathMode nvjetMode(std::string_view name)
{
    constexpr std::string_view kFamily = "nvjet_";
    const std::size_t family = name.find(kFamily);
    if (family == name.npos)
        return MathMode::Half;
    std::string_view rest = name.substr(family + kFamily.size());
    if (rest.starts_with("sm"))
        rest.remove_prefix(std::min(rest.size(), rest.find('_') + 1));
    return rest.starts_with('s') ? MathMode::Tf32 : MathMode::Half;
}

MathMode modeOf(const RunFacts &facts, std::uint32_t node)
{
    const NodeWork &w = facts.work[node];
    if (w.type == NumberType::BFloat16 || w.type == NumberType::Half)
        return MathMode::Half;
    const std::string_view name = facts.trace.name(facts.graph.nodes[node].event);
    if (name.find("nvjet_") != std::string_view::npos)
        return nvjetMode(name);
    if (w.tensorCore) {
        for (const char *half : {"bf16", "f16f16", "_h_", "16816", "hmma", "h1688", "s884", "h884"})
            if (name.find(half) != std::string_view::npos && name.find("tf32") == std::string_view::npos)
                return MathMode::Half;
        return MathMode::Tf32;
    }
    return MathMode::Float32;
}

} // namespace tuneline::analysis
