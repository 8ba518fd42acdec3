// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/advice.h"

#include "analysis/analysis.h"
#include "analysis/findings/quality.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/stepsummary.h"
#include "analysis/findings/words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tuneline::analysis {

namespace {

// They get what the specific ones leave, and rank after them (DESIGN section 4).
bool isGeneral(std::string_view rule)
{
    static constexpr std::array<std::string_view, 4> kGeneral{"launch-bound", "batch-size", "small-grid",
                                                              "pointwise-chains"};
    return std::find(kGeneral.begin(), kGeneral.end(), rule) != kGeneral.end();
}

std::vector<Change> changesOf(const Finding &finding)
{
    if (finding.whatIf.empty())
        return {};
    auto parsed = parseChanges(finding.whatIf);
    return parsed ? *parsed : std::vector<Change>{};
}

void append(std::vector<Change> &all, const std::vector<Change> &more)
{
    all.insert(all.end(), more.begin(), more.end());
}

// What a general finding still brings once the specific ones are fixed.
void giveRemainder(const RuleContext &c, RuleReport &report)
{
    std::vector<Change> specific;
    for (const Finding &f : report.findings)
        if (!isGeneral(f.rule) && f.severity == FindingSeverity::Time && f.gain.lowNs > 0)
            append(specific, changesOf(f));
    if (specific.empty())
        return;
    const std::int64_t without = c.whatIf.predictedStepNs(specific);
    std::vector<Finding> kept;
    for (Finding &f : report.findings) {
        const std::vector<Change> own = changesOf(f);
        if (!isGeneral(f.rule) || own.empty() || f.rule == "batch-size") {
            kept.push_back(std::move(f));
            continue;
        }
        std::vector<Change> both = specific;
        append(both, own);
        const std::int64_t left = without - c.whatIf.predictedStepNs(both);
        const double share = f.gain.highNs > 0 ? static_cast<double>(left) / static_cast<double>(f.gain.highNs) : 0;
        if (static_cast<double>(left) < 0.02 * c.stepNs) {
            report.fine(f.rule, "what it would bring belongs to the findings above");
            continue;
        }
        f.gain.highNs = std::min(f.gain.highNs, left);
        f.gain.lowNs = std::min(f.gain.highNs,
                                static_cast<std::int64_t>(std::min(1.0, share) * static_cast<double>(f.gain.lowNs)));
        kept.push_back(std::move(f));
    }
    report.findings = std::move(kept);
}

std::int64_t expectedGain(const Finding &f)
{
    return (f.gain.lowNs + f.gain.highNs) / 2;
}

void sortFindings(std::vector<Finding> &findings, bool inputPaced)
{
    const auto rank = [inputPaced](const Finding &f) {
        if (inputPaced && f.rule.starts_with("input-"))
            return -1; // nothing else shows before
        return f.severity == FindingSeverity::Risk ? 2 : isGeneral(f.rule) ? 1 : 0;
    };
    std::stable_sort(findings.begin(), findings.end(), [&](const Finding &a, const Finding &b) {
        return rank(a) != rank(b) ? rank(a) < rank(b) : expectedGain(a) > expectedGain(b);
    });
}

// Fixes one after another; those that bring nothing on top of the others are left out.
std::vector<PlanItem> makePlan(const RuleContext &c, const std::vector<Finding> &findings)
{
    std::vector<PlanItem> plan;
    std::vector<Change> done;
    auto step = static_cast<std::int64_t>(c.stepNs);
    const auto tryChange = [&](const std::string &rule, const std::vector<Change> &changes) {
        std::vector<Change> next = done;
        append(next, changes);
        const std::int64_t after = c.whatIf.predictedStepNs(next);
        if (static_cast<double>(step - after) < 0.01 * c.stepNs)
            return;
        plan.push_back({rule, after});
        done = std::move(next);
        step = after;
    };
    for (const Finding &f : findings) {
        if (f.severity == FindingSeverity::Risk || f.rule == "batch-size")
            continue;
        if (const auto changes = changesOf(f); !changes.empty())
            tryChange(f.rule, changes);
        if (f.rule == "tf32-off" && c.facts.rates.bf16)
            tryChange("precision", {change(ChangeKind::PrecisionBf16)});
    }
    return plan;
}

Finding qualityFinding(const CaptureQuality &q, const StepSummary &step)
{
    Finding f = makeRisk("capture-quality", 0, {{"why", "Limits of this capture: " + q.why + "."}});
    f.confidence = Confidence::High;
    f.gain.predictedStepNs = step.timeNs;
    return f;
}

void listAllAsNotMeasurable(Advice &advice)
{
    for (const CatalogueEntry &entry : catalogue())
        if (entry.rule != "capture-quality")
            advice.checked.push_back({entry.rule, CheckResult::NotMeasurable, "the capture carries no verdict"});
}

// Rules that no single capture can decide, or that said nothing.
void listSilentRules(Advice &advice)
{
    for (const CatalogueEntry &entry : catalogue()) {
        const auto same = [&](const auto &x) { return x.rule == entry.rule; };
        if (std::any_of(advice.findings.begin(), advice.findings.end(), same)
            || std::any_of(advice.checked.begin(), advice.checked.end(), same) || entry.rule == "capture-quality")
            continue;
        advice.checked.push_back({entry.rule, CheckResult::NotApplicable,
                                  entry.rule == "scaling" ? "needs a capture on one device to compare with"
                                                          : "counted with another finding"});
    }
}

void runRules(const RuleContext &context, Advice &advice)
{
    RuleReport report;
    for (const Rule rule : allRules())
        rule(context, report);
    giveRemainder(context, report);
    sortFindings(report.findings, context.whatIf.inputPaced());
    advice.plan = makePlan(context, report.findings);
    advice.findings = std::move(report.findings);
    advice.checked = std::move(report.checked);
}

} // namespace

