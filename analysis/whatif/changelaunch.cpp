// SPDX-License-Identifier: GPL-3.0-or-later
// Fewer launches and less host work: fused optimizers, gradients set to none, CUDA graphs, compilation, packed copies.
#include "analysis/whatif/graphedit.h"
#include "analysis/whatif/inputmodel.h"
#include "analysis/whatif/optimizermodel.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tuneline::analysis {

namespace {

// Share of the memory traffic that a fused update keeps: 7 of about 20 passes for Adam, 5 of 11 for SGD with momentum.
constexpr double kFusedTraffic = 0.4;
// A multi-tensor kernel makes the same passes, and reaches a little less of the bandwidth than a kernel for one large
// tensor (measured: 0.90 of 0.84 ms for 38 M parameters, 0.39 of 1.17 ms for 101 small tensors).
constexpr double kForeachTraffic = 1.12;
constexpr double kGraphGapNs = 500; // between kernels of a replayed graph
constexpr double kGraphLaunchNs = 60000; // host time around a replay, once a step
constexpr double kSmallestKernelNs = 1500;

void scaleTo(GraphEdit &edit, const std::vector<std::uint32_t> &nodes, double now, double wanted)
{
    if (now <= 0)
        return;
    for (const std::uint32_t i : nodes)
        edit.scale(i, std::min(1.0, wanted / now));
}

void fuseOptimizer(GraphEdit &edit, bool foreach)
{
    const OptimizerFigures &f = optimizerFigures(edit.facts);
    const bool single = f.unfusedPerStep > 0.3 * f.kernelsPerStep && f.unfusedPerStep >= 8;
    if (f.device.empty() || (!single && (foreach || f.kernelsPerStep < 40)))
        return; // nothing to fuse: what remains is already a few kernels
    const double parameters = f.parameters > 0 ? f.parameters : f.kernelsPerStep / 12;
    double hostNow = 0;
    for (const std::uint32_t i : f.host)
        hostNow += static_cast<double>(edit.state.duration[i]);
    hostNow /= static_cast<double>(std::max<std::size_t>(1, edit.facts.graph.stepCount()));
    // Grouping the tensors costs Python time for each of them, then a few launches (measured with torch 2.11).
    const double perTensor = foreach ? edit.pick(12e3, 6e3, 4e3) : edit.pick(6e3, 3e3, 1.5e3);
    const double host = perTensor * parameters + (foreach ? 4e5 : 2e5);
    const double launches = foreach ? std::max(12.0, f.unfusedPerStep / 30) : std::max(1.0, parameters / 20);
    const double device =
        (foreach ? kForeachTraffic : kFusedTraffic) * f.movedNs * edit.pick(1.3, 1.0, 0.8) + 4000 * launches;
    scaleTo(edit, f.host, hostNow, host);
    // The kernels shrink evenly, and their launches no longer hold each other up.
    const double factor = f.deviceNs > 0 ? std::min(foreach ? kForeachTraffic : 1.0, device / f.deviceNs) : 1;
    const auto kept = static_cast<std::size_t>(std::max(1.0, std::ceil(f.kernelsPerStep / std::max(1.0, launches))));
    for (std::size_t k = 0; k < f.device.size(); ++k) {
        const auto ns = static_cast<double>(edit.state.duration[f.device[k]]);
        if (k % kept != 0)
            edit.dropDevice(f.device[k]);
        edit.setDuration(f.device[k], factor * ns);
    }
    edit.assume(foreach ? "A multi-tensor update moves the same bytes in a few kernels."
                        : "A fused update reads and writes each tensor once, in a few kernels.");
}

bool isFill(const RunFacts &facts, std::uint32_t node)
{
    if (facts.work[node].cls == WorkClass::Memset)
        return true;
    return facts.trace.name(facts.graph.nodes[node].event).find("FillFunctor") != std::string_view::npos;
}

void dropZeroGrad(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const bool device = facts.graph.nodes[i].kind == NodeKind::Device;
        const std::uint32_t within = device ? facts.launchedWithin(i) : facts.withinOf(i);
        if ((within & HostTrait::kZeroGrad) == 0)
            continue;
        if (device && (isFill(facts, i) || facts.work[i].cls == WorkClass::Optimizer))
            edit.dropDevice(i);
        else if (!device && (within & HostTrait::kInOp) != 0)
            edit.dropHost(i);
    }
}

