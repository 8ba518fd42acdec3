// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that no longer hold the host.
#include "analysis/whatif/graphedit.h"

#include <string_view>

namespace tuneline::analysis {

namespace {

constexpr double kLaunchNs = 4000; // a launch call that doesn't wait

// Reads of device values: the copy, the wait and the call go; what computed the value stays.
void dropItems(GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const auto &nodes = facts.graph.nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const bool device = nodes[i].kind == NodeKind::Device;
        const std::uint32_t within = device ? facts.launchedWithin(i) : facts.withinOf(i);
        if ((within & HostTrait::kItem) == 0)
            continue;
        if (device && facts.work[i].cls == WorkClass::DeviceToHost)
            edit.dropDevice(i);
        else if (nodes[i].kind == NodeKind::Wait)
            edit.unblock(i);
        else if (nodes[i].kind == NodeKind::Call && facts.waitOf[i] != RunFacts::kNone)
            edit.dropHost(i);
        else if (nodes[i].kind == NodeKind::HostOp && (facts.own(nodes[i].event) & HostTrait::kItem) != 0)
            edit.dropHost(i);
    }
    edit.assume("The values stay on the device and are read once in many steps.");
}

bool isExplicitSync(const RunFacts &facts, std::uint32_t wait)
{
    if (facts.graph.nodes[wait].kind != NodeKind::Wait || !facts.graph.nodes[wait].event.valid())
        return false;
    const std::string_view name = facts.trace.name(facts.graph.nodes[wait].event);
    return name.find("Synchronize") != std::string_view::npos && (facts.withinOf(wait) & HostTrait::kInOp) == 0;
}

StringId parentName(const Trace &trace, EventId e)
{
    const EventId parent = trace.events.parent[e.value];
    return parent.valid() ? trace.events.name[parent.value] : StringId{0U};
}

// The same call below an operator of the same name.
bool isSamePlace(const RunFacts &facts, EventId a, EventId b)
{
    const Trace &trace = facts.trace;
    return a == b
        || (b.valid() && trace.events.name[a.value] == trace.events.name[b.value]
            && parentName(trace, a) == parentName(trace, b));
}

bool isAllocation(const RunFacts &facts, std::uint32_t node)
{
    const GraphNode &n = facts.graph.nodes[node];
    return n.event.valid() && isApiCall(facts.trace.kind(n.event))
        && (facts.analysis.names.of(facts.trace, n.event) & NameTrait::kAllocation) != 0;
}

} // namespace

bool applySyncChange(const Change &change, GraphEdit &edit)
{
    const auto &facts = edit.facts;
    const auto &nodes = facts.graph.nodes;
    switch (change.kind) {
    case ChangeKind::SyncItem:
        dropItems(edit);
        return true;
    case ChangeKind::SyncExplicit:
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (isExplicitSync(facts, i))
                edit.unblock(i);
        return true;
    case ChangeKind::SyncAllocation:
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            if (!isAllocation(facts, i))
                continue;
            edit.dropHost(i);
            if (nodes[i].kind == NodeKind::Wait)
                edit.unblock(i);
        }
        return true;
    case ChangeKind::LaunchBlocking:
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].kind == NodeKind::Device && facts.work[i].call != RunFacts::kNone
                && facts.trace.kind(nodes[i].event) == EventKind::Kernel) {
                const std::uint32_t call = facts.work[i].call;
                if (facts.waitOf[call] == RunFacts::kNone)
                    continue;
                edit.unblock(facts.waitOf[call]);
                edit.setDuration(call, kLaunchNs);
            }
        return true;
    case ChangeKind::DropSync:
        // Not one call of one step: the place in the program, in every step.
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].kind == NodeKind::Wait && nodes[i].event.valid()
                && isSamePlace(facts, nodes[i].event, change.event))
                edit.unblock(i);
        return true;
    default:
        return false;
    }
}

} // namespace tuneline::analysis
