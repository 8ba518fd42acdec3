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
    double ns = 0; // of the products
};

bool fasterMode(MathMode now, MathMode wanted)
{
    return static_cast<int>(wanted) > static_cast<int>(now);
}

std::unordered_map<std::uint32_t, OpKernels> kernelsOfOps(const GraphEdit &edit, MathMode wanted)
{
    std::unordered_map<std::uint32_t, OpKernels> ops;
    const auto &facts = edit.facts;
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const DeviceWork &w = facts.work[i];
        if (w.op.valid() && (w.cls == WorkClass::Other || w.cls == WorkClass::Layout)) {
            if (const auto &p = facts.product(w.op); p && p->convolution)
                ops[w.op.value].helpers.push_back(i);
            continue;
        }
        if (!isProduct(w) || w.type == NumberType::Double || !fasterMode(modeOf(facts, i), wanted))
            continue;
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
        if (kernels.products.empty())
            continue; // fast already
        const std::uint32_t first = kernels.products.front();
        const auto &product = facts.product(facts.work[first].op);
        double factor = 0;
        if (product) {
            const double count =
                product->backward ? std::min<double>(2, static_cast<double>(kernels.products.size())) : 1;
            factor = count * productNs(facts.rates, *product, wanted, false) / kernels.ns;
        } else {
            factor = factorWithoutShapes(facts.rates, modeOf(facts, first), wanted);
        }
        factor = std::min(1.0, factor * edit.pick(1.3, 1.0, 0.8));
        for (const std::uint32_t k : kernels.products)
            edit.scale(k, factor);
        for (const std::uint32_t k : kernels.helpers) // the estimate has the new algorithm's own
            edit.scale(k, 0);
    }
    if (facts.rates.known)
        edit.assume("Products reach the usual share of the device's peak rate for their size (" + facts.rates.name
                    + ").");
    else
        edit.assume("The device's rates are guessed from its generation: its name is not in the table.");
}

// Kernels that work on activations move half the bytes.
void halveActivations(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const DeviceWork &w = facts.work[i];
        const bool activation = w.cls == WorkClass::Pointwise || w.cls == WorkClass::Pool || w.cls == WorkClass::Norm;
        if (!activation || w.type != NumberType::Float32 || (facts.launchedWithin(i) & HostTrait::kOptimizer) != 0)
            continue;
        edit.scale(i, edit.pick(1.0, 0.75, 0.55));
    }
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
        speedUpProducts(edit, MathMode::Half);
        halveActivations(edit);
        return true;
    default:
        return false;
    }
}

} // namespace tuneline::analysis
