// SPDX-License-Identifier: GPL-3.0-or-later
// Other number types: TF32, and autocast to bf16 or fp16.
#include "analysis/whatif/productmodel.h"

#include <algorithm>
#include <unordered_map>

namespace tuneline::analysis {

namespace {

// All product kernels of one operator: a convolution's backward has several.
struct OpKernels
{
    std::vector<std::uint32_t> products;
    std::vector<std::uint32_t> helpers; // transforms, paddings, conversions of the present algorithm
    std::vector<std::uint32_t> transforms; // likewise, of a convolution whose shapes are not known
    bool fast = false; // one of them is as fast as wanted
    double ns = 0; // of the products
};

constexpr double kHelperFactor = 0.9; // layout conversions of half the bytes: measured 0.87 and 0.97

bool fasterMode(MathMode now, MathMode wanted)
{
    return static_cast<int>(wanted) > static_cast<int>(now);
}

bool isConvolution(const RunFacts &facts, EventId op)
{
    return facts.trace.name(op).find("conv") != std::string_view::npos;
}

// Products of one kind that run in the wanted mode by half of their kernels: it is switched on, and where the library
// still picks another algorithm it will again. PyTorch has a switch for convolutions and one for matmuls.
struct SwitchedOn
{
    bool convolutions = false, matmuls = false;
};

SwitchedOn switchedOn(const RunFacts &facts, MathMode wanted)
{
    std::size_t fast[2] = {0, 0}, all[2] = {0, 0};
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const NodeWork &w = facts.work[i];
        if (!isProduct(w) || w.type == NumberType::Double)
            continue;
        const std::size_t kind = w.cls == WorkClass::Convolution ? 0 : 1;
        ++all[kind];
        fast[kind] += fasterMode(modeOf(facts, i), wanted) ? 0 : 1;
    }
    return {2 * fast[0] > all[0], 2 * fast[1] > all[1]};
}

std::unordered_map<std::uint32_t, OpKernels> kernelsOfOps(const GraphEdit &edit, MathMode wanted)
{
    std::unordered_map<std::uint32_t, OpKernels> ops;
    const auto &facts = edit.facts;
    const SwitchedOn on = switchedOn(facts, wanted);
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const NodeWork &w = facts.work[i];
        const bool convolution = w.cls == WorkClass::Convolution || (w.op.valid() && isConvolution(facts, w.op));
        if (convolution ? on.convolutions : on.matmuls)
            continue;
        if (w.op.valid() && (w.cls == WorkClass::Other || w.cls == WorkClass::Layout)) {
            const auto &p = facts.product(w.op);
            if (p && p->convolution)
                ops[w.op.value].helpers.push_back(i);
            // Transforms (FFT, Winograd) are part of the product; without shapes only its whole time tells how large
            // it is.
            else if (!p && w.cls == WorkClass::Other && isConvolution(facts, w.op) && !w.tensorCore) {
                ops[w.op.value].transforms.push_back(i);
            }
            continue;
        }
        if (!isProduct(w) || w.type == NumberType::Double)
            continue;
        if (!fasterMode(modeOf(facts, i), wanted)) {
            if (w.op.valid())
                ops[w.op.value].fast = true;
            continue;
        }
        OpKernels &op = ops[w.op.valid() ? w.op.value : i | 0x80000000U];
        op.products.push_back(i);
        op.ns += static_cast<double>(edit.state.duration[i]);
    }
    return ops;
}

// Without shapes: the kernel's time by the rates alone.
double factorWithoutShapes(const DeviceRates &rates, MathMode now, MathMode wanted)
{
    const auto rate = [&](MathMode m) {
        return m == MathMode::Float32 ? 0.72 * rates.fp32 : m == MathMode::Tf32 ? 0.5 * rates.tf32 : 0.6 * rates.half;
    };
    return rate(wanted) > 0 ? std::min(1.0, 1.5 * rate(now) / rate(wanted)) : 1.0;
}

void speedUpProducts(GraphEdit &edit, MathMode wanted)
{
    const auto &facts = edit.facts;
    for (const auto &[op, kernels] : kernelsOfOps(edit, wanted)) {
        if (kernels.products.empty()) {
            // Fast already, or an algorithm without a product kernel, of an operator whose shapes are not known.
            if (!kernels.fast)
                for (const std::uint32_t k : kernels.transforms)
                    edit.scale(k,
                               factorWithoutShapes(facts.rates, MathMode::Float32, wanted) * edit.pick(1.3, 1.0, 0.8));
            continue;
        }
        const std::uint32_t first = kernels.products.front();
        const auto &product = facts.product(facts.work[first].op);
        const MathMode now = modeOf(facts, first);
        const bool tensorCores = now != MathMode::Float32;
        double factor = 0;
        if (product && tensorCores) {
            // The same library on the same units: only the rate and the bytes change.
            factor = productNs(facts.rates, *product, wanted, true) / productNs(facts.rates, *product, now, true);
        } else if (product) {
            const double count =
                product->backward ? std::min<double>(2, static_cast<double>(kernels.products.size())) : 1;
            factor = count * productNs(facts.rates, *product, wanted, false) / kernels.ns;
        } else {
            factor = factorWithoutShapes(facts.rates, now, wanted);
        }
        factor = std::min(1.0, factor * edit.pick(1.3, 1.0, 0.8));
        for (const std::uint32_t k : kernels.products)
            edit.scale(k, factor);
        for (const std::uint32_t k : kernels.transforms)
            edit.scale(k, factor);
        for (const std::uint32_t k :
             kernels.helpers) // without tensor cores now: the estimate has the new algorithm's own
            edit.scale(k, tensorCores ? kHelperFactor : 0);
    }
    if (facts.rates.known)
        edit.assume("Products reach the usual share of the device's peak rate for their size (" + facts.rates.name
                    + ").");
    else
        edit.assume("The device's rates are guessed from its generation: its name is not in the table.");
}

