// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/layoutmodel.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tuneline::analysis {

namespace {

constexpr double kNormEfficiency = 0.30; // of memory bandwidth, measured on an H200 over 7 sizes, channels last

bool isNchwNorm(std::string_view name)
{
    if (name.find("channels_last") != std::string_view::npos || name.find("nhwc") != std::string_view::npos
        || name.find("NHWC") != std::string_view::npos)
        return false;
    static constexpr std::array<std::string_view, 6> kNames{
        "batch_norm_", "bn_fw_tr", "bn_bw", "max_pool_forward_nchw", "max_pool_backward_nchw", "bn_fw_"};
    return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view n) { return name.find(n) != name.npos; });
}

// Largest input of the innermost operator around a launch that has shapes of at least four dimensions.
std::int64_t activationOf(const RunFacts &facts, EventId call)
{
    for (EventId e = facts.trace.events.parent[call.value]; e.valid(); e = facts.trace.events.parent[e.value]) {
        const OpDetail *detail = facts.trace.op(e);
        if (!detail)
            continue;
        std::int64_t most = 0;
        for (const Shape &s : parseShapes(facts.trace.strings.view(detail->shapes)))
            if (s.size() >= 4)
                most = std::max(most, elements(s));
        if (most > 0)
            return most;
    }
    return 0;
}

} // namespace

double channelsLastNs(const RunFacts &facts, std::uint32_t node, double factor)
{
    const NodeWork &w = facts.work[node];
    if ((w.cls != WorkClass::Norm && w.cls != WorkClass::Pool) || w.call == RunFacts::kNone)
        return 0;
    const EventId record = facts.graph.nodes[node].event;
    const std::string_view name = facts.trace.name(record);
    if (!isNchwNorm(name))
        return 0;
    const std::int64_t n = activationOf(facts, facts.graph.nodes[w.call].event);
    if (n == 0)
        return 0;
    const double size = w.type == NumberType::Float32 ? 4 : 2;
    // Statistics read once, transforms read and write, backward kernels read two tensors (and write one) in two passes.
    const bool backward = (facts.analysis.names.of(facts.trace, record) & NameTrait::kBackward) != 0
        || name.find("bn_bw") != std::string_view::npos;
    const double passes = backward ? 5 : name.find("collect_statistics") != std::string_view::npos ? 1 : 2;
    const double efficiency = kNormEfficiency * (size == 4 ? 1.4 : 1.0);
    return factor * (1e9 * passes * size * static_cast<double>(n) / (facts.rates.memory * efficiency) + 3000);
}

bool isBiasBeforeNorm(const RunFacts &facts, std::uint32_t node)
{
    const NodeWork &w = facts.work[node];
    if (w.call == RunFacts::kNone || (w.cls != WorkClass::Pointwise && w.cls != WorkClass::Reduction))
        return false;
    // aten::convolution adds a bias with aten::add_; its backward reduces the gradient with aten::sum.
    bool bias = false;
    for (EventId e = facts.trace.events.parent[facts.graph.nodes[w.call].event.value]; e.valid();
         e = facts.trace.events.parent[e.value]) {
        const std::string_view name = facts.trace.name(e);
        if (name == "aten::add_" || name == "aten::sum")
            bias = true;
        if (name == "aten::_convolution" || name == "aten::convolution" || name == "aten::convolution_backward"
            || name == "ConvolutionBackward0")
            return bias;
    }
    return false;
}

} // namespace tuneline::analysis
