// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/graphedit.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

void GraphEdit::assume(std::string text)
{
    if (outlook == Outlook::Expected && std::find(assumptions.begin(), assumptions.end(), text) == assumptions.end())
        assumptions.push_back(std::move(text));
}

void GraphEdit::setDuration(std::uint32_t node, double ns)
{
    state.duration[node] =
        ns > 0 ? static_cast<std::int64_t>(ns + 0.5) : 0; // a call of llround costs more than all else here
}

void GraphEdit::dropDevice(std::uint32_t node)
{
    state.duration[node] = 0;
    const EventGraph &g = facts.graph;
    for (std::uint32_t e = g.firstEdge[node]; e < g.firstEdge[node + 1]; ++e)
        if (g.edges[e].kind == EdgeKind::StreamOrder && state.lag[e] != GraphState::kCut)
            state.lag[e] = std::min<std::int64_t>(state.lag[e], 0);
        else if (g.edges[e].kind == EdgeKind::Launch)
            state.lag[e] = GraphState::kCut; // only the order on the stream is left
    if (const std::uint32_t call = facts.work[node].call; call != RunFacts::kNone)
        dropHost(call);
}

void GraphEdit::unblock(std::uint32_t wait)
{
    const EventGraph &g = facts.graph;
    for (std::uint32_t e = g.firstEdge[wait]; e < g.firstEdge[wait + 1]; ++e)
        if (g.edges[e].kind == EdgeKind::Blocking)
            state.lag[e] = GraphState::kCut;
}

} // namespace tuneline::analysis
