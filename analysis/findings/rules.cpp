// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/rules.h"

#include "analysis/findings/words.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr double kShownGain = 0.02, kShownShare = 0.05; // RULES.md
constexpr double kNoGain = 0.004, kMostSpread = 0.035; // of the step
constexpr std::size_t kMostEvidence = 200;

} // namespace

void RuleReport::add(const RuleContext &context, Finding finding)
{
    const bool risk = finding.severity == FindingSeverity::Risk;
    const double gain = static_cast<double>(finding.gain.highNs) / context.stepNs;
    // What the steps' own spread leaves of a change that brings nothing.
    const double expected = 0.5 * static_cast<double>(finding.gain.highNs + finding.gain.lowNs) / context.stepNs;
    const bool onlySpread = finding.gain.lowNs < 0 && expected < kNoGain && gain < kMostSpread;
    // A large share that no change can win back is no advice.
    if (!risk && (onlySpread || (gain < kShownGain && (finding.share < kShownShare || gain < kShownGain / 4)))) {
        fine(finding.rule,
             percentText(std::max(0.0, finding.share)) + " of the step; fixing it would bring at most "
                 + percentText(std::max(0.0, gain)));
        return;
    }
    findings.push_back(std::move(finding));
}

void RuleReport::fine(std::string rule, std::string why)
{
    checked.push_back({std::move(rule), CheckResult::Fine, std::move(why)});
}

void RuleReport::notMeasurable(std::string rule, std::string why)
{
    checked.push_back({std::move(rule), CheckResult::NotMeasurable, std::move(why)});
}

void RuleReport::notApplicable(std::string rule, std::string why)
{
    checked.push_back({std::move(rule), CheckResult::NotApplicable, std::move(why)});
}

namespace {

void useWords(Finding &finding, const CatalogueEntry &entry, const Placeholders &words)
{
    finding.title = fill(entry.title, words);
    finding.explanation = fill(entry.explanation, words);
    finding.fix.where = fill(entry.where, words);
    finding.fix.cpp = fill(entry.cpp, words);
    finding.fix.python = fill(entry.python, words);
    finding.verify = {fill(entry.metric, words), fill(entry.expect, words)};
    for (const std::string &c : entry.caveats)
        finding.caveats.push_back(fill(c, words));
    finding.makesUseless = entry.makesUseless;
}

Confidence confidenceOf(const RuleContext &context, const Gain &gain)
{
    const double width = static_cast<double>(gain.highNs - gain.lowNs) / context.stepNs;
    if (context.analysis.stepSet().steadyCount() < 3 || width > 0.3)
        return Confidence::Low;
    return width < 0.1 ? Confidence::High : Confidence::Medium;
}

bool isInputChange(const Change &c)
{
    return c.kind == ChangeKind::InputWorkers || c.kind == ChangeKind::InputFaster
        || c.kind == ChangeKind::InputSynthetic;
}

// Behind a slow loader no other change shows; its gain is what it brings once the input keeps up.
void lookBehindTheInput(const RuleContext &context, const std::vector<Change> &changes, Finding &f)
{
    if (!context.whatIf.inputPaced() || std::any_of(changes.begin(), changes.end(), isInputChange))
        return;
    Change noWait = change(ChangeKind::InputFaster);
    noWait.factor = 0;
    std::vector<Change> both{noWait};
    both.insert(both.end(), changes.begin(), changes.end());
    const std::int64_t onTop = context.whatIf.predictedStepNs({noWait}) - context.whatIf.predictedStepNs(both);
    if (onTop <= f.gain.highNs)
        return;
    f.gain.highNs = onTop;
    f.caveats.emplace_back("Shows only once the input keeps up: until then the loader sets the pace.");
}

} // namespace

Finding makeFinding(const RuleContext &context, std::string_view rule, double nsPerStep,
                    const std::vector<Change> &changes, Placeholders words)
{
    Finding f;
    f.rule = rule;
    f.share = std::clamp(context.share(nsPerStep), 0.0, 1.0);
    const auto step = static_cast<std::int64_t>(context.stepNs);
    if (!changes.empty()) {
        const WhatIfResult r = context.whatIf.predict(changes);
        f.gain = {step - r.highNs, step - r.lowNs, r.stepNs};
        for (const Change &c : changes)
            f.whatIf += (f.whatIf.empty() ? "" : "+") + toString(c);
        lookBehindTheInput(context, changes, f);
        for (const std::string &a : r.assumptions)
            f.caveats.push_back("Assumed: " + a);
    } else {
        f.gain = {0, 0, step};
    }
    f.confidence = confidenceOf(context, f.gain);
    words.emplace("step", timeText(context.stepNs));
    words.emplace("captured", timeText(context.tracedStepNs)); // what the times of a finding are a part of
    words.emplace("predicted", timeText(static_cast<double>(f.gain.predictedStepNs)));
    words.emplace("share", percentText(f.share));
    if (const CatalogueEntry *entry = catalogueEntry(rule))
        useWords(f, *entry, words);
    return f;
}

