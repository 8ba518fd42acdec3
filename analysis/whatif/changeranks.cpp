// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks: communication hidden behind compute, no rank late.
#include "analysis/whatif/graphedit.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// Time of this rank's collectives that is waiting for the last rank to arrive, by event.
std::vector<std::pair<EventId, std::int64_t>> waits(const RunFacts &facts)
{
    std::vector<std::pair<EventId, std::int64_t>> list;
    const auto &ranks = facts.analysis.ranks;
    const std::size_t own = facts.analysis.mainSource;
    for (const Collective &c : ranks.collectives) {
        if (own >= c.events.size() || !c.events[own].valid() || own >= ranks.ranks.size())
            continue;
        const EventId e = c.events[own];
        const std::int64_t arrival = facts.trace.start(e) + ranks.ranks[own].clockOffsetNs;
        list.emplace_back(e, std::clamp<std::int64_t>(c.lastArrival - arrival, 0, facts.trace.duration(e)));
    }
    std::sort(list.begin(), list.end());
    return list;
}

} // namespace

bool applyRankChange(const Change &change, GraphEdit &edit)
{
    if (change.kind != ChangeKind::CommExposed && change.kind != ChangeKind::Straggler)
        return false;
    const auto &facts = edit.facts;
    const auto wait = waits(facts);
    for (std::uint32_t i = 0; i < facts.work.size(); ++i) {
        if (facts.work[i].cls != WorkClass::Communication)
            continue;
        const EventId e = facts.graph.nodes[i].event;
        const auto it = std::lower_bound(wait.begin(), wait.end(), std::pair(e, std::int64_t{0}));
        const std::int64_t waiting = it != wait.end() && it->first == e ? it->second : 0;
        const std::int64_t transfer = edit.state.duration[i] - std::min(waiting, edit.state.duration[i]);
        if (change.kind == ChangeKind::Straggler)
            edit.setDuration(i, static_cast<double>(transfer));
        else // what is left of the transfer can't be hidden: the last bucket has nothing to hide behind
            edit.setDuration(i,
                             static_cast<double>(waiting) + edit.pick(0.5, 0.2, 0.05) * static_cast<double>(transfer));
    }
    return true;
}

} // namespace tuneline::analysis