Advice advise(const Analysis &analysis, const AdviseOptions &options)
{
    Advice advice;
    // The analysis has made the graph already, unless a batch size was stated since.
    const auto replayed = analysis.whatIf && !options.batch
        ? analysis.whatIf
        : std::make_shared<const WhatIf>(analysis, WhatIfOptions{.batch = options.batch});
    const WhatIf &whatIf = *replayed;
    advice.capture = captureQuality(analysis, whatIf);
    advice.step = summariseStep(analysis, whatIf, options);
    advice.straggler = analysis.ranks.straggler;
    if (whatIf.usable()) {
        advice.replay = ReplayCheck{whatIf.replayedStepNs(), whatIf.replayError(), whatIf.graph().firstStep,
                                    static_cast<std::uint32_t>(whatIf.graph().stepCount()),
                                    static_cast<std::uint32_t>(analysis.stepSet().list.size())};
        if (!options.whatIf.empty())
            advice.whatIf = whatIf.predict(options.whatIf);
        const RuleContext context{
            analysis,
            *analysis.trace,
            whatIf,
            whatIf.facts(),
            static_cast<double>(std::max<std::int64_t>(1, whatIf.undisturbedStepNs())),
            static_cast<double>(std::max<std::int64_t>(1, whatIf.loaderPaceNs().value_or(whatIf.measuredStepNs()))),
            std::max<std::size_t>(1, whatIf.graph().stepCount()),
            analysis.device(),
            !analysis.device() || analysis.device()->reliable};
        runRules(context, advice);
    } else {
        listAllAsNotMeasurable(advice);
    }
    if (advice.capture.verdict != CaptureVerdict::Good) {
        const auto at =
            advice.capture.verdict == CaptureVerdict::Unusable ? advice.findings.begin() : advice.findings.end();
        advice.findings.insert(at, qualityFinding(advice.capture, advice.step));
    } else {
        advice.checked.push_back({"capture-quality", CheckResult::Fine, advice.capture.why});
    }
    listSilentRules(advice);
    return advice;
}

} // namespace tuneline::analysis
