// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/changes.h"

#include "analysis/findings/advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tuneline::analysis {

namespace {

// An operator's time per step below this relative change is the same.
constexpr double kSameOp = 0.05;

struct MetricInfo
{
    std::string_view name, label, unit;
    bool lowerIsBetter;
};

constexpr std::array kPerStepMetrics{
    MetricInfo{"input_wait", "Input wait per step", "ns", true},
    MetricInfo{"busy", "Device busy per step", "ns", true},
    MetricInfo{"idle", "Device idle per step", "ns", true},
    MetricInfo{"kernel_time", "Kernel time per step", "ns", true},
    MetricInfo{"exposed_copy", "Exposed copies per step", "ns", true},
    MetricInfo{"exposed_comm", "Exposed communication per step", "ns", true},
    MetricInfo{"synchronisation", "In blocking calls per step", "ns", true},
    MetricInfo{"kernels", "Kernels per step", "", true},
    MetricInfo{"launches", "Launches per step", "", true},
};

constexpr std::array kPerRunMetrics{
    MetricInfo{"utilisation", "Device utilisation", "ratio", false},
    MetricInfo{"tensor_core_share", "Tensor-core share", "ratio", false},
    MetricInfo{"peak_memory", "Peak device memory", "bytes", true},
    MetricInfo{"peak_memory_cpu", "Peak host memory", "bytes", true},
};

double medianOfMedians(const std::vector<Samples> &runs)
{
    Samples medians;
    for (const Samples &run : runs)
        if (!run.empty())
            medians.push_back(median(run));
    return median(medians);
}

MetricChange fromSamples(const MetricInfo &info, const std::vector<Samples> &before, const std::vector<Samples> &after)
{
    MetricChange m{std::string(info.name), std::string(info.label), std::string(info.unit), {}, {}, {}, {}, {}, {},
                   info.lowerIsBetter};
    const double b = medianOfMedians(before), a = medianOfMedians(after);
    if (std::isfinite(b))
        m.before = b;
    if (std::isfinite(a))
        m.after = a;
    if (m.before && m.after && b > 0)
        m.change = a / b - 1;
    // A count does not scatter between runs as times do: it has no interval.
    const bool timed = !info.unit.empty();
    if (const auto interval = compareSamples(before, after); timed && interval && m.change && a > 0) {
        m.ciLow = interval->low;
        m.ciHigh = interval->high;
        m.significant = interval->significant;
    }
    return m;
}

std::vector<Samples> stepTimes(const std::vector<RunFigures> &runs, double divisor)
{
    std::vector<Samples> result;
    for (const RunFigures &run : runs) {
        Samples samples = run.stepNs;
        for (double &s : samples)
            s /= divisor;
        result.push_back(std::move(samples));
    }
    return result;
}

std::vector<Samples> figures(const std::vector<RunFigures> &runs, std::string_view name)
{
    std::vector<Samples> result;
    for (const RunFigures &run : runs)
        if (const auto it = run.perStep.find(std::string(name)); it != run.perStep.end())
            result.push_back(it->second);
    return result;
}

void addRates(const std::vector<RunFigures> &before, const std::vector<RunFigures> &after,
              std::vector<MetricChange> &metrics)
{
    const auto &b = before.front().unitsPerStep, &a = after.front().unitsPerStep;
    if (!b || !a)
        return;
    MetricChange perUnit = fromSamples({"time_per_unit", "Time per unit of work", "ns", true}, stepTimes(before, *b),
                                       stepTimes(after, *a));
    MetricChange rate{"units_per_s", "Units per second", "1/s", {}, {}, {}, {}, {}, perUnit.significant, false};
    if (perUnit.before && perUnit.after && *perUnit.before > 0 && *perUnit.after > 0) {
        rate.before = 1e9 / *perUnit.before;
        rate.after = 1e9 / *perUnit.after;
        rate.change = *rate.after / *rate.before - 1;
        if (perUnit.ciLow && perUnit.ciHigh) {
            rate.ciLow = 1 / (1 + *perUnit.ciHigh) - 1;
            rate.ciHigh = 1 / (1 + *perUnit.ciLow) - 1;
        }
    }
    metrics.push_back(std::move(perUnit));
    metrics.push_back(std::move(rate));
}

void addPerRun(const MetricInfo &info, const RunFigures &before, const RunFigures &after,
               std::vector<MetricChange> &metrics)
{
    const auto b = before.perRun.find(std::string(info.name)), a = after.perRun.find(std::string(info.name));
    if (b == before.perRun.end() && a == after.perRun.end())
        return;
    MetricChange m{std::string(info.name), std::string(info.label), std::string(info.unit), {}, {}, {}, {}, {}, {},
                   info.lowerIsBetter};
    if (b != before.perRun.end())
        m.before = b->second;
    if (a != after.perRun.end())
        m.after = a->second;
    if (m.before && m.after && (info.unit == "ratio" || *m.before > 0))
        m.change = info.unit == "ratio" ? *m.after - *m.before : *m.after / *m.before - 1;
    metrics.push_back(std::move(m));
}

OpState stateOf(const OpChange &op)
{
    if (op.callsBefore == 0)
        return OpState::Added;
    if (op.callsAfter == 0)
        return OpState::Removed;
    const double larger = std::max(op.beforeNsPerStep, op.afterNsPerStep);
    const bool sameCalls = std::abs(op.callsAfter - op.callsBefore) < 0.5;
    return sameCalls && std::abs(op.afterNsPerStep - op.beforeNsPerStep) <= kSameOp * larger ? OpState::Same
                                                                                             : OpState::Changed;
}

void addOps(const std::map<std::string, OpFigures> &before, const std::map<std::string, OpFigures> &after, bool device,
            std::vector<OpChange> &ops)
{
    std::set<std::string> names;
    for (const auto &[name, figure] : before)
        names.insert(name);
    for (const auto &[name, figure] : after)
        names.insert(name);
    for (const std::string &name : names) {
        OpChange op{name, device};
        if (const auto it = before.find(name); it != before.end())
            std::tie(op.beforeNsPerStep, op.callsBefore) = std::pair(it->second.nsPerStep, it->second.callsPerStep);
        if (const auto it = after.find(name); it != after.end())
            std::tie(op.afterNsPerStep, op.callsAfter) = std::pair(it->second.nsPerStep, it->second.callsPerStep);
        op.state = stateOf(op);
        ops.push_back(std::move(op));
    }
}

FindingState stateOf(double before, double after)
{
    // Finding shares below this are "checked, fine" (RULES.md: shown from a share of 5 %, a gain of 2 %).
    constexpr double kGone = 0.02;
    if (before <= 0)
        return FindingState::New;
    if (after <= kGone && after < before / 2)
        return FindingState::Resolved;
    if (after < 0.8 * before)
        return FindingState::Improved;
    return after > 1.25 * before + kGone ? FindingState::Worse : FindingState::Unchanged;
}

} // namespace

