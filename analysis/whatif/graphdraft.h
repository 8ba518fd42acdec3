// SPDX-License-Identifier: GPL-3.0-or-later
// A graph under construction: nodes and edges in any order, each node with the measured time that orders it. Internal
// to analysis/whatif; one thread.
#pragma once

#include "analysis/analysis.h"
#include "analysis/whatif/eventgraph.h"
#include "analysis/whatif/hostpieces.h"

#include <span>
#include <vector>

namespace tuneline::analysis {

inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

struct DraftNode
{
    GraphNode node;
    std::int64_t start = 0, end = 0; // as measured, ns
    std::int64_t key = 0; // orders the nodes: never before anything that it depends on
    std::uint32_t place = 0; // device records: index on their stream
    std::uint32_t wait = kNoNode; // calls that may block: the node of their end
};

struct DraftEdge
{
    std::uint32_t to = 0;
    GraphEdge edge;
};

// A record on its stream, in launch order.
struct StreamRecord
{
    std::uint32_t node = kNoNode;
    std::int64_t launchStart = 0; // running maximum over the stream, for searches
    std::int64_t start = 0, end = 0;
};

struct StreamDraft
{
    LaneId lane;
    std::vector<StreamRecord> records;
};

class GraphDraft
{
public:
    std::uint32_t addNode(const DraftNode &node)
    {
        nodes.push_back(node);
        return static_cast<std::uint32_t>(nodes.size() - 1);
    }
    void addEdge(std::uint32_t from, std::uint32_t to, EdgeKind kind, std::int64_t lag)
    {
        edges.push_back({to, {from, kind, lag}});
    }

    [[nodiscard]] StreamDraft &streamOf(const DraftNode &record) { return streams[record.node.row - hostRows]; }

    // Sorts the nodes topologically, drops edges against the order, fills in everything but the steps. The draft's own
    // edges are gone afterwards.
    EventGraph assemble(std::vector<std::uint32_t> &newIndex);

    std::vector<DraftNode> nodes;
    std::vector<DraftEdge> edges;
    std::vector<GraphRow> rows;
    std::vector<StreamDraft> streams;
    std::vector<std::uint32_t> calls; // nodes of API calls
    std::vector<std::uint32_t> nodeOf; // by EventId, for API calls and device records; kNoNode = not in the graph
    std::size_t hostRows = 0; // rows before the first stream's
    bool launchBlocking = false; // every launch waits for its kernel
};

// What is to be put in: steps of one source. Step indices in the graph count from firstStep.
struct GraphScope
{
    const Analysis &analysis;
    const Trace &trace;
    const StepSet &steps;
    std::uint32_t firstStep = 0, endStep = 0; // [firstStep, endStep) of steps.list
    Range window; // host time
    std::vector<LaneId> threads; // training thread first

    [[nodiscard]] std::span<const Step> list() const
    {
        return std::span(steps.list).subspan(firstStep, endStep - firstStep);
    }
    [[nodiscard]] std::uint32_t inGraph(std::uint32_t step) const
    {
        return step >= firstStep && step < endStep ? step - firstStep : kNoNode;
    }
};

// Fill the draft, in this order.
void addHostNodes(const GraphScope &scope, GraphDraft &draft);
void addDeviceNodes(const GraphScope &scope, GraphDraft &draft);
void addBlockingEdges(const GraphScope &scope, GraphDraft &draft); // shortens calls to their own cost
void addDeviceEdges(const GraphScope &scope, GraphDraft &draft);

} // namespace tuneline::analysis
