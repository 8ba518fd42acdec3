// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/stepmetrics.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

void countDeviceWork(const Trace &trace, const StepSet &steps, std::vector<StepMetrics> &all)
{
    for (std::size_t i = 0; i < steps.stepOfRecord.size(); ++i) {
        const std::uint32_t s = steps.stepOfRecord[i];
        if (s == StepSet::kNoStep)
            continue;
        StepMetrics &m = all[s];
        switch (trace.events.kind[i]) {
        case EventKind::Kernel:
            ++m.kernels;
            m.kernelNs += trace.events.duration[i];
            break;
        case EventKind::Copy:
            ++m.copies;
            if (const CopyDetail *copy = trace.copy(EventId{i}); copy && copy->bytes > 0)
                m.copyBytes += copy->bytes;
            break;
        default:
            ++m.memsets;
        }
    }
}

void countCalls(const Trace &trace, const NameTable &names, const StepSet &steps, const HostActivity &host,
                std::vector<StepMetrics> &all)
{
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu || lane.source != steps.source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (!isApiCall(trace.kind(e))
                || !(trace.events.launch[i].valid() || names.is(trace, e, NameTrait::kLaunch)))
                continue;
            if (const std::uint32_t s = steps.stepOf(trace, e); s != StepSet::kNoStep)
                ++all[s].launches;
        }
    }
    for (const EventId e : host.blockingCalls()) {
        if (const std::uint32_t s = steps.stepOf(trace, e); s != StepSet::kNoStep) {
            ++all[s].syncCalls;
            all[s].syncNs += trace.duration(e);
        }
    }
}

void splitDevice(const Step &step, const DeviceMetrics &d, StepMetrics &m)
{
    const Range window{step.start, step.end};
    const IntervalSet compute = d.compute.clip(window), copy = d.copy.clip(window), comm = d.comm.clip(window);
    const IntervalSet exposedCopy = copy.subtract(compute);
    m.breakdown.computeNs = compute.length();
    m.breakdown.exposedCopyNs = exposedCopy.length();
    m.breakdown.exposedCommNs = comm.subtract(compute).subtract(exposedCopy).length();
    m.busyNs = d.busy.lengthIn(window);
    if (window.length() > 0)
        m.util = static_cast<double>(m.busyNs) / static_cast<double>(window.length());
    auto piece = std::partition_point(d.pieces.begin(), d.pieces.end(),
                                      [&](const IdlePiece &p) { return p.end <= window.begin; });
    for (; piece != d.pieces.end() && piece->start < window.end; ++piece)
        m.breakdown.idle[piece->cause] += std::min(piece->end, window.end) - std::max(piece->start, window.begin);
    constexpr double kMuch = 0.01; // of the step
    m.reliable = static_cast<double>(m.breakdown.idle.of(IdleCause::NotMeasurable))
        <= kMuch * static_cast<double>(window.length());
}

// Without a device, collectives run on threads of the backend (gloo), and the training thread waits for them outside
// any operator.
IntervalSet hostCollectives(const Trace &trace, SourceId source)
{
    std::vector<Range> ranges;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu || lane.source != source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (trace.kind(e) == EventKind::Range && !collectiveKind(trace.name(e), EventKind::Range).empty())
                ranges.push_back({trace.start(e), trace.end(e)});
        }
    }
    return IntervalSet(std::move(ranges));
}

void splitHost(const Step &step, const HostActivity &host, const IntervalSet &collectives, StepMetrics &m)
{
    std::vector<HostSegment> parts;
    host.split(step.lane, {step.start, step.end}, parts);
    for (const HostSegment &p : parts) {
        const bool waits = p.cause == IdleCause::HostCode || p.cause == IdleCause::Unknown;
        const std::int64_t comm = waits ? collectives.lengthIn({p.start, p.end}) : 0;
        m.breakdown.exposedCommNs += comm;
        m.breakdown.idle[p.cause] += p.end - p.start - comm;
    }
}

// Scales counts so that they add up to `total` exactly; rounding goes to the largest.
void scaleTo(std::vector<std::int64_t *> parts, std::int64_t total)
{
    std::int64_t sum = 0;
    for (const std::int64_t *p : parts)
        sum += *p;
    if (sum <= 0)
        return;
    const double factor = static_cast<double>(total) / static_cast<double>(sum);
    std::int64_t scaled = 0;
    for (std::int64_t *p : parts) {
        *p = static_cast<std::int64_t>(static_cast<double>(*p) * factor);
        scaled += *p;
    }
    **std::max_element(parts.begin(), parts.end(), [](auto *a, auto *b) { return *a < *b; }) += total - scaled;
}

bool counts(const StepSet &steps, std::size_t i, bool anySteady)
{
    return !anySteady || steps.list[i].steady();
}

} // namespace

std::vector<StepMetrics> stepMetrics(const Trace &trace, const NameTable &names, const StepSet &steps,
                                     const HostActivity &host, const DeviceMetrics *device)
{
    std::vector<StepMetrics> all(steps.list.size());
    if (all.empty())
        return all;
    countDeviceWork(trace, steps, all);
    countCalls(trace, names, steps, host, all);
    const IntervalSet collectives = device ? IntervalSet() : hostCollectives(trace, steps.source);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Step &step = steps.list[i];
        all[i].inputWaitNs = host.inputWait().lengthIn({step.hostStart, step.hostEnd});
        if (device)
            splitDevice(step, *device, all[i]);
        else
            splitHost(step, host, collectives, all[i]);
    }
    return all;
}