std::vector<MetricChange> metricChanges(const std::vector<RunFigures> &before, const std::vector<RunFigures> &after)
{
    std::vector<MetricChange> metrics{
        fromSamples({"step_time", "Step time", "ns", true}, stepTimes(before, 1), stepTimes(after, 1))};
    addRates(before, after, metrics);
    for (const MetricInfo &info : kPerStepMetrics) {
        const auto b = figures(before, info.name), a = figures(after, info.name);
        if (!b.empty() || !a.empty())
            metrics.push_back(fromSamples(info, b, a));
    }
    for (const MetricInfo &info : kPerRunMetrics)
        addPerRun(info, before.front(), after.front(), metrics);
    return metrics;
}

std::vector<OpChange> opChanges(const RunFigures &before, const RunFigures &after)
{
    std::vector<OpChange> ops;
    addOps(before.deviceRecords, after.deviceRecords, true, ops);
    addOps(before.ops, after.ops, false, ops);
    const auto weight = [](const OpChange &op) { return std::abs(op.afterNsPerStep - op.beforeNsPerStep); };
    std::stable_sort(ops.begin(), ops.end(),
                     [&](const OpChange &x, const OpChange &y) { return weight(x) > weight(y); });
    return ops;
}

std::vector<FindingChange> findingChanges(const Advice &before, const Advice &after)
{
    std::vector<FindingChange> changes;
    for (const Finding &f : before.findings)
        changes.push_back({f.rule, f.title, f.share, 0, FindingState::Resolved});
    for (const Finding &f : after.findings) {
        const auto it =
            std::find_if(changes.begin(), changes.end(), [&](const FindingChange &c) { return c.rule == f.rule; });
        if (it == changes.end())
            changes.push_back({f.rule, f.title, 0, f.share, FindingState::New});
        else
            it->afterShare = std::max(it->afterShare, f.share);
    }
    for (FindingChange &c : changes)
        c.state = stateOf(c.beforeShare, c.afterShare);
    return changes;
}

} // namespace tuneline::analysis
