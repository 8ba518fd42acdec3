// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/eventgraph.h"

#include "analysis/whatif/graphdraft.h"

#include <algorithm>
#include <numeric>

namespace tuneline::analysis {

namespace {

// Threads that put work on a device, and operators beside them; the training thread first.
std::vector<LaneId> launchingThreads(const Analysis &analysis, const StepSet &steps)
{
    std::vector<LaneId> threads{steps.trainingLane};
    const Trace &trace = *analysis.trace;
    for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
        const Lane &lane = trace.lanes[l];
        if (lane.kind != LaneKind::Cpu || lane.source != steps.source || LaneId{l} == steps.trainingLane)
            continue;
        bool launches = false;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count && !launches; ++i) {
            const EventId e{i};
            launches = (isApiCall(trace.kind(e)) && trace.events.launch[i].valid())
                || analysis.names.is(trace, e, NameTrait::kBackward);
        }
        if (launches)
            threads.push_back(LaneId{l});
    }
    return threads;
}

// The last record of the window may end after it; host time ends with the last step.
Range windowOf(const StepSet &steps)
{
    return {steps.list.front().hostStart, steps.list.back().hostEnd};
}

void fillHostSteps(const GraphScope &scope, const GraphDraft &draft, const std::vector<std::uint32_t> &newIndex,
                   EventGraph &graph)
{
    const std::size_t count = scope.steps.list.size();
    graph.hostStepBegin.assign(count, kNoNode);
    graph.hostStepEnd.assign(count, kNoNode);
    for (const Step &step : scope.steps.list)
        graph.steady.push_back(step.steady() ? 1 : 0);
    std::vector<std::pair<std::int64_t, std::uint32_t>> main; // start, new index
    for (std::uint32_t i = 0; i < draft.nodes.size(); ++i) {
        const DraftNode &n = draft.nodes[i];
        if (n.node.kind == NodeKind::Device)
            continue;
        const std::uint32_t step = scope.steps.stepAtHost(n.start);
        graph.nodes[newIndex[i]].step = step == StepSet::kNoStep ? kNoNode : step;
        if (n.node.row == 0)
            main.emplace_back(n.start, newIndex[i]);
    }
    std::sort(main.begin(), main.end());
    for (const auto &[start, node] : main) {
        const std::uint32_t step = graph.nodes[node].step;
        if (step == kNoNode)
            continue;
        graph.hostStepBegin[step] = std::min(graph.hostStepBegin[step], node);
        graph.hostStepEnd[step] = graph.hostStepEnd[step] == kNoNode ? node : std::max(graph.hostStepEnd[step], node);
    }
}

void fillDeviceSteps(const GraphDraft &draft, const std::vector<std::uint32_t> &newIndex, EventGraph &graph)
{
    graph.deviceStepBegin.assign(graph.hostStepBegin.size(), kNoNode);
    graph.deviceStepEnd = graph.deviceStepBegin;
    std::vector<std::int64_t> first(graph.stepCount()), last(graph.stepCount());
    for (std::uint32_t i = 0; i < draft.nodes.size(); ++i) {
        const DraftNode &n = draft.nodes[i];
        const std::uint32_t step = n.node.step;
        if (n.node.kind != NodeKind::Device || step >= graph.stepCount())
            continue;
        if (graph.deviceStepBegin[step] == kNoNode || n.start < first[step]) {
            graph.deviceStepBegin[step] = newIndex[i];
            first[step] = n.start;
        }
        if (graph.deviceStepEnd[step] == kNoNode || n.end > last[step]) {
            graph.deviceStepEnd[step] = newIndex[i];
            last[step] = n.end;
        }
    }
}

} // namespace

EventGraph GraphDraft::assemble(std::vector<std::uint32_t> &newIndex) const
{
    EventGraph graph;
    std::vector<std::uint32_t> order(nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    // At one instant the host comes first (it launches), and a wait before what follows it.
    const auto rank = [this](std::uint32_t i) {
        return nodes[i].node.kind == NodeKind::Device ? 1 : nodes[i].node.kind == NodeKind::Wait ? 2 : 3;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return nodes[a].key != nodes[b].key ? nodes[a].key < nodes[b].key : rank(a) < rank(b);
    });
    newIndex.assign(nodes.size(), kNoNode);
    graph.nodes.reserve(nodes.size());
    for (const std::uint32_t i : order) {
        newIndex[i] = static_cast<std::uint32_t>(graph.nodes.size());
        graph.nodes.push_back(nodes[i].node);
    }
    graph.firstEdge.assign(nodes.size() + 1, 0);
    const auto forward = [&](const DraftEdge &e) { return newIndex[e.edge.from] < newIndex[e.to]; };
    for (const DraftEdge &e : edges) {
        if (forward(e))
            ++graph.firstEdge[newIndex[e.to] + 1];
        else
            ++graph.droppedEdges;
    }
    std::partial_sum(graph.firstEdge.begin(), graph.firstEdge.end(), graph.firstEdge.begin());
    std::vector<std::uint32_t> next(graph.firstEdge.begin(), graph.firstEdge.end() - 1);
    graph.edges.resize(graph.firstEdge.back());
    for (const DraftEdge &e : edges)
        if (forward(e))
            graph.edges[next[newIndex[e.to]]++] = {newIndex[e.edge.from], e.edge.kind, e.edge.lag};
    graph.rows = rows;
    return graph;
}

EventGraph buildEventGraph(const Analysis &analysis)
{
    const StepSet &steps = analysis.stepSet();
    if (steps.empty() || !steps.trainingLane.valid())
        return {};
    const GraphScope scope{analysis, *analysis.trace, steps, windowOf(steps), launchingThreads(analysis, steps)};
    GraphDraft draft;
    draft.nodeOf.assign(scope.trace.events.size(), kNoNode);
    addHostNodes(scope, draft);
    addDeviceNodes(scope, draft);
    addBlockingEdges(scope, draft);
    addDeviceEdges(scope, draft);
    std::vector<std::uint32_t> newIndex;
    EventGraph graph = draft.assemble(newIndex);
    fillHostSteps(scope, draft, newIndex, graph);
    fillDeviceSteps(draft, newIndex, graph);
    return graph;
}

} // namespace tuneline::analysis