Finding makeRisk(std::string_view rule, double share, Placeholders words)
{
    Finding f;
    f.rule = rule;
    f.severity = FindingSeverity::Risk;
    f.share = share;
    words.emplace("share", percentText(share));
    if (const CatalogueEntry *entry = catalogueEntry(rule))
        useWords(f, *entry, words);
    return f;
}

void addEvidence(const RuleContext &context, Finding &finding, EventId event, std::string what)
{
    if (!event.valid() || finding.evidence.size() >= kMostEvidence)
        return;
    finding.evidence.push_back({context.trace.start(event), context.trace.duration(event),
                                context.trace.events.lane[event.value], event, std::move(what)});
}

void addEvidence(Finding &finding, std::int64_t start, std::int64_t end, LaneId lane, std::string what)
{
    if (finding.evidence.size() < kMostEvidence)
        finding.evidence.push_back({start, end - start, lane, EventId{}, std::move(what)});
}

Change change(ChangeKind kind, std::int64_t number)
{
    Change c;
    c.kind = kind;
    c.number = number;
    return c;
}

std::string operatorAt(const RuleContext &context, EventId event)
{
    for (EventId e = event; e.valid(); e = context.trace.events.parent[e.value])
        if (context.trace.kind(e) == EventKind::Op)
            return std::string(context.trace.name(e));
    return {};
}

std::string scopeAt(const RuleContext &context, EventId event)
{
    for (EventId e = event; e.valid(); e = context.trace.events.parent[e.value]) {
        const EventKind kind = context.trace.kind(e);
        const bool marker = (context.analysis.names.of(context.trace, e) & NameTrait::kStepMarker) != 0;
        if ((kind == EventKind::Range && !marker) || kind == EventKind::Python)
            return std::string(context.trace.name(e));
    }
    return {};
}

std::string shapesOf(const RuleContext &context, EventId op)
{
    const OpDetail *detail = op.valid() ? context.trace.op(op) : nullptr;
    if (!detail)
        return {};
    std::string text;
    for (const Shape &s : parseShapes(context.trace.strings.view(detail->shapes))) {
        if (s.empty())
            continue;
        text += text.empty() ? "[" : " × [";
        for (std::size_t i = 0; i < s.size(); ++i)
            text += (i > 0 ? ", " : "") + std::to_string(s[i]);
        text += "]";
    }
    return text;
}

std::string mostFrequent(const std::vector<std::string> &names, double steps, std::size_t most)
{
    std::map<std::string, std::size_t> counts;
    for (const std::string &n : names)
        ++counts[n];
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto &[name, n] : counts)
        sorted.emplace_back(n, name);
    std::sort(sorted.rbegin(), sorted.rend());
    std::string text;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
        text += (i > 0 ? ", " : "") + sorted[i].second + " × "
            + numberText(static_cast<double>(sorted[i].first) / std::max(1.0, steps));
    return text;
}

const std::vector<Rule> &allRules()
{
    static const std::vector<Rule> rules{
        checkInputWait,     checkWorkerRestart, checkPageableCopies,  checkExposedCopies,   checkSmallCopies,
        checkRoundtrips,    checkItems,         checkExplicitSyncs,   checkAllocations,     checkLaunchBlocking,
        checkOptimizer,     checkZeroGrad,      checkScaler,          checkRecompiles,      checkHostWork,
        checkGraphBreaks,   checkTf32,          checkPrecision,       checkChannelsLast,    checkAlignment,
        checkAttention,     checkConvAutotune,  checkBiasBeforeNorm,  checkPadding,         checkShapesVary,
        checkMemoryLimit,   checkMemoryGrowth,  checkTemporaries,     checkFragmentation,   checkRecomputation,
        checkCommunication, checkStraggler,     checkDataParallel,    checkCheckpointStall, checkNumerics,
        checkClocks,        checkLaunchBound,   checkPointwiseChains, checkSmallGrid,       checkBatchSize,
    };
    return rules;
}

} // namespace tuneline::analysis
