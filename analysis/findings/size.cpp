// SPDX-License-Identifier: GPL-3.0-or-later
// Too little work for the device at a time, or work that is thrown away: small grids, batch, padding, changing shapes.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace tuneline::analysis {

namespace {

double blocksOf(const KernelDetail &k)
{
    return static_cast<double>(k.grid[0]) * k.grid[1] * k.grid[2];
}

std::int64_t peakBytes(const RuleContext &c)
{
    for (const MemoryCurve &m : c.analysis.memory)
        if (m.device >= 0 && m.source.value == c.analysis.mainSource)
            return m.peakBytes;
    return -1;
}

} // namespace

void checkSmallGrid(const RuleContext &c, RuleReport &report)
{
    if (!c.device || c.facts.rates.multiprocessors <= 0) {
        report.notApplicable("small-grid", c.device ? "the device's size is not recorded" : "no device work");
        return;
    }
    double ns = 0, lost = 0;
    std::map<std::string, double> byName;
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        if (c.facts.work[i].cls == WorkClass::None)
            continue;
        const EventId e = c.facts.graph.nodes[i].event;
        const KernelDetail *k = c.trace.kernel(e);
        if (!k || k->grid[0] <= 0 || c.facts.work[i].cls == WorkClass::Communication)
            continue;
        const double fill = blocksOf(*k) / c.facts.rates.multiprocessors;
        const auto duration = static_cast<double>(c.trace.duration(e));
        if (fill >= 1 || duration < 5000) // shorter ones are launch, not work
            continue;
        ns += duration;
        lost += duration * (1 - fill);
        byName[std::string(c.trace.name(e)).substr(0, 60)] += duration;
        nodes.push_back(i);
    }
    const double time = c.perStep(ns);
    if (nodes.empty() || c.share(time) < 0.05) {
        report.fine("small-grid",
                    "kernels with fewer blocks than multiprocessors take " + percentText(c.share(time))
                        + " of the step");
        return;
    }
    const auto most = std::max_element(byName.begin(), byName.end(),
                                       [](const auto &a, const auto &b) { return a.second < b.second; });
    Finding f = makeFinding(
        c, "small-grid", time, {},
        {{"time", timeText(time)}, {"sms", std::to_string(c.facts.rates.multiprocessors)}, {"example", most->first}});
    // Only a device-bound step gains, and only where other work can run beside; nothing is certain.
    const bool deviceBound = c.analysis.stepSet().bound == StepBound::Device;
    const double possible = deviceBound ? 0.5 * c.perStep(lost) : 0;
    f.gain = {0, static_cast<std::int64_t>(possible), static_cast<std::int64_t>(c.stepNs - possible / 2)};
    f.confidence = Confidence::Low;
    for (const std::uint32_t i : nodes)
        addEvidence(c, f, c.facts.graph.nodes[i].event,
                    numberText(blocksOf(*c.trace.kernel(c.facts.graph.nodes[i].event))) + " blocks");
    report.add(c, std::move(f));
}

void checkBatchSize(const RuleContext &c, RuleReport &report)
{
    const auto batch = c.whatIf.batch();
    if (!c.device || !batch) {
        report.notApplicable("batch-size", c.device ? "the batch size is not known (--batch N)" : "no device work");
        return;
    }
    const std::int64_t peak = peakBytes(c), memory = c.facts.rates.memoryBytes;
    if (memory <= 0 || peak <= 0) {
        report.notMeasurable("batch-size", "memory use is not recorded: whether a larger batch fits can't be told");
        return;
    }
    if (static_cast<double>(peak) > 0.4 * static_cast<double>(memory)) {
        report.fine("batch-size",
                    "the peak is " + percentText(static_cast<double>(peak) / static_cast<double>(memory))
                        + " of the memory");
        return;
    }
    const std::int64_t bigger = 2 * *batch;
    const WhatIfResult r = c.whatIf.predict({change(ChangeKind::BatchSize, bigger)});
    const auto perUnit = [&](std::int64_t ns) { return static_cast<double>(ns) / 2; };
    const double gain = c.stepNs - perUnit(r.stepNs);
    if (gain < 0.1 * c.stepNs) {
        report.fine("batch-size",
                    "a batch of " + std::to_string(bigger) + " would save "
                        + percentText(std::max(0.0, gain / c.stepNs)) + " per sample");
        return;
    }
    Finding f = makeFinding(
        c, "batch-size", gain, {change(ChangeKind::BatchSize, bigger)},
        {{"batch", std::to_string(*batch)},
         {"bigger", std::to_string(bigger)},
         {"saturation", c.device->saturation ? percentText(*c.device->saturation) : std::string("an unknown part")},
         {"free", bytesText(static_cast<double>(memory - peak))},
         {"memory", bytesText(static_cast<double>(memory))},
         {"per_unit", percentText(perUnit(r.stepNs) / c.stepNs)},
         {"speedup", percentText(c.stepNs / std::max(1.0, perUnit(r.stepNs)) - 1)}});
    // Per present batch: what the same samples would take.
    f.gain = {static_cast<std::int64_t>(c.stepNs - perUnit(r.highNs)),
              static_cast<std::int64_t>(c.stepNs - perUnit(r.lowNs)), r.stepNs};
    f.fix.knob = "batch_size=" + std::to_string(bigger);
    const Step &first = c.analysis.stepSet().list.front();
    addEvidence(f, first.start, first.end, first.lane, "a step of " + std::to_string(*batch) + " samples");
    report.add(c, std::move(f));
}

