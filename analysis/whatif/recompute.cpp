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

} // namespace

bool isRecomputed(const RunFacts &facts, std::uint32_t node)
{
    const bool device = facts.graph.nodes[node].kind == NodeKind::Device;
    const std::uint32_t host = device ? facts.work[node].call : node;
    if (host == RunFacts::kNone || !facts.graph.nodes[host].event.valid())
        return false;
    const std::uint32_t within = facts.withinOf(host);
    if ((within & HostTrait::kRecompute) != 0 && (within & HostTrait::kBackwardPass) != 0)
        return true;
    if ((within & HostTrait::kBackwardPass) == 0)
        return false;
    // A forward operator below an autograd node, with no autograd node between.
    for (EventId e = facts.graph.nodes[host].event; e.valid(); e = facts.trace.events.parent[e.value]) {
        if ((facts.analysis.names.of(facts.trace, e) & NameTrait::kBackward) != 0)
            return false;
        if (isForwardOperator(facts.trace.name(e)))
            return true;
    }
    return false;
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
