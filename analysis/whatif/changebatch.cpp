// SPDX-License-Identifier: GPL-3.0-or-later
// Another batch size: device work grows with it once the device is full, host work stays.
#include "analysis/whatif/batchmodel.h"
#include "analysis/whatif/inputmodel.h"
#include "analysis/whatif/productmodel.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tuneline::analysis {

std::optional<std::int64_t> presentBatch(const RunFacts &facts)
{
    if (!facts.trace.sources.empty()) {
        const auto &config = facts.trace.sources[facts.analysis.mainSource].config;
        if (const auto it = config.find("batch_size"); it != config.end() && std::atoll(it->second.c_str()) > 0)
            return std::atoll(it->second.c_str());
    }
    // The first dimension of the inputs with three or four dimensions, or of integer tables (tokens): the most
    // frequent.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> calls; // name and shapes, as texts
    for (const GraphNode &n : facts.graph.nodes) {
        if (!n.event.valid() || n.kind != NodeKind::HostOp)
            continue;
        const OpDetail *detail = facts.trace.op(n.event);
        if (detail && detail->shapes.value != 0)
            ++calls[{facts.trace.events.name[n.event.value].value, detail->shapes.value}];
    }
    std::map<std::int64_t, std::size_t> votes;
    for (const auto &[call, count] : calls) {
        const std::string_view name = facts.trace.strings.view(StringId{call.first});
        const auto shapes = parseShapes(facts.trace.strings.view(StringId{call.second}));
        if (name == "aten::embedding" && shapes.size() > 1 && shapes[1].size() == 2)
            votes[shapes[1][0]] += 1000 * count;
        else if (!shapes.empty() && (shapes[0].size() == 4 || shapes[0].size() == 3)
                 && (name == "aten::cudnn_convolution" || name == "aten::layer_norm"
                     || name == "aten::native_layer_norm"))
            votes[shapes[0][0]] += count;
        else if (name == "aten::addmm" && shapes.size() > 1 && shapes[1].size() == 2)
            votes[shapes[1][0]] += 0;
    }
    if (votes.empty())
        return std::nullopt;
    const auto best =
        std::max_element(votes.begin(), votes.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    return best->first;
}

namespace {

constexpr double kLaunchFloorNs = 1500; // a kernel with nothing to do

// Work that does not grow with the batch: parameters, not activations.
bool dependsOnBatch(const RunFacts &facts, std::uint32_t node)
{
    const NodeWork &w = facts.work[node];
    return w.cls != WorkClass::Optimizer && w.cls != WorkClass::Communication && w.cls != WorkClass::Memset
        && (facts.launchedWithin(node) & (HostTrait::kOptimizer | HostTrait::kZeroGrad)) == 0;
}

// Time at `ratio` times the batch: what filled the device grows with it, what left it idle has room first.
double scaledNs(const RunFacts &facts, std::uint32_t node, double ns, double ratio)
{
    const auto &p = facts.product(facts.work[node].op);
    if (p && isProduct(facts.work[node])) {
        Product bigger = *p;
        const auto grow = [ratio](std::int64_t v) {
            return std::max<std::int64_t>(1, std::llround(static_cast<double>(v) * ratio));
        };
        if (p->batch > 1)
            bigger.batch = grow(p->batch);
        else if ((facts.launchedWithin(node) & HostTrait::kBackwardPass) != 0 && !p->convolution && p->k > p->m)
            bigger.k = grow(p->k); // weight gradient: the batch is what is summed over
        else
            bigger.m = grow(p->m);
        bigger.elementsRead = grow(p->elementsRead);
        bigger.elementsWritten = grow(p->elementsWritten);
        bigger.activationElements = grow(p->activationElements);
        const MathMode mode = modeOf(facts, node);
        const double now = productNs(facts.rates, *p, mode, true), then = productNs(facts.rates, bigger, mode, true);
        return now > 0 ? ns * then / now : ns * ratio;
    }
    const KernelDetail *kernel = facts.trace.kernel(facts.graph.nodes[node].event);
    double fill = 1; // share of the device that the kernel's blocks occupy now
    if (kernel && kernel->grid[0] > 0 && facts.rates.multiprocessors > 0) {
        const double blocks = static_cast<double>(kernel->grid[0]) * kernel->grid[1] * kernel->grid[2];
        fill = std::min(1.0, blocks / (2.0 * facts.rates.multiprocessors));
    }
    const double moving = std::max(0.0, ns - kLaunchFloorNs);
    return std::min(ns, kLaunchFloorNs) + moving * std::max(1.0, ratio * std::max(fill, 1 / ratio));
}

} // namespace

bool applyBatchChange(const Change &change, GraphEdit &edit)
{
    if (change.kind != ChangeKind::BatchSize)
        return false;
    if (!edit.batch || *edit.batch <= 0) {
        edit.assume("The present batch size is not known (--batch N): nothing was changed.");
        return true;
    }
    const double ratio = static_cast<double>(change.number) / static_cast<double>(*edit.batch);
    const auto &facts = edit.facts;
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const GraphNode &n = facts.graph.nodes[i];
        if (isInputNode(n)) {
            edit.scale(i, ratio);
            continue;
        }
        if (n.kind != NodeKind::Device || !dependsOnBatch(facts, i))
            continue;
        const auto ns = static_cast<double>(edit.state.duration[i]);
        const double then = ratio > 1 ? scaledNs(facts, i, ns, ratio) : std::max(kLaunchFloorNs, ns * ratio);
        edit.setDuration(i, ns + (then - ns) * edit.pick(1.1, 1.0, 0.85));
    }
    edit.assume("Device work grows with the batch where the device is full; host work stays.");
    return true;
}

} // namespace tuneline::analysis
