// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/idlegaps.h"

#include "analysis/trace/hugepages.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

constexpr std::size_t kUsualPieces = 6; // of a gap; more are no fault
constexpr double kManyDropped = 0.01; // of all device records: then any gap may hide one

class GapFinder
{
public:
    GapFinder(const Trace &trace, const NameTable &names, const StepSet &steps, const HostActivity &host,
              DeviceMetrics &metrics)
        : m_trace(trace)
        , m_steps(steps)
        , m_host(host)
        , m_metrics(metrics)
    {
        for (const Lane &lane : trace.lanes) {
            if (lane.kind == LaneKind::Cpu && lane.source == steps.source)
                collectEmptyGraphLaunches(names, lane);
        }
        std::sort(m_emptyGraphs.begin(), m_emptyGraphs.end());
    }

    void find(const DeviceWork &work, bool nothingMeasurable)
    {
        auto next = work.records.begin();
        const IntervalSet idle = m_metrics.busy.complement(m_metrics.window);
        reserveOnHugePages(m_metrics.gaps, idle.ranges().size());
        reserveOnHugePages(m_metrics.pieces, kUsualPieces * idle.ranges().size());
        for (const Range &r : idle.ranges()) {
            while (next != work.records.end() && m_trace.start(*next) < r.end)
                ++next;
            IdleGap gap;
            gap.start = r.begin;
            gap.end = r.end;
            gap.step = m_steps.stepAt(r.begin);
            if (next != work.records.end())
                gap.next = *next;
            addGap(gap, nothingMeasurable);
        }
    }

private:
    void collectEmptyGraphLaunches(const NameTable &names, const Lane &lane)
    {
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (isApiCall(m_trace.kind(e)) && names.is(m_trace, e, NameTrait::kGraphLaunch)
                && !m_trace.events.launch[i].valid())
                m_emptyGraphs.push_back(m_trace.start(e));
        }
    }

    // A graph was launched shortly before or in the gap and none of its kernels was recorded: it may have run here.
    bool mayHideGraph(const IdleGap &gap) const
    {
        const auto it = std::upper_bound(m_emptyGraphs.begin(), m_emptyGraphs.end(), gap.end);
        return it != m_emptyGraphs.begin() && *(it - 1) >= gap.start - gap.length();
    }

    void addGap(IdleGap gap, bool nothingMeasurable)
    {
        gap.firstPiece = static_cast<std::uint32_t>(m_metrics.pieces.size());
        m_parts.clear();
        if (gap.next.valid())
            gap.launch = m_trace.events.launch[gap.next.value];
        gap.thread = gap.launch.valid() ? m_trace.events.lane[gap.launch.value] : m_steps.trainingLane;
        gap.insideBlocking = gap.thread.valid() ? m_host.blockingCallAt(m_trace, gap.thread, gap.start) : EventId{};
        if (nothingMeasurable || mayHideGraph(gap))
            m_parts.push_back({gap.start, gap.end, IdleCause::NotMeasurable, {}});
        else if (gap.launch.valid())
            splitByLaunch(gap);
        else if (!gap.next.valid() && gap.thread.valid())
            m_host.split(gap.thread, {gap.start, gap.end}, m_parts);
        else
            m_parts.push_back({gap.start, gap.end, IdleCause::Unknown, gap.next});
        for (const HostSegment &p : m_parts) {
            m_metrics.pieces.push_back({p.start, p.end, p.cause, p.event});
            m_metrics.idle[p.cause] += p.end - p.start;
        }
        gap.pieces = static_cast<std::uint32_t>(m_metrics.pieces.size()) - gap.firstPiece;
        m_metrics.gaps.push_back(gap);
    }

    // [start, L.start): what the thread did; [L.start, L.end): L itself; then the device, until w starts.
    void splitByLaunch(const IdleGap &gap)
    {
        const std::int64_t from = std::clamp(m_trace.start(gap.launch), gap.start, gap.end);
        const std::int64_t to = std::clamp(m_trace.end(gap.launch), from, gap.end);
        if (gap.start < from)
            m_host.split(gap.thread, {gap.start, from}, m_parts);
        if (from < to)
            m_parts.push_back({from, to, IdleCause::LaunchCalls, gap.launch});
        if (to < gap.end)
            m_parts.push_back({to, gap.end, IdleCause::DeviceWait, gap.next});
    }

    const Trace &m_trace;
    const StepSet &m_steps;
    const HostActivity &m_host;
    DeviceMetrics &m_metrics;
    std::vector<std::int64_t> m_emptyGraphs;
    std::vector<HostSegment> m_parts;
};

} // namespace

void findIdleGaps(const Trace &trace, const NameTable &names, const StepSet &steps, const HostActivity &host,
                  const DeviceWork &work, DeviceMetrics &metrics)
{
    const auto dropped = static_cast<double>(trace.sources[steps.source.value].capture.dropped);
    const bool nothing = dropped > kManyDropped * static_cast<double>(work.records.size());
    GapFinder(trace, names, steps, host, metrics).find(work, nothing);
}

// Taken from the parts that would have gone on: operators, launches, host code; those are what a refill is made of.
void moveToCause(DeviceMetrics &device, const std::vector<std::int64_t> &ns, IdleCause cause)
{
    if (std::none_of(ns.begin(), ns.end(), [](std::int64_t n) { return n > 0; }))
        return; // fresh memory for as many pieces costs more than all else here
    std::vector<IdlePiece> pieces;
    reserveOnHugePages(pieces, device.pieces.size() + ns.size());
    for (std::size_t g = 0; g < device.gaps.size(); ++g) {
        IdleGap &gap = device.gaps[g];
        std::int64_t left = g < ns.size() ? ns[g] : 0;
        const auto first = static_cast<std::uint32_t>(pieces.size());
        for (std::uint32_t i = gap.firstPiece; i < gap.firstPiece + gap.pieces; ++i) {
            const IdlePiece piece = device.pieces[i];
            const bool movable = piece.cause == IdleCause::LaunchCalls || piece.cause == IdleCause::HostOperators
                || piece.cause == IdleCause::HostCode;
            const std::int64_t take = movable ? std::clamp<std::int64_t>(left, 0, piece.end - piece.start) : 0;
            if (take > 0)
                pieces.push_back({piece.start, piece.start + take, cause, piece.event});
            if (take < piece.end - piece.start)
                pieces.push_back({piece.start + take, piece.end, piece.cause, piece.event});
            device.idle[cause] += take;
            device.idle[piece.cause] -= take;
            left -= take;
        }
        gap.firstPiece = first;
        gap.pieces = static_cast<std::uint32_t>(pieces.size()) - first;
    }
    device.pieces = std::move(pieces);
}

} // namespace tuneline::analysis
