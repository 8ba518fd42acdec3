// SPDX-License-Identifier: GPL-3.0-or-later
// Input: loader workers, synthetic data, pinned and prefetched copies.
#include "analysis/whatif/graphedit.h"
#include "analysis/whatif/inputmodel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tuneline::analysis {

namespace {

constexpr double kCallNs = 8000; // a non-blocking copy call

// Large enough to be data of the batch; smaller ones are staged by the driver and don't block.
constexpr std::int64_t kStagedBytes = 64 * 1024;

bool isBatchCopy(const RunFacts &facts, std::uint32_t node)
{
    if (facts.work[node].cls != WorkClass::HostToDevice)
        return false;
    const CopyDetail *copy = facts.trace.copy(facts.graph.nodes[node].event);
    return copy && copy->bytes > kStagedBytes;
}

void setWaits(GraphEdit &edit, double waitNs)
{
    std::vector<double> total(edit.facts.graph.stepCount(), 0);
    const auto &nodes = edit.facts.graph.nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (isInputNode(nodes[i]) && nodes[i].step < total.size())
            total[nodes[i].step] += static_cast<double>(edit.state.duration[i]);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (isInputNode(nodes[i]) && nodes[i].step < total.size() && total[nodes[i].step] > waitNs)
            edit.scale(i, waitNs / total[nodes[i].step]);
}

void moreWorkers(const Change &change, GraphEdit &edit)
{
    const InputModel model = inputModel(edit.facts);
    const double n = static_cast<double>(change.number);
    // Ready batches still have to be handed over.
    setWaits(edit, model.handOverNs);
    edit.stepFloorNs = 0;
    if (model.loadNs <= 0)
        return;
    const double useful = model.cores ? std::min(n, std::max(1.0, static_cast<double>(*model.cores))) : n;
    // Workers never scale perfectly: they share memory bandwidth, disk and cores.
    const double scaling = edit.pick(0.7, 0.9, 1.0);
    edit.stepFloorNs = std::max(edit.stepFloorNs, model.loadNs / std::max(1.0, 1 + (useful - 1) * scaling));
    // Without a device the loaders work beside the training on the same processor: caches, memory, clock.
    if (!edit.facts.analysis.device() && model.workers == 0) {
        for (std::uint32_t i = 0; i < edit.facts.graph.nodes.size(); ++i)
            if (edit.facts.graph.nodes[i].kind == NodeKind::HostOp)
                edit.scale(i, edit.pick(1.15, 1.04, 1.0));
    }
    edit.assume("Loading scales with the workers up to the cores (90 % for each further worker).");
}

// A pinned, non-blocking copy on the compute stream.
void pinCopies(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const EventId record = facts.graph.nodes[i].event;
        const CopyDetail *copy = facts.work[i].cls == WorkClass::HostToDevice ? facts.trace.copy(record) : nullptr;
        if (!copy || copy->source != MemoryKind::Pageable || copy->bytes <= kStagedBytes)
            continue;
        const double ns = 1e9 * static_cast<double>(copy->bytes) / (facts.rates.pinnedCopy * edit.pick(0.6, 1.0, 1.2));
        edit.setDuration(i, std::min(ns, static_cast<double>(edit.state.duration[i])));
        const std::uint32_t call = facts.work[i].call;
        if (call == RunFacts::kNone)
            continue;
        edit.setDuration(call, std::min(kCallNs, static_cast<double>(edit.state.duration[call])));
        if (facts.waitOf[call] != RunFacts::kNone)
            edit.unblock(facts.waitOf[call]);
        unblockTransfer(edit, call);
        if (const std::uint32_t gap = releaseAfter(facts, call); gap != RunFacts::kNone) {
            edit.scale(gap, edit.pick(0.4, 0.1, 0));
            edit.assume("Giving a batch's shared memory back moves to the thread that pins.");
        }
    }
    edit.assume("Pinned copies run at the link's usual rate and don't hold the host.");
}

} // namespace

std::uint32_t releaseAfter(const RunFacts &facts, std::uint32_t call)
{
    const EventId op = facts.enclosing(facts.graph.nodes[call].event, HostTrait::kTransfer);
    const std::uint16_t row = facts.graph.nodes[call].row;
    const std::int64_t end = facts.trace.end(op.valid() ? op : facts.graph.nodes[call].event);
    for (std::uint32_t j = call + 1; j < facts.graph.nodes.size(); ++j) {
        const GraphNode &n = facts.graph.nodes[j];
        if (n.row != row || n.kind == NodeKind::Wait)
            continue;
        if (n.kind == NodeKind::HostCode)
            return n.duration >= kLongHostCodeNs ? j : RunFacts::kNone;
        if (n.event.valid() && facts.trace.start(n.event) >= end)
            break;
    }
    return RunFacts::kNone;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> roundtrips(const RunFacts &facts)
{
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> down; // step, bytes → node
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const WorkClass cls = facts.work[i].cls;
        if (cls != WorkClass::DeviceToHost && cls != WorkClass::HostToDevice)
            continue;
        const CopyDetail *copy = facts.trace.copy(facts.graph.nodes[i].event);
        if (!copy || copy->bytes <= kStagedBytes)
            continue;
        const std::pair key{facts.graph.nodes[i].step, copy->bytes};
        if (cls == WorkClass::DeviceToHost) {
            down[key] = i;
        } else if (const auto it = down.find(key); it != down.end()) {
            pairs.emplace_back(it->second, i);
            down.erase(it);
        }
    }
    return pairs;
}

