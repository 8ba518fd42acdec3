// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/devicemetrics.h"

#include "analysis/metrics/devicework.h"
#include "analysis/metrics/idlegaps.h"
#include "analysis/metrics/queuedepth.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

// Ranges of those records inside the window that `wanted` accepts; records come by start, so no sort is needed.
template <typename Wanted> IntervalSet unionOf(const Trace &trace, const DeviceWork &work, Range window, Wanted wanted)
{
    IntervalSet set;
    for (const EventId e : work.records) {
        if (wanted(e))
            set.append({std::max(trace.start(e), window.begin), std::min(trace.end(e), window.end)});
    }
    return set;
}

std::int64_t overlap(const Trace &trace, EventId e, Range window)
{
    return std::max<std::int64_t>(0, std::min(trace.end(e), window.end) - std::max(trace.start(e), window.begin));
}

const DeviceProperties *properties(const Trace &trace, SourceId source, int device)
{
    for (const DeviceProperties &p : trace.sources[source.value].devices) {
        if (p.id == device)
            return &p;
    }
    return nullptr;
}

// Blocks per multiprocessor, at most 1: how much of the device a kernel can occupy at all. NaN = not known.
double fillOf(const KernelDetail *kernel, int multiprocessors)
{
    if (!kernel)
        return std::nan("");
    if (!std::isnan(kernel->blocksPerSm))
        return std::min(1.0, static_cast<double>(kernel->blocksPerSm));
    const double blocks = static_cast<double>(kernel->grid[0]) * kernel->grid[1] * kernel->grid[2];
    return blocks > 0 && multiprocessors > 0 ? std::min(1.0, blocks / multiprocessors) : std::nan("");
}

class Mean
{
public:
    void add(double value, double weight)
    {
        if (std::isnan(value))
            return;
        m_sum += value * weight;
        m_weight += weight;
    }
    [[nodiscard]] std::optional<double> get() const
    {
        return m_weight > 0 ? std::optional(m_sum / m_weight) : std::nullopt;
    }

private:
    double m_sum = 0, m_weight = 0;
};

void kernelFigures(const Trace &trace, const NameTable &names, const DeviceWork &work, DeviceMetrics &m)
{
    const DeviceProperties *device = properties(trace, m.source, m.device);
    const int multiprocessors = device ? device->multiprocessors : -1;
    std::int64_t tensor = 0;
    Mean occupancy, fill;
    for (const EventId e : work.records) {
        const std::int64_t ns = overlap(trace, e, m.window);
        if (trace.kind(e) != EventKind::Kernel || ns == 0)
            continue;
        m.kernelSumNs += ns;
        if (names.is(trace, e, NameTrait::kTensorCore))
            tensor += ns;
        const KernelDetail *detail = trace.kernel(e);
        const auto weight = static_cast<double>(ns);
        occupancy.add(detail ? static_cast<double>(detail->occupancy) : std::nan(""), weight);
        fill.add(fillOf(detail, multiprocessors), weight);
    }
    m.occupancy = occupancy.get();
    m.saturation = fill.get();
    if (m.kernelSumNs > 0)
        m.tensorCoreShare = static_cast<double>(tensor) / static_cast<double>(m.kernelSumNs);
}

void unions(const Trace &trace, const NameTable &names, const DeviceWork &work, DeviceMetrics &m)
{
    const auto isComm = [&](EventId e) { return names.is(trace, e, NameTrait::kCommunication); };
    m.compute =
        unionOf(trace, work, m.window, [&](EventId e) { return trace.kind(e) != EventKind::Copy && !isComm(e); });
    m.copy = unionOf(trace, work, m.window, [&](EventId e) { return trace.kind(e) == EventKind::Copy; });
    m.comm = unionOf(trace, work, m.window, isComm);
    m.busy = unionOf(trace, work, m.window, [](EventId) { return true; });
    m.computeNs = m.compute.length();
    m.copyNs = m.copy.length();
    m.commNs = m.comm.length();
    m.exposedCopyNs = m.copy.subtract(m.compute).length();
    m.exposedCommNs = m.comm.subtract(m.compute).length();
    m.busyNs = m.busy.length();
    m.idleNs = m.window.length() - m.busyNs;
    if (m.window.length() > 0)
        m.util = static_cast<double>(m.busyNs) / static_cast<double>(m.window.length());
}

constexpr double kMuch = 0.01; // of the window: what may be an artefact below that changes no verdict

void judgeReliability(const Trace &trace, DeviceMetrics &m)
{
    if (const std::uint64_t dropped = trace.sources[m.source.value].capture.dropped; dropped > 0) {
        m.reliable = false;
        m.unreliableWhy = std::to_string(dropped) + " records were dropped while recording.";
    } else if (static_cast<double>(m.idle.of(IdleCause::NotMeasurable))
               > kMuch * static_cast<double>(m.window.length())) {
        m.reliable = false;
        m.unreliableWhy =
            "Some idle time may be an artefact of the recording (graph launches without kernels, profiler "
            "at work).";
    }
}

} // namespace

std::vector<DeviceMetrics> deviceMetrics(const Trace &trace, const NameTable &names, const StepSet &steps,
                                         const HostActivity &host)
{
    std::vector<DeviceMetrics> all;
    for (const DeviceWork &work : deviceWork(trace, steps)) {
        DeviceMetrics m;
        m.source = steps.source;
        m.device = work.device;
        m.rank = trace.sources[steps.source.value].rank;
        if (const DeviceProperties *p = properties(trace, steps.source, work.device))
            m.name = p->name;
        m.window = steps.empty() ? work.extent : Range{steps.begin(), steps.end()};
        unions(trace, names, work, m);
        kernelFigures(trace, names, work, m);
        findIdleGaps(trace, names, steps, host, work, m);
        const QueueDepth queue = queueDepth(trace, work);
        m.maxQueue = queue.max;
        m.meanQueue = queue.mean;
        judgeReliability(trace, m);
        all.push_back(std::move(m));
    }
    return all;
}

} // namespace tuneline::analysis
