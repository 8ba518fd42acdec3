// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks or devices.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"

#include <algorithm>

namespace tuneline::analysis {

void checkCommunication(const RuleContext &c, RuleReport &report)
{
    if (!c.device || c.device->commNs == 0) {
        report.notApplicable("comm-exposed", "no communication kernels");
        return;
    }
    const auto exposed = static_cast<double>(c.analysis.breakdown.exposedCommNs);
    // The part before the last rank arrived belongs to the straggler.
    double waiting = 0;
    if (c.analysis.mainSource < c.analysis.ranks.ranks.size())
        waiting = c.perRunStep(static_cast<double>(c.analysis.ranks.ranks[c.analysis.mainSource].commWaitNs));
    const double transfer = std::max(0.0, exposed - waiting);
    if (c.share(transfer) < 0.1) {
        report.fine("comm-exposed", "exposed transfer is " + percentText(c.share(transfer)) + " of the step");
        return;
    }
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i)
        if (c.facts.work[i].cls == WorkClass::Communication)
            nodes.push_back(i);
    const EventId first = nodes.empty() ? EventId{} : c.facts.graph.nodes[nodes.front()].event;
    Finding f =
        makeFinding(c, "comm-exposed", transfer, {change(ChangeKind::CommExposed)},
                    {{"time", timeText(transfer)},
                     {"collective", first.valid() ? std::string(c.trace.name(first)).substr(0, 60) : "communication"},
                     {"count", numberText(c.perStep(static_cast<double>(nodes.size()))) + " per step"},
                     {"bytes", "sizes as recorded"}});
    for (const std::uint32_t i : nodes)
        addEvidence(c, f, c.facts.graph.nodes[i].event, "communication");
    report.add(c, std::move(f));
}

void checkStraggler(const RuleContext &c, RuleReport &report)
{
    const RankAnalysis &ranks = c.analysis.ranks;
    if (ranks.ranks.size() < 2) {
        report.notApplicable("straggler", "one rank only");
        return;
    }
    if (!ranks.straggler) {
        report.fine("straggler", "no rank arrives last again and again");
        return;
    }
    double spread = 0, longest = 0;
    for (const Collective &k : ranks.collectives)
        spread += static_cast<double>(k.spreadNs);
    for (const RankFigures &r : ranks.ranks)
        longest = std::max(longest, static_cast<double>(r.commWaitNs));
    const double perStep = c.perRunStep(longest);
    std::string cause = "not visible in this capture";
    if (const auto &late = c.analysis.lateCause)
        cause = "rank " + std::to_string(*ranks.straggler) + " spends " + timeText(static_cast<double>(late->excessNs))
            + " more per step on " + late->what + " than the others";
    Finding f = makeFinding(
        c, "straggler", perStep, {change(ChangeKind::Straggler)},
        {{"rank", std::to_string(*ranks.straggler)},
         {"wait", timeText(perStep)},
         {"collectives", std::to_string(ranks.collectives.size())},
         {"spread", timeText(spread / static_cast<double>(std::max<std::size_t>(1, ranks.collectives.size())))},
         {"cause", cause}});
    if (!c.device) { // collectives on host threads are in no event graph
        const bool waits = c.trace.sources[c.analysis.mainSource].rank != ranks.straggler;
        const double most =
            std::min(perStep, waits ? static_cast<double>(c.analysis.breakdown.exposedCommNs) : 0.95 * c.stepNs);
        f.gain = {static_cast<std::int64_t>(0.5 * most), static_cast<std::int64_t>(most),
                  static_cast<std::int64_t>(c.stepNs - 0.75 * most)};
    }
    for (const Collective &k : ranks.collectives)
        for (const EventId e : k.events)
            addEvidence(c, f, e, "collective");
    report.add(c, std::move(f));
}

void checkDataParallel(const RuleContext &c, RuleReport &report)
{
    double ns = 0, copies = 0;
    std::vector<EventId> evidence;
    for (std::uint32_t i = 0; i < c.trace.events.size(); ++i) {
        const EventId e{i};
        const std::string_view name = c.trace.name(e);
        if (c.trace.laneOf(e).kind == LaneKind::Cpu && name.find("DataParallel.forward") != std::string_view::npos
            && name.find("Distributed") == std::string_view::npos) {
            ns += static_cast<double>(c.trace.duration(e));
            evidence.push_back(e);
        }
        const CopyDetail *copy = c.trace.copy(e);
        copies += copy && copy->kind == CopyKind::PeerToPeer ? 1 : 0;
    }
    if (evidence.empty() || copies == 0) {
        report.notApplicable("data-parallel", "no single-process replication");
        return;
    }
    Finding f =
        makeFinding(c, "data-parallel", c.perRunStep(ns), {},
                    {{"time", timeText(c.perRunStep(ns))}, {"copies", numberText(c.perRunStep(copies)) + " per step"}});
    f.gain = {0, static_cast<std::int64_t>(0.5 * c.perRunStep(ns)),
              static_cast<std::int64_t>(c.stepNs - 0.25 * c.perRunStep(ns))};
    f.confidence = Confidence::Low;
    for (const EventId e : evidence)
        addEvidence(c, f, e, "replicates, scatters, gathers");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
