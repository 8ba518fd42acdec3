// SPDX-License-Identifier: GPL-3.0-or-later
// The run as a whole: saving, numerics.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

void checkCheckpointStall(const RuleContext &c, RuleReport &report)
{
    double ns = 0, bytes = 0;
    std::vector<EventId> scopes;
    for (std::uint32_t i = 0; i < c.trace.events.size(); ++i) {
        const EventId e{i};
        const EventId parent = c.trace.events.parent[i];
        if (c.trace.laneOf(e).kind != LaneKind::Cpu || isApiCall(c.trace.kind(e))
            || (c.analysis.names.of(c.trace, e) & NameTrait::kCheckpointScope) == 0
            || (parent.valid() && (c.facts.within[parent.value] & NameTrait::kCheckpointScope) != 0)
            || c.analysis.stepSet().stepAtHost(c.trace.start(e)) == StepSet::kNoStep)
            continue;
        scopes.push_back(e);
        ns += static_cast<double>(c.trace.duration(e));
    }
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i)
        if (c.facts.work[i].cls == WorkClass::DeviceToHost
            && (c.facts.launchedWithin(i) & NameTrait::kCheckpointScope) != 0)
            if (const CopyDetail *d = c.trace.copy(c.facts.graph.nodes[i].event))
                bytes += static_cast<double>(std::max<std::int64_t>(0, d->bytes));
    if (scopes.empty()) {
        report.fine("checkpoint-stall", "no saving in the window");
        return;
    }
    const auto steps = static_cast<double>(c.analysis.stepSet().list.size());
    const double perStep = ns / steps;
    Placeholders words{
        {"time", timeText(perStep)},
        {"count", std::to_string(scopes.size())},
        {"steps", numberText(steps)},
        {"scope", std::string(c.trace.name(scopes.front()))},
        {"each", timeText(ns / static_cast<double>(scopes.size()))},
        {"bytes",
         bytes > 0 ? bytesText(bytes / static_cast<double>(scopes.size())) + " from the device" : "bytes not recorded"},
        {"rate", bytes > 0 ? rateText(1e9 * bytes / ns) : "rate unknown"}};
    Finding f = makeFinding(c, "checkpoint-stall", perStep, {}, words);
    // A stall beside the median step: the gain is its cost spread over the steps, less the copy that stays.
    f.gain = {static_cast<std::int64_t>(0.5 * perStep), static_cast<std::int64_t>(0.95 * perStep),
              static_cast<std::int64_t>(c.stepNs)};
    f.share = perStep / (perStep + c.tracedStepNs);
    f.fix.knob = "save_every=1000";
    for (const EventId e : scopes)
        addEvidence(c, f, e, std::string(c.trace.name(e)) + ", " + timeText(static_cast<double>(c.trace.duration(e))));
    report.add(c, std::move(f));
}

void checkNumerics(const RuleContext &c, RuleReport &report)
{
    std::size_t losses = 0, broken = 0;
    double skipped = 0;
    Finding f;
    std::vector<Mark> bad;
    for (const Mark &m : c.trace.marks) {
        if (m.kind == MarkKind::Loss || m.kind == MarkKind::GradientNorm) {
            ++losses;
            if (!std::isfinite(m.value)) {
                ++broken;
                bad.push_back(m);
            }
        }
        if (m.kind == MarkKind::SkippedStep) {
            skipped += std::max(1.0, m.value);
            bad.push_back(m);
        }
    }
    if (losses == 0 && skipped == 0) {
        report.notMeasurable("numerics", "no marks of loss or skipped steps (tuneline/marks.h)");
        return;
    }
    if (broken == 0 && skipped < 2) {
        report.fine("numerics", std::to_string(losses) + " loss and norm marks, all finite");
        return;
    }
    f = makeRisk(
        "numerics", 0,
        {{"what",
          broken > 0 ? std::to_string(broken) + " of " + std::to_string(losses) + " loss or norm marks are not finite"
                     : numberText(skipped) + " steps were skipped by the loss scaler"}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    f.confidence = Confidence::High;
    for (const Mark &m : bad)
        addEvidence(f, m.time, m.time, c.analysis.stepSet().trainingLane, std::string(c.trace.strings.view(m.name)));
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
