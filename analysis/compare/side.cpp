// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/side.h"

#include "analysis/analysis.h"

#include <algorithm>
#include <charconv>

namespace tuneline::analysis {

namespace {

// With fewer plain steps than this, the steps inside the window say more.
constexpr std::size_t kEnoughPlainSteps = 4;

bool counts(const StepSet &steps, std::uint32_t index)
{
    const bool someSteady = steps.steadyCount() > 0;
    return index != StepSet::kNoStep
        && (someSteady ? steps.list[index].steady() : !steps.list[index].has(StepFlag::kPartial));
}

void addStepTimes(const Analysis &a, RunFigures &figures)
{
    const StepSet &steps = a.stepSet();
    for (std::uint32_t i = 0; i < steps.list.size(); ++i)
        if (counts(steps, i))
            figures.stepNs.push_back(static_cast<double>(steps.list[i].timeNs()));
    figures.steadySteps = static_cast<std::uint32_t>(figures.stepNs.size());

    const auto &plain = a.trace->sources[a.mainSource].capture.plainStepsNs;
    if (plain.size() >= kEnoughPlainSteps) {
        figures.stepNs.assign(plain.begin(), plain.end());
        figures.undisturbed = true;
    }
}

void addStepFigures(const Analysis &a, RunFigures &figures)
{
    const StepSet &steps = a.stepSet();
    for (std::uint32_t i = 0; i < steps.list.size() && i < a.steps.size(); ++i) {
        if (!counts(steps, i))
            continue;
        const StepMetrics &m = a.steps[i];
        auto &f = figures.perStep;
        f["input_wait"].push_back(static_cast<double>(m.inputWaitNs));
        if (!a.device())
            continue;
        f["busy"].push_back(static_cast<double>(m.busyNs));
        f["idle"].push_back(static_cast<double>(m.breakdown.idle.total()));
        f["kernel_time"].push_back(static_cast<double>(m.kernelNs));
        f["exposed_copy"].push_back(static_cast<double>(m.breakdown.exposedCopyNs));
        f["exposed_comm"].push_back(static_cast<double>(m.breakdown.exposedCommNs));
        f["synchronisation"].push_back(static_cast<double>(m.syncNs));
        f["kernels"].push_back(m.kernels);
        f["launches"].push_back(m.launches);
    }
}

void addRunFigures(const Analysis &a, RunFigures &figures)
{
    if (const DeviceMetrics *d = a.device()) {
        if (d->util)
            figures.perRun["utilisation"] = *d->util;
        if (d->tensorCoreShare)
            figures.perRun["tensor_core_share"] = *d->tensorCoreShare;
    }
    for (const MemoryCurve &m : a.memory)
        if (m.peakBytes > 0) {
            double &peak = figures.perRun[m.device < 0 ? "peak_memory_cpu" : "peak_memory"];
            peak = std::max(peak, static_cast<double>(m.peakBytes));
        }
}

void addOps(const Analysis &a, RunFigures &figures)
{
    const Trace &t = *a.trace;
    const StepSet &steps = a.stepSet();
    if (figures.steadySteps == 0)
        return;
    std::vector<std::int64_t> self(t.events.size());
    for (std::size_t i = 0; i < self.size(); ++i) {
        self[i] += t.events.duration[i];
        if (const EventId parent = t.events.parent[i]; parent.valid())
            self[parent.value] -= t.events.duration[i];
    }
    const double per = 1.0 / figures.steadySteps;
    for (std::uint32_t i = 0; i < self.size(); ++i) {
        const EventId e{i};
        const EventKind kind = t.kind(e);
        const bool device = isDeviceWork(kind);
        if ((!device && kind != EventKind::Op) || t.laneOf(e).source != steps.source
            || !counts(steps, steps.stepOf(t, e)))
            continue;
        OpFigures &row = (device ? figures.deviceRecords : figures.ops)[std::string(t.name(e))];
        row.nsPerStep += per * static_cast<double>(device ? t.duration(e) : self[i]);
        row.callsPerStep += per;
    }
}

std::optional<double> configNumber(const Source &source, const char *key)
{
    const auto it = source.config.find(key);
    if (it == source.config.end())
        return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
    return error == std::errc() && value > 0 ? std::optional(value) : std::nullopt;
}

void addMarks(const Analysis &a, RunFigures &figures)
{
    double units = 0;
    for (const Mark &mark : a.trace->marks) {
        const std::uint32_t step = a.stepSet().stepAtHost(mark.time);
        if (mark.kind == MarkKind::Units && counts(a.stepSet(), step))
            units += mark.value;
        else if (mark.kind == MarkKind::Loss)
            figures.losses.push_back(mark.value);
        else if (mark.kind == MarkKind::SkippedStep)
            figures.skippedSteps += mark.value;
    }
    if (units > 0 && figures.steadySteps > 0)
        figures.unitsPerStep = units / figures.steadySteps;
    else if (const auto batch = configNumber(a.trace->sources[a.mainSource], "batch_size"))
        figures.unitsPerStep = *batch * configNumber(a.trace->sources[a.mainSource], "accumulate").value_or(1);
}

} // namespace

RunFigures figuresOf(const Analysis &analysis)
{
    RunFigures figures;
    if (analysis.trace->sources.empty() || analysis.stepsOfSource.empty())
        return figures;
    addStepTimes(analysis, figures);
    addStepFigures(analysis, figures);
    addRunFigures(analysis, figures);
    addOps(analysis, figures);
    addMarks(analysis, figures);
    return figures;
}

} // namespace tuneline::analysis