// Much of the device's work comes several records to a launch: what is still outside could not be captured.
bool isGraphed(const RunFacts &facts)
{
    constexpr double kMuch = 0.2;
    double graphed = 0, all = 0;
    std::uint32_t last = RunFacts::kNone;
    for (const NodeWork &w : facts.work) {
        if (w.cls == WorkClass::None)
            continue;
        ++all;
        graphed += w.call != RunFacts::kNone && w.call == last ? 1 : 0;
        last = w.call;
    }
    return graphed > kMuch * all;
}

void graphTheStep(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const auto &g = facts.graph;
    if (isGraphed(facts)) {
        edit.assume("The step runs from a CUDA graph already.");
        return;
    }
    std::vector<bool> charged(g.stepCount(), false);
    for (std::uint32_t i = 0; i < g.nodes.size(); ++i) {
        const GraphNode &n = g.nodes[i];
        if (n.kind == NodeKind::Device) {
            edit.scale(i, edit.pick(1.03, 1.0, 0.93)); // measured: the same kernels take the same time
            for (std::uint32_t e = g.firstEdge[i]; e < g.firstEdge[i + 1]; ++e)
                if (g.edges[e].kind == EdgeKind::StreamOrder && edit.state.lag[e] != GraphState::kCut)
                    edit.state.lag[e] = std::min(edit.state.lag[e], static_cast<std::int64_t>(kGraphGapNs));
            continue;
        }
        if (isInputNode(n) || n.kind == NodeKind::Wait)
            continue;
        edit.dropHost(i);
        if (n.row == 0 && n.step < charged.size() && !charged[n.step]) {
            edit.setDuration(i, kGraphLaunchNs);
            charged[n.step] = true;
        }
    }
    edit.assume("The whole step is captured: shapes are fixed and nothing in it reads a value on the host.");
}

bool isFusible(const NodeWork &w)
{
    return w.cls == WorkClass::Pointwise || w.cls == WorkClass::Norm || w.cls == WorkClass::Softmax
        || w.cls == WorkClass::Reduction || w.cls == WorkClass::Layout;
}

// Of a run of kernels over the same elements a fused one reads each input and writes each result once: of n kernels'
// traffic about one kernel's is left, and `kept` of the others' for what backward needs and for further inputs.
void fuseRun(GraphEdit &edit, const std::vector<std::uint32_t> &run, double kept)
{
    const double traffic = 1.0 / static_cast<double>(std::max<std::size_t>(1, run.size())) * (1 - kept) + kept;
    for (std::size_t k = 0; k < run.size(); ++k) {
        const auto ns = static_cast<double>(edit.state.duration[run[k]]);
        const double moved = std::max(0.0, ns - kSmallestKernelNs) * traffic;
        const bool launched = k % 3 == 0; // about one kernel for each three
        if (!launched)
            edit.dropDevice(run[k]);
        edit.setDuration(run[k], launched ? std::min(ns, moved + kSmallestKernelNs) : moved);
    }
}

// Runs of fusible kernels on one stream.
void fusePointwise(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const double kept = edit.pick(0.5, 0.2, 0.05);
    std::map<std::uint16_t, std::vector<std::uint32_t>> runs; // by stream row: fusible kernels in a row so far
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        const NodeWork &w = facts.work[i];
        if (w.cls == WorkClass::None)
            continue;
        std::vector<std::uint32_t> &run = runs[facts.graph.nodes[i].row];
        if (isFusible(w) && (facts.launchedWithin(i) & (HostTrait::kOptimizer | HostTrait::kCompiled)) == 0) {
            run.push_back(i);
            continue;
        }
        fuseRun(edit, run, kept);
        run.clear();
    }
    for (const auto &[row, run] : runs)
        fuseRun(edit, run, kept);
}

void compileModel(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    bool compiled = false;
    for (std::uint32_t i = 0; i < facts.graph.nodes.size() && !compiled; ++i)
        compiled = (facts.withinOf(i) & HostTrait::kCompiled) != 0;
    if (compiled) {
        edit.assume("The model is compiled already.");
        return;
    }
    fusePointwise(edit);
    // Operators of the model no longer go through the dispatcher; the optimizer does as before.
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const GraphNode &n = facts.graph.nodes[i];
        if (n.kind == NodeKind::Device || n.kind == NodeKind::Wait || isInputNode(n))
            continue;
        const std::uint32_t within = facts.withinOf(i);
        if ((within & (HostTrait::kOptimizer | HostTrait::kZeroGrad)) != 0 || (within & HostTrait::kInOp) == 0)
            continue;
        if (n.kind == NodeKind::HostOp)
            edit.scale(i, edit.pick(0.95, 0.8, 0.6));
    }
    edit.assume("Pointwise chains fuse three to one; operators of the model cost less host time.");
}

