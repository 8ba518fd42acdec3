// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/compare.h"

#include "analysis/analysis.h"
#include "analysis/compare/changes.h"
#include "analysis/compare/differences.h"
#include "analysis/compare/guards.h"
#include "analysis/compare/prediction.h"
#include "analysis/findings/advice.h"
#include "analysis/findings/words.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tuneline::analysis {

namespace {

std::vector<RunFigures> figuresOf(const std::vector<ComparedRun> &runs)
{
    std::vector<RunFigures> figures;
    for (const ComparedRun &run : runs)
        figures.push_back(figuresOf(*run.analysis));
    return figures;
}

std::uint32_t steadySteps(const std::vector<RunFigures> &runs)
{
    std::uint32_t sum = 0;
    for (const RunFigures &run : runs)
        sum += run.steadySteps;
    return sum;
}

std::string bottleneckOf(const ComparedRun &run)
{
    for (const Finding &f : run.advice->findings)
        if (f.severity == FindingSeverity::Time)
            return f.rule;
    return run.analysis->stepsOfSource.empty() ? "unknown" : toString(run.analysis->stepSet().bound);
}

// The metric that decides: per unit of work where both sides say how much they do.
const MetricChange &headline(const Comparison &c)
{
    for (const MetricChange &m : c.metrics)
        if (m.name == "time_per_unit" && m.change)
            return m;
    return c.metrics.front();
}

std::string percent(double ratio)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * ratio);
    return text.data();
}

std::string interval(const MetricChange &m)
{
    return m.ciLow ? " (95 % interval " + percent(*m.ciLow) + " to " + percent(*m.ciHigh) + ")" : std::string();
}

void addNotes(const std::vector<RunFigures> &before, const std::vector<RunFigures> &after, Comparison &c)
{
    if (std::min(c.stepsBefore, c.stepsAfter) < 3)
        c.notes.emplace_back("Fewer than 3 steady steps on a side: capture a longer window.");
    if (std::min(c.runsBefore, c.runsAfter) < 2)
        c.notes.emplace_back("One run a side: the spread between runs is assumed, not measured. Repeat the captures "
                             "for a tighter interval.");
    if (before.front().undisturbed != after.front().undisturbed)
        c.notes.emplace_back("Only one side was timed without recording; the other holds its recorder's slow-down.");
}

// Nothing that was recorded differs, so there is no change whose effect could be confirmed: a difference is the
// machine's.
bool nothingChanged(const Differences &differences)
{
    return differences.recorded && differences.variables == 0;
}

// A side that doesn't state the size of its world shows it by its ranks.
void compareWorlds(const Analysis &before, const Analysis &after, Differences &differences)
{
    constexpr const char *kKey = "world_size";
    const int was = devicesOf(before), is = devicesOf(after);
    if (was == is)
        return;
    auto &list = differences.list;
    if (std::erase_if(list, [](const Difference &d) { return d.key == kKey; }) == 0)
        ++differences.variables;
    const auto firstKnob = std::find_if(list.begin(), list.end(), [](const Difference &d) { return !d.decisive; });
    list.insert(firstKnob, {kKey, std::to_string(was), std::to_string(is), true});
}

std::string notComparableWhy(const Comparison &c)
{
    const Difference &d = c.differences.front();
    if (d.key != "world_size")
        return "The two sides differ in " + d.key + " (" + d.before + " and " + d.after
            + "): they are different experiments.";
    const std::string why = "The two sides ran on " + d.before + " and " + d.after
        + " devices: the step time says nothing about which is better.";
    return c.scaling ? why + " What counts is the scaling efficiency, " + percentText(c.scaling->efficiency) + '.'
                     : why + " Capture both on the same number of devices, or each beside a run on one device.";
}

void judge(const Differences &differences, Comparison &c)
{
    if (!c.comparable) {
        c.verdict = Verdict::NotComparable;
        c.why = notComparableWhy(c);
        return;
    }
    const MetricChange &m = headline(c);
    if (!m.change || !m.significant) {
        c.why = "No steady steps on both sides: there is nothing to compare. Capture at least 3 steps after warm-up.";
        return;
    }
    const std::string figure = m.label + ' ' + percent(*m.change) + interval(m);
    if (nothingChanged(differences)) {
        c.why = "Same configuration on both sides: there is no change to confirm. " + figure
            + " is the spread of the machine.";
        return;
    }
    if (!*m.significant) {
        c.why = figure + ": not more than chance explains.";
        return;
    }
    const auto failed =
        std::find_if(c.guards.begin(), c.guards.end(), [](const Guard &g) { return g.state == GuardState::Fail; });
    if (*m.change > 0) {
        c.verdict = Verdict::Regressed;
        c.why = figure + ": slower than before.";
    } else if (failed != c.guards.end()) {
        c.why = figure + ", but a guard failed: " + failed->name + ", " + failed->why + '.';
    } else {
        c.verdict = Verdict::Confirmed;
        c.why = figure + '.';
    }
}

} // namespace

Comparison compare(const std::vector<ComparedRun> &before, const std::vector<ComparedRun> &after)
{
    const auto b = figuresOf(before), a = figuresOf(after);
    Differences differences = findDifferences(baselineRecord(*before.front().analysis->trace),
                                              baselineRecord(*after.front().analysis->trace));
    compareWorlds(*before.front().analysis, *after.front().analysis, differences);

    Comparison c;
    c.differences = differences.list;
    c.comparable = differences.comparable();
    c.oneVariable = differences.variables == 1;
    c.runsBefore = static_cast<std::uint32_t>(before.size());
    c.runsAfter = static_cast<std::uint32_t>(after.size());
    c.stepsBefore = steadySteps(b);
    c.stepsAfter = steadySteps(a);
    c.metrics = metricChanges(b, a);
    c.ops = opChanges(b.front(), a.front());
    c.findings = findingChanges(*before.front().advice, *after.front().advice);
    c.scaling = scalingBetween(*before.front().analysis, *after.front().analysis);
    if (c.scaling && c.scaling->efficiency < kGoodEfficiency)
        c.findings.push_back(
            {"scaling", scalingTitle(*c.scaling), 0, 1 - std::max(0.0, c.scaling->efficiency), FindingState::New});
    c.guards = checkGuards(b, a);
    c.bottleneckBefore = bottleneckOf(before.front());
    c.bottleneckAfter = bottleneckOf(after.front());
    addNotes(b, a, c);
    judge(differences, c);
    if (c.comparable && headline(c).change)
        c.prediction = judgePrediction(before.front(), c.differences, -*headline(c).change);
    return c;
}

const char *toText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Confirmed:
        return "confirmed";
    case Verdict::NotConfirmed:
        return "not-confirmed";
    case Verdict::Regressed:
        return "regressed";
    case Verdict::NotComparable:
        break;
    }
    return "not-comparable";
}

const char *toText(FindingState state)
{
    switch (state) {
    case FindingState::Resolved:
        return "resolved";
    case FindingState::Improved:
        return "improved";
    case FindingState::Unchanged:
        return "unchanged";
    case FindingState::Worse:
        return "worse";
    case FindingState::New:
        break;
    }
    return "new";
}

const char *toText(OpState state)
{
    switch (state) {
    case OpState::Changed:
        return "changed";
    case OpState::Added:
        return "added";
    case OpState::Removed:
        return "removed";
    case OpState::Same:
        break;
    }
    return "same";
}

const char *toText(GuardState state)
{
    switch (state) {
    case GuardState::Pass:
        return "pass";
    case GuardState::Fail:
        return "fail";
    case GuardState::NotMeasured:
        break;
    }
    return "not-measured";
}

} // namespace tuneline::analysis