void checkPadding(const RuleContext &c, RuleReport &report)
{
    double units = 0, valid = 0;
    for (const Mark &m : c.trace.marks) {
        units += m.kind == MarkKind::Units ? m.value : 0;
        valid += m.kind == MarkKind::ValidUnits ? m.value : 0;
    }
    if (units <= 0 || valid <= 0) {
        report.notMeasurable("padding", "no marks of valid units (tuneline/marks.h)");
        return;
    }
    const double padded = 1 - valid / units;
    if (padded < 0.1) {
        report.fine("padding", percentText(padded) + " of the units are padding");
        return;
    }
    const double time = padded * c.stepNs;
    Finding f =
        makeFinding(c, "padding", time, {},
                    {{"part", percentText(padded)}, {"valid", numberText(valid)}, {"total", numberText(units)}});
    f.gain = {static_cast<std::int64_t>(0.4 * time), static_cast<std::int64_t>(0.9 * time),
              static_cast<std::int64_t>(c.stepNs - 0.7 * time)};
    for (const Mark &m : c.trace.marks)
        if (m.kind == MarkKind::ValidUnits)
            addEvidence(f, m.time, m.time, c.analysis.stepSet().trainingLane, numberText(m.value) + " valid units");
    report.add(c, std::move(f));
}

void checkShapesVary(const RuleContext &c, RuleReport &report)
{
    // The shapes of all operators of a step, as one signature.
    const std::size_t count = c.facts.graph.stepCount();
    const auto steps = std::span(c.analysis.stepSet().list).subspan(c.facts.graph.firstStep, count);
    std::vector<std::uint64_t> signatures(count, 0);
    std::vector<std::string> example(count);
    bool any = false;
    for (const GraphNode &n : c.facts.graph.nodes) {
        if (n.kind != NodeKind::HostOp || n.step >= signatures.size() || n.row != 0)
            continue;
        const OpDetail *detail = c.trace.op(n.event);
        if (!detail || detail->shapes.value == 0 || (c.facts.within[n.event.value] & HostTrait::kProduct) == 0)
            continue;
        any = true;
        // Order does not matter, and self time in pieces counts an operator more than once: a set of shapes.
        signatures[n.step] |= 1ULL << (std::hash<std::uint32_t>{}(detail->shapes.value * 2654435761U) % 64);
        if (example[n.step].empty())
            example[n.step] = shapesOf(c, n.event);
    }
    if (!any) {
        report.notMeasurable("shapes-vary", "shapes are not recorded");
        return;
    }
    std::set<std::string> distinct;
    for (std::size_t s = 0; s < example.size(); ++s)
        if (steps[s].flags == 0 && !example[s].empty())
            distinct.insert(example[s]);
    if (distinct.size() < 2) {
        report.fine("shapes-vary", "the same shapes in every steady step");
        return;
    }
    // It costs where something reacts to it: compilation, allocation, search.
    const double time = c.idle(IdleCause::Compilation) + c.idle(IdleCause::Allocation);
    Finding f = makeFinding(c, "shapes-vary", time, {},
                            {{"count", std::to_string(distinct.size())},
                             {"steps", std::to_string(steps.size())},
                             {"example", *distinct.begin() + " and " + *std::next(distinct.begin())}});
    f.gain = {0, static_cast<std::int64_t>(time), static_cast<std::int64_t>(c.stepNs - time / 2)};
    f.confidence = Confidence::Low;
    for (std::size_t s = 0; s < example.size(); ++s)
        addEvidence(f, steps[s].hostStart, steps[s].hostEnd, steps[s].lane, example[s]);
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
