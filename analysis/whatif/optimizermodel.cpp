// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/optimizermodel.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

namespace tuneline::analysis {

bool inOptimizer(const RunFacts &facts, std::uint32_t node)
{
    const std::uint32_t within =
        facts.graph.nodes[node].kind == NodeKind::Device ? facts.launchedWithin(node) : facts.withinOf(node);
    return (within & HostTrait::kOptimizer) != 0;
}

namespace {

// An update does the same few operators once for each parameter: the most frequent one tells how many there are.
double parametersOf(const RunFacts &facts, const OptimizerFigures &f)
{
    std::map<std::string_view, std::size_t> calls;
    for (const std::uint32_t i : f.device) {
        const std::uint32_t call = facts.work[i].call;
        if (call == RunFacts::kNone)
            continue;
        const EventId op = facts.trace.events.parent[facts.graph.nodes[call].event.value];
        if (op.valid() && (facts.within[op.value] & NameTrait::kOptimizerOp) == 0)
            ++calls[facts.trace.name(op)];
    }
    std::size_t least = 0;
    // The rarest of the frequent ones: aten::mul_ may run twice for each parameter.
    std::size_t most = 0;
    for (const auto &[name, n] : calls)
        most = std::max(most, n);
    for (const auto &[name, n] : calls)
        if (4 * n >= most && (least == 0 || n < least))
            least = n;
    return static_cast<double>(least) / static_cast<double>(std::max<std::size_t>(1, facts.graph.stepCount()));
}

OptimizerFigures computed(const RunFacts &facts)
{
    OptimizerFigures f;
    const auto steps = static_cast<double>(std::max<std::size_t>(1, facts.graph.stepCount()));
    double smallest = std::numeric_limits<double>::max();
    for (std::uint32_t i = 0; i < facts.graph.nodes.size(); ++i) {
        const GraphNode &n = facts.graph.nodes[i];
        if (!inOptimizer(facts, i))
            continue;
        if (n.kind != NodeKind::Device) {
            f.host.push_back(i);
            f.hostNs += static_cast<double>(n.duration) / steps;
            continue;
        }
        f.device.push_back(i);
        const auto ns = static_cast<double>(n.duration);
        smallest = std::min(smallest, ns);
        f.deviceNs += ns / steps;
        f.kernelsPerStep += 1 / steps;
        if ((facts.launchedWithin(i) & NameTrait::kOptimizerOp) == 0)
            f.unfusedPerStep += 1 / steps;
    }
    if (f.device.empty())
        return f;
    f.smallestNs = std::max(1000.0, smallest);
    for (const std::uint32_t i : f.device)
        f.movedNs += std::max(0.0, static_cast<double>(facts.graph.nodes[i].duration) - f.smallestNs) / steps;
    const std::uint32_t call = facts.work[f.device.front()].call;
    for (EventId e = facts.graph.nodes[call].event; e.valid(); e = facts.trace.events.parent[e.value])
        if ((facts.analysis.names.of(facts.trace, e) & NameTrait::kOptimizerScope) != 0)
            f.scope = e;
    f.parameters = parametersOf(facts, f);
    return f;
}

} // namespace

const OptimizerFigures &optimizerFigures(const RunFacts &facts)
{
    std::call_once(facts.m_optimizerOnce,
                   [&] { facts.m_optimizer = std::make_shared<const OptimizerFigures>(computed(facts)); });
    return *facts.m_optimizer;
}

} // namespace tuneline::analysis
