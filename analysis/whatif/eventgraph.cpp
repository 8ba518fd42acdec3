// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/eventgraph.h"

#include "analysis/trace/hugepages.h"
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

constexpr std::size_t kFewestSteps = 16;

// The steps to be replayed: all, or the middle ones of a very long window.
std::pair<std::uint32_t, std::uint32_t> chosenSteps(const Trace &trace, const StepSet &steps, std::size_t mostEvents)
{
    const std::size_t count = steps.list.size();
    const std::int64_t from = steps.list.front().hostStart, to = steps.list.back().hostEnd;
    std::size_t events = 0;
    for (const Lane &lane : trace.lanes) {
        if (lane.source != steps.source || (lane.kind != LaneKind::Cpu && lane.kind != LaneKind::Stream))
            continue;
        const auto [first, last] = trace.visible(lane, from, to);
        events += last - first;
    }
    if (events <= mostEvents || count <= kFewestSteps)
        return {0U, static_cast<std::uint32_t>(count)};
    const std::size_t kept = std::max(kFewestSteps, count * mostEvents / events);
    const auto first = static_cast<std::uint32_t>((count - std::min(kept, count)) / 2);
    return {first, first + static_cast<std::uint32_t>(std::min(kept, count))};
}

void fillHostSteps(const GraphScope &scope, const GraphDraft &draft, const std::vector<std::uint32_t> &newIndex,
                   EventGraph &graph)
{
    const std::size_t count = scope.list().size();
    graph.hostStepBegin.assign(count, kNoNode);
    graph.hostStepEnd.assign(count, kNoNode);
    for (const Step &step : scope.list())
        graph.steady.push_back(step.steady() ? 1 : 0);
    for (std::uint32_t i = 0; i < draft.nodes.size(); ++i) {
        const DraftNode &n = draft.nodes[i];
        if (n.node.kind == NodeKind::Device)
            continue;
        const std::uint32_t step = scope.inGraph(scope.steps.stepAtHost(n.start));
        if (step == kNoNode)
            continue;
        const std::uint32_t node = newIndex[i];
        graph.nodes[node].step = step;
        if (n.node.row != 0)
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

namespace {

// What orders the nodes: their time; at one instant the host comes first (it launches), and a wait before what follows
// it.
struct Place
{
    std::int64_t key = 0;
    std::uint32_t rank = 0, index = 0;

    bool operator<(const Place &o) const
    {
        return key != o.key ? key < o.key : rank != o.rank ? rank < o.rank : index < o.index;
    }
};

// Threads and streams were added one after another, each nearly in order: merging what is sorted already beats sorting.
void mergeRuns(std::vector<Place> &places)
{
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i <= places.size(); ++i)
        if (i == places.size() || places[i] < places[i - 1])
            ends.push_back(i);
    constexpr std::size_t kManyRuns = 1 << 12;
    if (ends.size() > kManyRuns) {
        std::sort(places.begin(), places.end());
        return;
    }
    std::vector<Place> other;
    resizeOnHugePages(other, places.size());
    while (ends.size() > 1) {
        std::vector<std::size_t> merged;
        std::size_t begin = 0;
        for (std::size_t r = 0; r < ends.size(); r += 2) {
            const std::size_t middle = ends[r], end = r + 1 < ends.size() ? ends[r + 1] : middle;
            const auto at = [&](std::size_t i) { return places.begin() + static_cast<std::ptrdiff_t>(i); };
            std::merge(at(begin), at(middle), at(middle), at(end), other.begin() + static_cast<std::ptrdiff_t>(begin));
            merged.push_back(begin = end);
        }
        places.swap(other);
        ends.swap(merged);
    }
}

std::vector<Place> placesOf(const std::vector<DraftNode> &nodes)
{
    std::vector<Place> places;
    resizeOnHugePages(places, nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const NodeKind kind = nodes[i].node.kind;
        places[i] = {nodes[i].key, kind == NodeKind::Device ? 1U : kind == NodeKind::Wait ? 2U : 3U, i};
    }
    mergeRuns(places);
    return places;
}

} // namespace

// Edges first: once they are in the graph, their drafts' memory serves its nodes.
EventGraph GraphDraft::assemble(std::vector<std::uint32_t> &newIndex)
{
    EventGraph graph;
    newIndex.assign(nodes.size(), kNoNode);
    std::uint32_t place = 0;
    for (const Place &p : placesOf(nodes))
        newIndex[p.index] = place++;
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
    resizeOnHugePages(graph.edges, graph.firstEdge.back());
    for (const DraftEdge &e : edges)
        if (forward(e))
            graph.edges[next[newIndex[e.to]]++] = {newIndex[e.edge.from], e.edge.kind, e.edge.lag};
    edges = {};
    resizeOnHugePages(graph.nodes, nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        graph.nodes[newIndex[i]] = nodes[i].node;
    graph.rows = rows;
    return graph;
}

EventGraph buildEventGraph(const Analysis &analysis, std::size_t mostEvents)
{
    const StepSet &steps = analysis.stepSet();
    if (steps.empty() || !steps.trainingLane.valid())
        return {};
    const auto [first, end] = chosenSteps(*analysis.trace, steps, mostEvents);
    // The last record may end after the window; host time ends with the last step.
    const Range window{steps.list[first].hostStart, steps.list[end - 1].hostEnd};
    const GraphScope scope{analysis, *analysis.trace, steps, first, end, window, launchingThreads(analysis, steps)};
    GraphDraft draft;
    draft.nodeOf.assign(scope.trace.events.size(), kNoNode);
    addHostNodes(scope, draft);
    addDeviceNodes(scope, draft);
    addBlockingEdges(scope, draft);
    addDeviceEdges(scope, draft);
    draft.nodeOf = {};
    draft.streams = {};
    std::vector<std::uint32_t> newIndex;
    EventGraph graph = draft.assemble(newIndex);
    graph.firstStep = first;
    fillHostSteps(scope, draft, newIndex, graph);
    fillDeviceSteps(draft, newIndex, graph);
    return graph;
}

} // namespace tuneline::analysis