namespace {

std::pair<StepBreakdown, std::int64_t> sumAndCount(const StepSet &steps, const std::vector<StepMetrics> &metrics)
{
    StepBreakdown sum;
    std::int64_t n = 0;
    const bool anySteady = steps.steadyCount() > 0;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!counts(steps, i, anySteady))
            continue;
        sum.computeNs += metrics[i].breakdown.computeNs;
        sum.exposedCopyNs += metrics[i].breakdown.exposedCopyNs;
        sum.exposedCommNs += metrics[i].breakdown.exposedCommNs;
        sum.idle += metrics[i].breakdown.idle;
        ++n;
    }
    return {sum, n};
}

} // namespace

StepBreakdown meanBreakdown(const StepSet &steps, const std::vector<StepMetrics> &metrics)
{
    auto [sum, n] = sumAndCount(steps, metrics);
    n = std::max<std::int64_t>(1, n);
    sum.computeNs /= n;
    sum.exposedCopyNs /= n;
    sum.exposedCommNs /= n;
    for (std::int64_t &ns : sum.idle.ns)
        ns /= n;
    return sum;
}

StepBreakdown headlineBreakdown(const StepSet &steps, const std::vector<StepMetrics> &metrics)
{
    StepBreakdown sum = sumAndCount(steps, metrics).first;
    std::vector<std::int64_t *> parts{&sum.computeNs, &sum.exposedCopyNs, &sum.exposedCommNs};
    for (std::int64_t &ns : sum.idle.ns)
        parts.push_back(&ns);
    scaleTo(std::move(parts), steps.medianNs.value_or(0));
    return sum;
}

StepBound boundOf(const StepBreakdown &b, bool hasDevice)
{
    constexpr double kBusy = 0.8; // with less than a fifth of idle time the work itself is what limits
    const auto total = static_cast<double>(b.total());
    if (total <= 0)
        return StepBound::Unknown;
    const auto of = [&](IdleCause c) { return b.idle.of(c); };
    std::int64_t host =
        of(IdleCause::HostCode) + of(IdleCause::Allocation) + of(IdleCause::Compilation) + of(IdleCause::Checkpoint);
    const std::int64_t issuing = of(IdleCause::HostOperators) + of(IdleCause::LaunchCalls);
    const std::int64_t work = hasDevice ? b.computeNs + b.exposedCopyNs + b.exposedCommNs : issuing;
    if (static_cast<double>(work) >= kBusy * total)
        return hasDevice ? StepBound::Device : StepBound::Host;
    if (hasDevice)
        host += issuing;
    const std::pair<std::int64_t, StepBound> groups[]{
        {of(IdleCause::InputWait), StepBound::Input},
        // Without a device, communication is the host's waiting for other ranks.
        {of(IdleCause::Synchronisation) + (hasDevice ? 0 : b.exposedCommNs), StepBound::Sync},
        {host, StepBound::Host},
        {of(IdleCause::DeviceWait), StepBound::Device},
        {of(IdleCause::Unknown) + of(IdleCause::NotMeasurable), StepBound::Unknown},
    };
    const auto most = std::max_element(std::begin(groups), std::end(groups),
                                       [](const auto &a, const auto &c) { return a.first < c.first; });
    return most->first > 0 ? most->second : StepBound::Unknown;
}

SyncFigures syncFigures(const StepSet &steps, const std::vector<StepMetrics> &metrics, const Trace &trace,
                        const HostActivity &host)
{
    SyncFigures f;
    if (metrics.empty()) {
        for (const EventId e : host.blockingCalls())
            f.nsPerStep += trace.duration(e);
        f.callsPerStep = static_cast<double>(host.blockingCalls().size());
        return f;
    }
    const bool anySteady = steps.steadyCount() > 0;
    std::int64_t calls = 0, ns = 0, n = 0;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!counts(steps, i, anySteady))
            continue;
        calls += metrics[i].syncCalls;
        ns += metrics[i].syncNs;
        ++n;
    }
    f.callsPerStep = static_cast<double>(calls) / static_cast<double>(n);
    f.nsPerStep = ns / n;
    return f;
}

namespace {

std::optional<int> workersOf(const Trace &trace, const NameTable &names, SourceId source)
{
    const auto &config = trace.sources[source.value].config;
    if (const auto it = config.find("workers");
        it != config.end() && !it->second.empty() && it->second.find_first_not_of("0123456789") == std::string::npos)
        return std::stoi(it->second);
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const EventId e{i};
        if (!isDeviceWork(trace.kind(e)) && names.is(trace, e, NameTrait::kDataScope)
            && trace.name(e).find("_SingleProcessDataLoaderIter") != std::string_view::npos)
            return 0;
    }
    return std::nullopt;
}

} // namespace

InputFigures inputFigures(const Trace &trace, const NameTable &names, const StepSet &steps,
                          const std::vector<StepMetrics> &metrics, const HostActivity &host)
{
    InputFigures f;
    f.fromMarks = host.inputFromMarks();
    f.workers = workersOf(trace, names, steps.source);
    const bool anySteady = steps.steadyCount() > 0;
    std::int64_t wait = 0, time = 0;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!counts(steps, i, anySteady))
            continue;
        wait += metrics[i].inputWaitNs;
        time += steps.list[i].timeNs();
    }
    if (time > 0)
        f.waitShare = static_cast<double>(wait) / static_cast<double>(time);
    return f;
}

} // namespace tuneline::analysis