bool isBatchNorm(std::string_view name)
{
    return name.find("batch_norm") != std::string_view::npos || name.find("bn_") != std::string_view::npos;
}

// What autocast does to the kernels between the products, measured on six pairs: convolutional networks carry bf16
// through ReLU and batch norm, transformers keep normalisation and softmax in FP32.
double activationFactor(const GraphEdit &edit, std::uint32_t node, bool convolutional)
{
    const auto &facts = edit.facts;
    const NodeWork &w = facts.work[node];
    switch (w.cls) {
    case WorkClass::Pointwise:
        return convolutional ? edit.pick(0.7, 0.6, 0.55) : edit.pick(1.0, 0.9, 0.75);
    case WorkClass::Reduction:
        return edit.pick(0.9, 0.7, 0.6);
    case WorkClass::Attention: // from the memory-efficient kernel on plain FP32 units to flash attention
        return std::min(1.0, 0.5 * facts.rates.fp32 / (0.25 * facts.rates.half));
    case WorkClass::Norm: {
        const std::string_view name = facts.trace.name(facts.graph.nodes[node].event);
        // cuDNN has no fast half-precision batch norm for NCHW: PyTorch's own kernel takes over.
        if (!isBatchNorm(name))
            return 1;
        return name.find("channels_last") != std::string_view::npos ? 1.1 : edit.pick(1.5, 1.4, 1.3);
    }
    default:
        return 1;
    }
}

void castActivations(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const bool convolutional = std::any_of(facts.work.begin(), facts.work.end(),
                                           [](const NodeWork &w) { return w.cls == WorkClass::Convolution; });
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const NodeWork &w = facts.work[i];
        if (w.cls == WorkClass::None || w.type == NumberType::Half || w.type == NumberType::BFloat16
            || (facts.launchedWithin(i) & (HostTrait::kOptimizer | HostTrait::kZeroGrad)) != 0)
            continue;
        if (const double factor = activationFactor(edit, i, convolutional); factor != 1)
            edit.scale(i, factor);
    }
}

// Each product with a weight gets casts: of its input and its weight before it, of both gradients after it.
void addCasts(GraphEdit &edit)
{
    constexpr double kCastsPerProduct = 3; // forward; as many again in backward, where gradients return to FP32
    const auto &facts = edit.facts;
    const double hostNs = kCastsPerProduct * edit.pick(35e3, 18e3, 8e3);
    std::vector<bool> done(facts.trace.events.size(), false);
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const NodeWork &w = facts.work[i];
        if (!isProduct(w) || !w.op.valid() || done[w.op.value] || modeOf(facts, i) == MathMode::Half)
            continue;
        done[w.op.value] = true;
        const auto &p = facts.product(w.op);
        const bool ofActivations = p ? p->batch > 1 : facts.trace.name(w.op).find("bmm") != std::string_view::npos;
        if (ofActivations || w.call == RunFacts::kNone)
            continue; // products of activations find bf16 inputs
        // Convolutions pass bf16 on to each other: only weights and their gradients are cast.
        const double casts = (p ? p->convolution : isConvolution(facts, w.op)) ? 0.36 : 1.0;
        edit.addHost(w.call, casts * hostNs);
        if (!p)
            continue;
        const double elements = static_cast<double>(p->convolution ? p->n * p->k : p->elementsRead / 2 + p->n * p->k);
        edit.setDuration(i,
                         static_cast<double>(edit.state.duration[i]) + 1e9 * 6 * elements / (0.7 * facts.rates.memory));
    }
    edit.assume(
        "Autocast adds about three casts for each weighted product, forward and backward, with their host time.");
}

} // namespace

bool applyPrecisionChange(const Change &change, GraphEdit &edit)
{
    switch (change.kind) {
    case ChangeKind::Tf32:
        if (edit.facts.rates.tf32 > edit.facts.rates.fp32)
            speedUpProducts(edit, MathMode::Tf32);
        return true;
    case ChangeKind::PrecisionBf16:
    case ChangeKind::PrecisionFp16:
        if (change.kind == ChangeKind::PrecisionBf16 && !edit.facts.rates.bf16)
            return true;
        if (const SwitchedOn on = switchedOn(edit.facts, MathMode::Half); on.convolutions || on.matmuls) {
            edit.assume("Most products run in half precision already.");
            return true;
        }
        castActivations(edit);
        speedUpProducts(edit, MathMode::Half);
        addCasts(edit);
        return true;
    default:
        return false;
    }
}

} // namespace tuneline::analysis
