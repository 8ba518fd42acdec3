// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/recompute.h"

namespace tuneline::analysis {

namespace {

// Operators that only a forward pass calls, as the trace names them.
bool isForwardOperator(std::string_view name)
{
    return name == "aten::linear" || name == "aten::layer_norm" || name == "aten::conv2d" || name == "aten::gelu"
        || name == "aten::relu" || name == "aten::scaled_dot_product_attention" || name == "aten::batch_norm"
        || name == "aten::matmul" || name == "aten::softmax" || name == "aten::dropout" || name == "aten::embedding";
}

// Innermost node of the autograd graph around an event (itself counts), and whether a forward operator lies between.
struct InAutograd
{
    EventId node;
    bool forward = false;
};

InAutograd autogradAround(const RunFacts &facts, EventId event, const std::vector<bool> &forwardNames)
{
    InAutograd at{event};
    for (; at.node.valid(); at.node = facts.trace.events.parent[at.node.value]) {
        if ((facts.analysis.names.of(facts.trace, at.node) & NameTrait::kBackward) != 0)
            break;
        at.forward = at.forward || forwardNames[facts.trace.events.name[at.node.value].value];
    }
    return at;
}

bool isRecomputeScope(const RunFacts &facts, EventId event)
{
    for (EventId e = event; e.valid(); e = facts.trace.events.parent[e.value])
        if ((facts.own(e) & HostTrait::kRecompute) != 0)
            return (facts.within[e.value] & HostTrait::kBackwardPass) != 0
                && (facts.analysis.names.of(facts.trace, e) & NameTrait::kBackward) == 0;
    return false;
}

} // namespace

std::vector<bool> recomputed(const RunFacts &facts)
{
    const auto &nodes = facts.graph.nodes;
    std::vector<bool> again(nodes.size(), false);
    std::vector<bool> forwardNames(facts.trace.strings.size(), false); // few names, many events
    for (std::size_t i = 0; i < forwardNames.size(); ++i)
        forwardNames[i] = isForwardOperator(facts.trace.strings.view(StringId{i}));
    // Backwards: before the last forward operator of an autograd node all is the block's forward pass, with the views,
    // casts, additions and the Python between; after it comes what the node itself computes.
    std::vector<bool> runsForward(facts.trace.events.size(), false);
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const EventId event = nodes[i].event;
        if (nodes[i].kind == NodeKind::Device || !event.valid())
            continue;
        if ((facts.withinOf(static_cast<std::uint32_t>(i)) & HostTrait::kBackwardPass) == 0)
            continue;
        const InAutograd at = autogradAround(facts, event, forwardNames);
        if (at.node.valid() && at.forward)
            runsForward[at.node.value] = true;
        again[i] = (at.node.valid() && runsForward[at.node.value]) || isRecomputeScope(facts, event);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].kind == NodeKind::Device && facts.work[i].call != RunFacts::kNone)
            again[i] = again[facts.work[i].call];
    return again;
}

bool isLoss(const RunFacts &facts, std::uint32_t node)
{
    const std::uint32_t call = facts.work[node].call;
    if (call == RunFacts::kNone)
        return false;
    for (EventId e = facts.graph.nodes[call].event; e.valid(); e = facts.trace.events.parent[e.value]) {
        const std::string_view name = facts.trace.name(e);
        if (name.find("loss") != std::string_view::npos || name.find("log_softmax") != std::string_view::npos)
            return true;
    }
    // The widest product is the last layer's: its output goes into the loss.
    const auto &p = facts.product(facts.work[node].op);
    return p && !p->convolution && p->batch == 1 && p->n > 8 * p->k;
}

} // namespace tuneline::analysis
