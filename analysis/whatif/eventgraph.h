// SPDX-License-Identifier: GPL-3.0-or-later
// The event graph of a window of steps: host segments, API calls and device records as nodes, what each had to wait for
// as edges. It holds durations and dependencies only; no absolute time of the trace survives in it (DESIGN section 6).
// Immutable once built, any thread may read it. Changes are made on a GraphState (replay.h).
#pragma once

#include "analysis/metrics/causes.h"
#include "analysis/trace/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tuneline::analysis {

struct Analysis;

enum class NodeKind : std::uint8_t {
    HostOp, // self time of an operator, range or Python function
    HostCode, // time of a host thread outside any event
    Input, // self time inside a data-loading scope
    Call, // an API call without its blocking part
    Wait, // the end of a blocking call, or of a thread's wait for another: no cost of its own but the return
    Device, // a kernel, copy or memset
};

enum class EdgeKind : std::uint8_t {
    HostOrder, // same thread
    Launch, // call → record
    StreamOrder, // same stream
    StreamWait, // event or stream wait across streams
    Blocking, // record → end of the blocking call
    QueueLimit, // record → launch call that waited for room in the queue of 1,024
    Thread, // another thread's end (autograd thread → main thread, and its start)
};

// node.start = max over its edges of (end of `from` + lag); a lag may be negative (overlapping records).
struct GraphEdge
{
    std::uint32_t from = 0;
    EdgeKind kind = EdgeKind::HostOrder;
    std::int64_t lag = 0; // ns
};

struct GraphNode
{
    EventId event; // what it stands for; invalid = host code outside events
    NodeKind kind = NodeKind::HostCode;
    std::uint16_t row = 0; // index into EventGraph::rows
    IdleCause cause = IdleCause::HostCode; // host nodes: what the thread was doing (DESIGN section 4)
    std::uint16_t boundaries =
        0; // begins and ends of recorded events that touch it (HostPiece): where recording cost lies
    std::uint32_t step = Id<EventTag>::kNone; // index into the window's steps, kNone = before the first
    std::int64_t duration = 0; // ns
};

// One host thread or one stream.
struct GraphRow
{
    LaneId lane;
    bool device = false;
};

class EventGraph
{
public:
    std::vector<GraphNode> nodes; // in topological order
    std::vector<std::uint32_t> firstEdge; // nodes.size() + 1
    std::vector<GraphEdge> edges; // incoming, grouped by node
    std::vector<GraphRow> rows;
    std::vector<std::uint32_t> hostStepBegin; // per step: first node of the step on the main thread
    std::vector<std::uint32_t> hostStepEnd; // per step: last node of the step on the main thread
    std::vector<std::uint32_t> deviceStepBegin; // per step: first record launched in it, kNone = none
    std::vector<std::uint32_t> deviceStepEnd; // per step: the record that ended last of those launched in it
    std::vector<std::uint8_t> steady; // per step: counts for the median
    std::uint32_t firstStep = 0; // of the analysis' steps; the indices above and GraphNode::step count from it
    std::uint32_t droppedEdges = 0; // edges that ran against measured time (clock skew) and were left out

    [[nodiscard]] std::span<const GraphEdge> incoming(std::uint32_t node) const
    {
        return {edges.data() + firstEdge[node], edges.data() + firstEdge[node + 1]};
    }
    [[nodiscard]] std::size_t stepCount() const { return hostStepBegin.size(); }
};

// A window of more events is represented by the steps in its middle: a median over them is as good, and answers stay
// quick. `firstStep` and stepCount() say which, ReplayCheck tells the reader.
inline constexpr std::size_t kMostEvents = 300'000;

// Graph of the steps of one rank. O(n). Without steps the graph is empty.
[[nodiscard]] EventGraph buildEventGraph(const Analysis &analysis, std::size_t mostEvents = kMostEvents);

} // namespace tuneline::analysis
