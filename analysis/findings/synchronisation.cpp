// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that hold the training thread until the device gets somewhere. What counts is their true cost by replay.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"

namespace tuneline::analysis {

namespace {

struct Calls
{
    std::vector<std::uint32_t> nodes;
    std::vector<std::string> names;
    double ns = 0; // per step
};

template <typename Test> Calls callsThat(const RuleContext &c, Test &&test)
{
    Calls calls;
    for (std::uint32_t i = 0; i < c.facts.graph.nodes.size(); ++i) {
        const GraphNode &n = c.facts.graph.nodes[i];
        if (n.kind != NodeKind::Call || !test(i, n))
            continue;
        calls.nodes.push_back(i);
        calls.ns += static_cast<double>(c.trace.duration(n.event));
    }
    calls.ns = c.perStep(calls.ns);
    return calls;
}

double perStepCount(const RuleContext &c, const Calls &calls)
{
    return c.perStep(static_cast<double>(calls.nodes.size()));
}

std::string inScope(const RuleContext &c, const Calls &calls)
{
    for (const std::uint32_t i : calls.nodes)
        if (const std::string scope = scopeAt(c, c.facts.graph.nodes[i].event); !scope.empty())
            return "; the first is in " + scope;
    return {};
}

void callEvidence(const RuleContext &c, Finding &f, const Calls &calls)
{
    for (const std::uint32_t i : calls.nodes) {
        const EventId e = c.facts.graph.nodes[i].event;
        const std::string op = operatorAt(c, e);
        addEvidence(c, f, e,
                    std::string(c.trace.name(e)) + (op.empty() ? "" : " in " + op) + ", "
                        + timeText(static_cast<double>(c.trace.duration(e))));
    }
}

} // namespace

void checkItems(const RuleContext &c, RuleReport &report)
{
    Calls calls = callsThat(c, [&](std::uint32_t i, const GraphNode &) {
        return (c.facts.withinOf(i) & HostTrait::kItem) != 0 && c.facts.waitOf[i] != RunFacts::kNone;
    });
    if (calls.nodes.empty()) {
        report.fine("sync-item", "no operator reads a device value on the host");
        return;
    }
    std::vector<std::string> ops;
    for (const std::uint32_t i : calls.nodes) {
        EventId op = c.facts.enclosing(c.facts.graph.nodes[i].event, HostTrait::kItem);
        for (EventId up = op; up.valid(); up = c.trace.events.parent[up.value])
            if ((c.facts.own(up) & HostTrait::kItem) != 0)
                op = up; // aten::item, not the _local_scalar_dense inside
        ops.emplace_back(c.trace.name(op));
    }
    Finding f = makeFinding(c, "sync-item", 0, {change(ChangeKind::SyncItem)},
                            {{"count", numberText(perStepCount(c, calls))},
                             {"ops", mostFrequent(ops, static_cast<double>(c.steps))},
                             {"where", inScope(c, calls)}});
    f.share = std::max(0.0, 1 - static_cast<double>(f.gain.predictedStepNs) / c.stepNs);
    f.fix.knob = "loss_every=50";
    callEvidence(c, f, calls);
    report.add(c, std::move(f));
}

void checkExplicitSyncs(const RuleContext &c, RuleReport &report)
{
    Calls calls = callsThat(c, [&](std::uint32_t i, const GraphNode &n) {
        return c.trace.name(n.event).find("Synchronize") != std::string_view::npos
            && (c.facts.withinOf(i) & HostTrait::kInOp) == 0;
    });
    if (calls.nodes.empty()) {
        report.fine("sync-explicit", "no synchronisation call outside operators");
        return;
    }
    for (const std::uint32_t i : calls.nodes)
        calls.names.emplace_back(c.trace.name(c.facts.graph.nodes[i].event));
    const WhatIfResult r = c.whatIf.predict({change(ChangeKind::SyncExplicit)});
    Finding f = makeFinding(c, "sync-explicit", calls.ns, {change(ChangeKind::SyncExplicit)},
                            {{"time", timeText(calls.ns)},
                             {"count", numberText(perStepCount(c, calls))},
                             {"calls", mostFrequent(calls.names, static_cast<double>(c.steps))},
                             {"cost", timeText(std::max(0.0, c.stepNs - static_cast<double>(r.stepNs)))},
                             {"where", inScope(c, calls)}});
    // Time inside the calls is no loss by itself: what counts is what vanishes without them.
    f.share = std::max(0.0, 1 - static_cast<double>(f.gain.predictedStepNs) / c.stepNs);
    callEvidence(c, f, calls);
    report.add(c, std::move(f));
}

void checkAllocations(const RuleContext &c, RuleReport &report)
{
    Calls calls = callsThat(c, [&](std::uint32_t, const GraphNode &n) {
        return (c.analysis.names.of(c.trace, n.event) & NameTrait::kAllocation) != 0;
    });
    const double count = perStepCount(c, calls);
    if (count < 0.5) {
        report.fine("sync-allocation",
                    calls.nodes.empty() ? "no cudaMalloc or cudaFree in the window"
                                        : numberText(static_cast<double>(calls.nodes.size()))
                            + " allocation calls in the whole window");
        return;
    }
    bool frees = false;
    for (const std::uint32_t i : calls.nodes) {
        calls.names.emplace_back(c.trace.name(c.facts.graph.nodes[i].event));
        frees = frees || calls.names.back().find("Free") != std::string::npos;
    }
    Finding f = makeFinding(
        c, "sync-allocation", calls.ns, {change(ChangeKind::SyncAllocation)},
        {{"count", numberText(count)},
         {"calls", mostFrequent(calls.names, static_cast<double>(c.steps))},
         {"time", timeText(calls.ns)},
         {"idle", timeText(c.idle(IdleCause::Allocation))},
         {"pattern",
          frees ? "; freeing and allocating in the same step is the pattern of empty_cache() in the loop"
                : "; memory that is never freed again is the pattern of growing shapes or leaked tensors"}});
    callEvidence(c, f, calls);
    report.add(c, std::move(f));
}

void checkLaunchBlocking(const RuleContext &c, RuleReport &report)
{
    std::size_t launches = 0, waiting = 0;
    double ns = 0;
    std::vector<EventId> examples;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        const std::uint32_t call = c.facts.work[i].call;
        if (call == RunFacts::kNone || c.trace.kind(c.facts.graph.nodes[i].event) != EventKind::Kernel)
            continue;
        ++launches;
        const EventId e = c.facts.graph.nodes[call].event;
        if (c.trace.end(c.facts.graph.nodes[i].event) > c.trace.end(e))
            continue;
        ++waiting;
        ns += static_cast<double>(c.trace.duration(e));
        if (examples.size() < 50)
            examples.push_back(e);
    }
    if (launches < 20) {
        report.notApplicable("launch-blocking", "fewer than 20 linked launches");
        return;
    }
    const double part = static_cast<double>(waiting) / static_cast<double>(launches);
    if (part < 0.9) {
        report.fine("launch-blocking", percentText(part) + " of the launch calls outlast their kernel");
        return;
    }
    Finding f = makeFinding(c, "launch-blocking", c.perStep(ns), {change(ChangeKind::LaunchBlocking)},
                            {{"part", percentText(part)},
                             {"count", numberText(c.perStep(static_cast<double>(launches)))},
                             {"time", timeText(c.perStep(ns))}});
    for (const EventId e : examples)
        addEvidence(c, f, e, "launch that waits for its kernel, " + timeText(static_cast<double>(c.trace.duration(e))));
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
