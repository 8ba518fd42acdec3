// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/replay.h"

#include "analysis/whatif/hostpieces.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

constexpr std::uint32_t kNone = Id<EventTag>::kNone;
constexpr double kRunAhead = 0.02; // DESIGN section 4: the last record ends more than 2 % of a step after the host

std::int64_t medianOf(std::vector<std::int64_t> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Begin of each step and the end of the last, on one side.
std::vector<std::int64_t> stepTimes(const EventGraph &graph, const Replay &r, bool device)
{
    const auto &begins = device ? graph.deviceStepBegin : graph.hostStepBegin;
    const auto &ends = device ? graph.deviceStepEnd : graph.hostStepEnd;
    std::vector<std::int64_t> times;
    for (std::size_t s = 0; s < begins.size(); ++s) {
        if (begins[s] == kNone || ends[s] == kNone) {
            times.push_back(-1);
            continue;
        }
        const bool hasNext = s + 1 < begins.size() && begins[s + 1] != kNone;
        times.push_back((hasNext ? r.start[begins[s + 1]] : r.end[ends[s]]) - r.start[begins[s]]);
    }
    return times;
}

bool runsAhead(const EventGraph &graph, const Replay &r, std::int64_t hostStep)
{
    std::vector<std::int64_t> lags;
    for (std::size_t s = 0; s < graph.stepCount(); ++s)
        if (graph.deviceStepEnd[s] != kNone && graph.hostStepEnd[s] != kNone)
            lags.push_back(r.end[graph.deviceStepEnd[s]] - r.end[graph.hostStepEnd[s]]);
    return !lags.empty() && static_cast<double>(medianOf(lags)) > kRunAhead * static_cast<double>(hostStep);
}

std::int64_t steadyMedian(const EventGraph &graph, const std::vector<std::int64_t> &times)
{
    std::vector<std::int64_t> steady, all;
    for (std::size_t s = 0; s < times.size(); ++s) {
        if (times[s] < 0)
            continue;
        all.push_back(times[s]);
        if (graph.steady[s] != 0)
            steady.push_back(times[s]);
    }
    return medianOf(steady.empty() ? all : steady);
}

} // namespace

GraphState stateOf(const EventGraph &graph)
{
    GraphState state;
    state.duration.reserve(graph.nodes.size());
    for (const GraphNode &n : graph.nodes)
        state.duration.push_back(n.duration);
    state.lag.reserve(graph.edges.size());
    for (const GraphEdge &e : graph.edges)
        state.lag.push_back(e.lag);
    return state;
}

Replay replay(const EventGraph &graph, const GraphState &state)
{
    Replay r;
    replayInto(graph, state, r);
    return r;
}

void replayInto(const EventGraph &graph, const GraphState &state, Replay &r)
{
    const std::size_t count = graph.nodes.size();
    r.start.resize(count);
    r.end.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t start = 0;
        for (std::uint32_t e = graph.firstEdge[i]; e < graph.firstEdge[i + 1]; ++e)
            if (state.lag[e] != GraphState::kCut)
                start = std::max(start, r.end[graph.edges[e].from] + state.lag[e]);
        r.start[i] = start;
        r.end[i] = start + state.duration[i];
    }
    const auto host = stepTimes(graph, r, false);
    r.hostStepNs = steadyMedian(graph, host);
    r.hostRunsAhead = runsAhead(graph, r, r.hostStepNs);
    r.steps = r.hostRunsAhead ? stepTimes(graph, r, true) : host;
    r.stepNs = r.hostRunsAhead ? steadyMedian(graph, r.steps) : r.hostStepNs;
}

void removeRecordingCost(const EventGraph &graph, double costNs, GraphState &state)
{
    // A piece may be shorter than the cost at its edges: the timestamps lie somewhere inside the recording. What one
    // piece can't give, the next ones of the same thread do.
    std::vector<double> owed(graph.rows.size(), 0.0);
    constexpr double kShare = 0.25 / HostPiece::kBoundaryUnits; // an event has two boundaries, each touches two pieces
    constexpr double kKept = 0.3; // of a piece: something was really done there
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode &n = graph.nodes[i];
        if (n.kind == NodeKind::Device || n.kind == NodeKind::Wait)
            continue;
        double &debt = owed[n.row];
        debt += kShare * costNs * n.boundaries;
        const double paid = std::min(debt, (1.0 - kKept) * static_cast<double>(state.duration[i]));
        state.duration[i] -= static_cast<std::int64_t>(paid + 0.5);
        debt -= paid;
    }
}

} // namespace tuneline::analysis