// All but the first small copy of a step go, with their waits.
void packCopies(GraphEdit &edit)
{
    constexpr std::int64_t kSmall = 256 * 1024;
    const auto &facts = edit.facts;
    std::vector<bool> kept(facts.graph.stepCount(), false);
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        if (facts.work[i].cls != WorkClass::HostToDevice || facts.graph.nodes[i].step >= kept.size())
            continue;
        const CopyDetail *copy = facts.trace.copy(facts.graph.nodes[i].event);
        if (!copy || copy->bytes > kSmall)
            continue;
        if (!kept[facts.graph.nodes[i].step]) {
            kept[facts.graph.nodes[i].step] = true;
            continue;
        }
        const std::uint32_t call = facts.work[i].call;
        if (call != RunFacts::kNone) {
            if (facts.waitOf[call] != RunFacts::kNone)
                edit.unblock(facts.waitOf[call]);
            unblockTransfer(edit, call);
            dropTransfer(edit, call);
        }
        edit.dropDevice(i);
    }
}

void dropCause(GraphEdit &edit, IdleCause cause, double factor)
{
    for (std::uint32_t i = 0; i < edit.facts.graph.nodes.size(); ++i) {
        const GraphNode &n = edit.facts.graph.nodes[i];
        if (n.kind == NodeKind::Device || n.cause != cause)
            continue;
        edit.scale(i, factor);
        if (n.kind == NodeKind::Wait && factor == 0)
            edit.unblock(i);
    }
}

// Long stretches of the main thread in which nothing is recorded; short ones are the loop's own Python.
void dropHostWork(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const std::vector<bool> work = hostWork(facts);
    const double kept = edit.pick(0.4, 0.1, 0.0);
    for (std::uint32_t i = 0; i < work.size(); ++i)
        if (work[i])
            edit.scale(i, kept);
}

} // namespace

void dropTransfer(GraphEdit &edit, std::uint32_t call)
{
    const auto &facts = edit.facts;
    EventId op = facts.enclosing(facts.graph.nodes[call].event, HostTrait::kTransfer);
    if (!op.valid())
        return;
    for (EventId up = op; up.valid(); up = facts.trace.events.parent[up.value])
        if ((facts.own(up) & HostTrait::kTransfer) != 0)
            op = up;
    const std::uint16_t row = facts.graph.nodes[call].row;
    const std::int64_t begin = facts.trace.start(op), end = facts.trace.end(op);
    const auto inside = [&](std::uint32_t j) {
        const EventId e = facts.graph.nodes[j].event;
        return !e.valid() || (facts.trace.start(e) >= begin && facts.trace.start(e) < end);
    };
    for (std::uint32_t j = call; j > 0; --j)
        if (facts.graph.nodes[j].row == row) {
            if (!inside(j))
                break;
            edit.dropHost(j);
        }
    for (std::uint32_t j = call + 1; j < facts.graph.nodes.size(); ++j)
        if (facts.graph.nodes[j].row == row) {
            if (!inside(j))
                break;
            edit.dropHost(j);
        }
}

bool applyLaunchChange(const Change &change, GraphEdit &edit)
{
    switch (change.kind) {
    case ChangeKind::OptimizerFused:
    case ChangeKind::OptimizerForeach:
        fuseOptimizer(edit, change.kind == ChangeKind::OptimizerForeach);
        return true;
    case ChangeKind::ZeroGradMemset:
        dropZeroGrad(edit);
        return true;
    case ChangeKind::CudaGraphs:
        graphTheStep(edit);
        return true;
    case ChangeKind::Compile:
        compileModel(edit);
        return true;
    case ChangeKind::PointwiseChains:
        fusePointwise(edit);
        return true;
    case ChangeKind::CopyManySmall:
        packCopies(edit);
        return true;
    case ChangeKind::HostWork:
        dropHostWork(edit);
        return true;
    case ChangeKind::Recompile:
        dropCause(edit, IdleCause::Compilation, 0);
        return true;
    case ChangeKind::CheckpointStall:
        dropCause(edit, IdleCause::Checkpoint, edit.pick(0.4, 0.15, 0.05));
        return true;
    default:
        return false;
    }
}

} // namespace tuneline::analysis
