// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/criticalpath.h"

#include "analysis/whatif/runfacts.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

namespace {

const char *wordOf(WorkClass work)
{
    switch (work) {
    case WorkClass::Matmul:
        return "matrix products";
    case WorkClass::Convolution:
        return "convolutions";
    case WorkClass::Attention:
    case WorkClass::Softmax:
        return "attention and softmax";
    case WorkClass::Norm:
        return "normalisation";
    case WorkClass::Optimizer:
        return "optimizer kernels";
    case WorkClass::Communication:
        return "communication";
    case WorkClass::HostToDevice:
    case WorkClass::DeviceToHost:
    case WorkClass::DeviceCopy:
        return "copies";
    default:
        return "elementwise and other kernels";
    }
}

const char *wordOf(const RunFacts &facts, std::uint32_t node)
{
    switch (facts.graph.nodes[node].kind) {
    case NodeKind::Device:
        return wordOf(facts.work[node].cls);
    case NodeKind::Call:
        return "launch calls";
    case NodeKind::HostOp:
        return "host operators";
    case NodeKind::Input:
        return "waiting for input";
    case NodeKind::HostCode:
    case NodeKind::Wait:
        break;
    }
    return "host code";
}

// The edge that let the node start; kNone = it could start at once.
std::uint32_t binding(const EventGraph &graph, const GraphState &state, const Replay &r, std::uint32_t node)
{
    for (std::uint32_t e = graph.firstEdge[node]; e < graph.firstEdge[node + 1]; ++e)
        if (state.lag[e] != GraphState::kCut && r.end[graph.edges[e].from] + state.lag[e] == r.start[node])
            return e;
    return RunFacts::kNone;
}

} // namespace

std::vector<PathShare> criticalPath(const RunFacts &facts, const GraphState &state, const Replay &r)
{
    std::vector<PathShare> shares;
    if (r.end.empty())
        return shares;
    std::map<const char *, double> time;
    auto node = static_cast<std::uint32_t>(std::max_element(r.end.begin(), r.end.end()) - r.end.begin());
    while (true) {
        time[wordOf(facts, node)] += static_cast<double>(state.duration[node]);
        const std::uint32_t edge = binding(facts.graph, state, r, node);
        if (edge == RunFacts::kNone)
            break;
        if (state.lag[edge] > 0)
            time["launch and stream latency"] += static_cast<double>(state.lag[edge]);
        node = facts.graph.edges[edge].from;
    }
    double all = 0;
    for (const auto &[what, ns] : time)
        all += ns;
    for (const auto &[what, ns] : time)
        if (ns > 0)
            shares.push_back({what, ns / all});
    std::stable_sort(shares.begin(), shares.end(),
                     [](const PathShare &a, const PathShare &b) { return a.share > b.share; });
    return shares;
}

} // namespace tuneline::analysis
