// SPDX-License-Identifier: GPL-3.0-or-later
// Activation checkpointing, on or off.
#include "analysis/whatif/graphedit.h"
#include "analysis/whatif/recompute.h"

namespace tuneline::analysis {

namespace {

bool isForward(std::uint32_t within)
{
    return (within & (HostTrait::kBackwardPass | HostTrait::kOptimizer | HostTrait::kZeroGrad | HostTrait::kDataScope))
        == 0;
}

// The forward pass of every block runs once more, just before its backward: the time goes in at its own place, which
// gives the same sum on each side, host and device.
void recompute(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const std::vector<bool> again = recomputed(facts);
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        if (facts.graph.nodes[i].kind == NodeKind::Device && again[i]) {
            edit.assume("Activations are recomputed already.");
            return;
        }
    }
    // Embedding, head and loss are in no block.
    const double share = edit.pick(1.0, 0.92, 0.8);
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const GraphNode &n = facts.graph.nodes[i];
        const auto ns = static_cast<double>(edit.state.duration[i]);
        if (n.kind == NodeKind::Device) {
            const NodeWork &w = facts.work[i];
            const bool data = w.cls == WorkClass::HostToDevice || w.cls == WorkClass::Communication;
            if (!data && isForward(facts.launchedWithin(i)) && !isLoss(facts, i))
                edit.setDuration(i, ns * (1 + share));
        } else if (n.kind == NodeKind::HostOp || n.kind == NodeKind::Call) {
            // Setting up the recomputation (saved random state, hooks) costs about a quarter more than the pass itself.
            if (n.row == 0 && isForward(facts.withinOf(i)) && (facts.withinOf(i) & HostTrait::kInOp) != 0
                && facts.waitOf[i] == RunFacts::kNone)
                edit.setDuration(i, ns * (1 + 1.25 * share));
        }
    }
    edit.assume("Every block's forward pass runs twice; embedding, last layer and loss once.");
}

void dropRecompute(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const std::vector<bool> again = recomputed(facts);
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const bool device = facts.graph.nodes[i].kind == NodeKind::Device;
        if (!again[i])
            continue;
        if (device)
            edit.dropDevice(i);
        else if (facts.graph.nodes[i].kind != NodeKind::Wait)
            edit.dropHost(i);
    }
}

} // namespace

bool applyMemoryChange(const Change &change, GraphEdit &edit)
{
    if (change.kind == ChangeKind::Checkpointing)
        recompute(edit);
    else if (change.kind == ChangeKind::NoCheckpointing)
        dropRecompute(edit);
    else
        return false;
    return true;
}

} // namespace tuneline::analysis