std::vector<bool> releaseGaps(const RunFacts &facts)
{
    std::vector<bool> gaps(facts.graph.nodes.size(), false);
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const CopyDetail *copy =
            facts.work[i].cls == WorkClass::HostToDevice ? facts.trace.copy(facts.graph.nodes[i].event) : nullptr;
        if (!copy || copy->source != MemoryKind::Pageable || copy->bytes <= kStagedBytes
            || facts.work[i].call == RunFacts::kNone)
            continue;
        if (const std::uint32_t gap = releaseAfter(facts, facts.work[i].call); gap != RunFacts::kNone)
            gaps[gap] = true;
    }
    return gaps;
}

std::vector<bool> hostWork(const RunFacts &facts)
{
    const std::vector<bool> release = releaseGaps(facts);
    const auto &nodes = facts.graph.nodes;
    std::vector<bool> work(nodes.size(), false);
    std::map<StringId, std::set<std::uint32_t>> stepsWith; // by what ran before the gap
    std::vector<std::pair<std::uint32_t, StringId>> gaps;
    StringId before;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const GraphNode &n = nodes[i];
        if (n.row != 0)
            continue;
        if ((n.kind == NodeKind::HostOp || n.kind == NodeKind::Call) && n.event.valid())
            before = facts.trace.events.name[n.event.value];
        if (n.kind != NodeKind::HostCode || n.cause != IdleCause::HostCode || n.duration < kLongHostCodeNs || release[i]
            || (facts.withinOf(i) & (HostTrait::kOptimizer | HostTrait::kZeroGrad)) != 0)
            continue;
        gaps.emplace_back(i, before);
        stepsWith[before].insert(n.step);
    }
    // What a program does it does at the same place in each step; elsewhere the thread lost its core for a moment.
    for (const auto &[i, place] : gaps)
        work[i] = 2 * stepsWith[place].size() >= facts.graph.stepCount();
    return work;
}

bool isInputNode(const GraphNode &node)
{
    return node.kind == NodeKind::Input || (node.kind == NodeKind::Call && node.cause == IdleCause::InputWait);
}

void unblockTransfer(GraphEdit &edit, std::uint32_t call)
{
    // aten::copy_ synchronises the stream after a blocking copy: that wait belongs to the same operator.
    const auto &facts = edit.facts;
    const EventId op = facts.enclosing(facts.graph.nodes[call].event, HostTrait::kTransfer);
    if (!op.valid())
        return;
    const std::uint16_t row = facts.graph.nodes[call].row;
    for (std::uint32_t j = call + 1; j < facts.graph.nodes.size(); ++j) {
        const GraphNode &n = facts.graph.nodes[j];
        if (n.row != row || !n.event.valid())
            continue;
        if (facts.trace.start(n.event) >= facts.trace.end(op))
            return;
        if (n.kind == NodeKind::Wait)
            edit.unblock(j);
    }
}

bool applyInputChange(const Change &change, GraphEdit &edit)
{
    const auto &facts = edit.facts;
    switch (change.kind) {
    case ChangeKind::InputWorkers:
        moreWorkers(change, edit);
        return true;
    case ChangeKind::InputFaster:
        for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i)
            if (isInputNode(facts.graph.nodes[i]))
                edit.scale(i, change.factor);
        edit.stepFloorNs *= change.factor;
        return true;
    case ChangeKind::InputSynthetic:
        setWaits(edit, 0);
        edit.stepFloorNs = 0;
        for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
            if (!isBatchCopy(facts, i))
                continue;
            if (const std::uint32_t call = facts.work[i].call; call != RunFacts::kNone) {
                if (facts.waitOf[call] != RunFacts::kNone)
                    edit.unblock(facts.waitOf[call]);
                unblockTransfer(edit, call);
                if (const std::uint32_t gap = releaseAfter(facts, call); gap != RunFacts::kNone)
                    edit.scale(gap, edit.pick(1, 0.5, 0));
            }
            edit.dropDevice(i);
        }
        edit.assume("The batch is already on the device: no wait and no copy.");
        return true;
    case ChangeKind::CopyPageable:
        pinCopies(edit);
        return true;
    case ChangeKind::CopyRoundtrip:
        for (const auto &[down, up] : roundtrips(facts))
            for (const std::uint32_t node : {down, up}) {
                if (const std::uint32_t call = facts.work[node].call; call != RunFacts::kNone) {
                    if (facts.waitOf[call] != RunFacts::kNone)
                        edit.unblock(facts.waitOf[call]);
                    unblockTransfer(edit, call);
                    dropTransfer(edit, call);
                }
                edit.dropDevice(node);
            }
        return true;
    case ChangeKind::CopyNotOverlapped:
        pinCopies(edit);
        for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i)
            if (isBatchCopy(facts, i)) {
                const std::uint32_t call = facts.work[i].call;
                const auto ns = static_cast<double>(call == RunFacts::kNone ? 0 : edit.state.duration[call]);
                edit.dropDevice(i); // beside the kernels of the step before
                if (call != RunFacts::kNone)
                    edit.setDuration(call, ns);
            }
        return true;
    default:
        return false;
    }
}

} // namespace tuneline::analysis
