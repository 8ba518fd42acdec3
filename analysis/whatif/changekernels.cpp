// SPDX-License-Identifier: GPL-3.0-or-later
// Fewer or better kernels for the same arithmetic: memory format, fused attention, biases, sizes, one class scaled.
#include "analysis/whatif/attentionpattern.h"
#include "analysis/whatif/layoutmodel.h"
#include "analysis/whatif/productmodel.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// Without shapes: PyTorch's own NCHW batch norm reads each channel with one block, its last pass (which the device
// fills well) shows what moving the tensor once costs. Channels last, statistics take about 0.8 of that pass and
// backward 2.5.
void normsWithoutShapes(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    std::vector<std::uint32_t> statistics, backward;
    double transformNs = 0, statisticsNs = 0, backwardNs = 0;
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        if (facts.work[i].cls != WorkClass::Norm || channelsLastNs(facts, i, 1) > 0)
            continue;
        const std::string_view name = facts.trace.name(facts.graph.nodes[i].event);
        const auto ns = static_cast<double>(facts.graph.nodes[i].duration);
        if (name.find("channels_last") != std::string_view::npos)
            continue;
        if (name.find("batch_norm_transform_input_kernel") != std::string_view::npos) {
            transformNs += ns;
        } else if (name.find("batch_norm_collect_statistics_kernel") != std::string_view::npos) {
            statistics.push_back(i);
            statisticsNs += ns;
        } else if (name.find("batch_norm_backward_kernel") != std::string_view::npos) {
            backward.push_back(i);
            backwardNs += ns;
        }
    }
    if (transformNs <= 0)
        return;
    const double shrink = edit.pick(1.3, 1.0, 0.8) * transformNs;
    for (const std::uint32_t i : statistics)
        edit.scale(i, std::min(1.0, 0.8 * shrink / statisticsNs));
    for (const std::uint32_t i : backward)
        edit.scale(i, std::min(1.0, 2.5 * shrink / backwardNs));
}

void channelsLast(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    normsWithoutShapes(edit);
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        if (facts.work[i].cls == WorkClass::Layout) {
            edit.dropDevice(i);
            continue;
        }
        if (const double ns = channelsLastNs(facts, i, edit.pick(1.3, 1.0, 0.8)); ns > 0)
            edit.setDuration(i, std::min(ns, static_cast<double>(edit.state.duration[i])));
    }
    edit.assume("Layout conversions go; normalisation and pooling of NCHW tensors run at memory bandwidth.");
}

// The block becomes two kernels forward and a few backward, of the time that flash attention takes for its size.
void fuseAttention(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    for (const AttentionBlock &block : attentionBlocks(facts)) {
        const double ns = fusedAttentionNs(facts.rates, block) * edit.pick(1.5, 1.0, 0.8);
        double now = 0;
        for (const std::uint32_t k : block.kernels)
            now += static_cast<double>(edit.state.duration[k]);
        if (block.kernels.size() < 3 || now <= 0)
            continue;
        const std::size_t kept = block.backward ? 3 : 1;
        for (std::size_t k = 0; k < block.kernels.size(); ++k) {
            if (k < kept)
                edit.setDuration(block.kernels[k], std::min(ns, now) / static_cast<double>(kept));
            else
                edit.dropDevice(block.kernels[k]);
        }
        for (const std::uint32_t host : block.hostNodes)
            edit.scale(host, edit.pick(0.5, 0.15, 0.05));
    }
    edit.assume("Fused attention takes the usual share of the device's half-precision rate for its size.");
}

bool misaligned(const Product &p)
{
    return p.m % 8 != 0 || p.n % 8 != 0 || p.k % 8 != 0;
}

void align(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const auto &p = facts.product(facts.work[i].op);
        if (!isProduct(facts.work[i]) || !p || p->convolution || modeOf(facts, i) != MathMode::Half || !misaligned(*p))
            continue;
        const double ns = productNs(facts.rates, *p, MathMode::Half, false) * edit.pick(1.4, 1.1, 0.9);
        edit.setDuration(i, std::min(ns, static_cast<double>(edit.state.duration[i])));
    }
}

void dropBiases(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    std::vector<bool> gone(facts.trace.events.size(), false); // operators that did nothing else
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        if (!isBiasBeforeNorm(facts, i))
            continue;
        edit.dropDevice(i);
        const std::uint32_t call = facts.work[i].call;
        const EventId op =
            call == RunFacts::kNone ? EventId{} : facts.trace.events.parent[facts.graph.nodes[call].event.value];
        if (op.valid() && (facts.own(op) & HostTrait::kProduct) == 0)
            gone[op.value] = true;
    }
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const GraphNode &n = facts.graph.nodes[i];
        if (n.kind == NodeKind::HostOp && n.event.valid() && gone[n.event.value])
            edit.dropHost(i);
    }
}

} // namespace

bool applyKernelChange(const Change &change, GraphEdit &edit)
{
    const auto &facts = edit.facts;
    switch (change.kind) {
    case ChangeKind::ChannelsLast:
        channelsLast(edit);
        return true;
    case ChangeKind::AttentionUnfused:
        fuseAttention(edit);
        return true;
    case ChangeKind::Alignment:
        align(edit);
        return true;
    case ChangeKind::BiasBeforeNorm:
        dropBiases(edit);
        return true;
    case ChangeKind::ScaleKernels:
        for (std::uint32_t i = 0; i < facts.work.size(); ++i)
            if (facts.work[i].cls != WorkClass::None
                && facts.trace.name(facts.graph.nodes[i].event).find(change.text) != std::string_view::npos)
                edit.scale(i, change.factor);
        return true;
    default:
        return false;
    }
}

} // namespace tuneline::analysis
