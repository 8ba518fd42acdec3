// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/tracebuilder.h"

#include "analysis/trace/columnfiller.h"
#include "analysis/trace/lanelayout.h"
#include "analysis/trace/linker.h"
#include "analysis/trace/parallel.h"
#include "analysis/trace/timeaxis.h"

#include <algorithm>
#include <numeric>

namespace tuneline::analysis {
namespace {

template <typename Detail> std::uint32_t append(Column<Detail> &table, const Detail &detail)
{
    table.push_back(detail);
    return static_cast<std::uint32_t>(table.size() - 1);
}

template <typename T> std::string keyPart(const std::optional<T> &value)
{
    return value ? std::to_string(*value) : std::string("-");
}

// Sources whose times are all whole microseconds round them: an inner slice may then stick out by one.
std::vector<std::int64_t> slackOfSources(const Trace &trace)
{
    std::vector<std::int64_t> slack(trace.sources.size(), 1000);
    for (const Lane &lane : trace.lanes) {
        for (std::uint32_t i = lane.first; i < lane.first + lane.count && slack[lane.source.value] != 0; ++i) {
            const bool whole = trace.events.duration[i] % 1000 == 0 && trace.events.start[i] % 1000 == 0;
            if (!whole && trace.events.kind[i] != EventKind::Window)
                slack[lane.source.value] = 0;
        }
    }
    return slack;
}

template <typename Time, typename... Others> void sortByTime(std::vector<Time> &time, Others &...others)
{
    if (std::is_sorted(time.begin(), time.end()))
        return;
    std::vector<std::size_t> order(time.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time[a] < time[b]; });
    const auto apply = [&](auto &column) {
        auto sorted = column;
        for (std::size_t i = 0; i < order.size(); ++i)
            sorted[i] = column[order[i]];
        column = std::move(sorted);
    };
    (apply(others), ...);
    apply(time);
}

void settleTracks(Trace &trace, const TimeAxis &axis)
{
    for (CounterTrack &track : trace.counters) {
        for (std::int64_t &time : track.time)
            time = axis.relative(track.source, time);
        sortByTime(track.time, track.value);
    }
    for (MemoryTrack &track : trace.memory) {
        for (std::int64_t &time : track.time)
            time = axis.relative(track.source, time);
        sortByTime(track.time, track.bytes, track.address, track.allocated, track.reserved);
    }
    for (Mark &mark : trace.marks)
        mark.time = axis.relative(mark.source, mark.time);
    std::stable_sort(trace.marks.begin(), trace.marks.end(),
                     [](const Mark &a, const Mark &b) { return a.time < b.time; });
}

void settleFlows(const Trace &trace, const FlowRuns &flows, const TimeAxis &axis)
{
    forEachOnAllCores(flows.size(), [&](std::size_t run) {
        for (RawFlow &flow : flows[run])
            flow.time = flow.lane.valid() ? axis.relative(trace.lanes[flow.lane.value].source, flow.time) : 0;
    });
}

void nameLanes(Trace &trace)
{
    for (Lane &lane : trace.lanes) {
        if (!lane.rank)
            lane.rank = trace.sources[lane.source.value].rank;
        const std::string pid{trace.strings.view(lane.pid)}, tid{trace.strings.view(lane.tid)};
        const bool device = lane.kind == LaneKind::Stream && lane.device;
        if (lane.process == StringId{0U} && (device || !pid.empty()))
            lane.process = trace.strings.intern(device ? "GPU " + std::to_string(*lane.device) : "process " + pid);
        if (lane.thread == StringId{0U}) {
            const bool stream = lane.kind == LaneKind::Stream && lane.stream;
            const std::string name = stream  ? "stream " + std::to_string(*lane.stream)
                : lane.kind == LaneKind::Cpu ? "thread " + tid
                                             : tid;
            lane.thread = trace.strings.intern(name);
        }
    }
}

void layOut(Trace &trace)
{
    const std::vector<std::int64_t> slack = slackOfSources(trace);
    forEachOnAllCores(trace.lanes.size(), [&](std::size_t i) {
        const Lane &lane = trace.lanes[i];
        layOutLane(trace, LaneId{i}, lane.kind == LaneKind::Cpu ? slack[lane.source.value] : 0);
    });
    std::uint64_t overlaps = 0;
    for (const Lane &lane : trace.lanes)
        overlaps += lane.overlaps;
    trace.report.add("overlap", Severity::Info,
                     {-1, -1, "slices of one row that overlap without nesting; all are kept, on extra rows"}, overlaps);
}

} // namespace

TraceBuilder::TraceBuilder()
    : m_trace(std::make_unique<Trace>())
{ }

SourceId TraceBuilder::addSource(Source source)
{
    m_trace->sources.push_back(std::move(source));
    return SourceId{m_trace->sources.size() - 1};
}

LaneId TraceBuilder::lane(const LaneKey &key)
{
    std::string text = std::to_string(static_cast<int>(key.kind)) + '/' + std::to_string(key.source.value) + '/'
        + key.pid + '/' + key.tid + '/' + keyPart(key.device) + '/' + keyPart(key.stream);
    const auto [known, fresh] = m_lanes.try_emplace(std::move(text), LaneId{m_trace->lanes.size()});
    if (fresh) {
        Lane lane;
        lane.kind = key.kind;
        lane.source = key.source;
        lane.pid = strings().intern(key.pid);
        lane.tid = strings().intern(key.tid);
        lane.device = key.device;
        lane.stream = key.stream;
        lane.rank = source(key.source).rank;
        m_trace->lanes.push_back(std::move(lane));
    }
    return known->second;
}

void TraceBuilder::add(const RawEvent &event)
{
    const SourceId source = m_trace->lanes[event.lane.value].source;
    if (source != m_runSource)
        m_events.close();
    m_runSource = source;
    m_events.push(event);
}

std::uint32_t TraceBuilder::addKernel(const KernelDetail &detail)
{
    return append(m_trace->kernels, detail);
}

std::uint32_t TraceBuilder::addCopy(const CopyDetail &detail)
{
    return append(m_trace->copies, detail);
}

std::uint32_t TraceBuilder::addOp(const OpDetail &detail)
{
    return append(m_trace->ops, detail);
}

std::uint32_t TraceBuilder::addCollective(const CollectiveDetail &detail)
{
    return append(m_trace->collectives, detail);
}

CounterTrack &TraceBuilder::counter(SourceId source, std::string_view name)
{
    const StringId id = strings().intern(name);
    auto &tracks = m_trace->counters;
    const auto known =
        std::find_if(tracks.begin(), tracks.end(), [&](const auto &t) { return t.source == source && t.name == id; });
    if (known != tracks.end())
        return *known;
    CounterTrack track;
    track.name = id;
    track.source = source;
    return tracks.emplace_back(std::move(track));
}

MemoryTrack &TraceBuilder::memory(SourceId source, int device)
{
    auto &tracks = m_trace->memory;
    const auto known = std::find_if(tracks.begin(), tracks.end(),
                                    [&](const auto &t) { return t.source == source && t.device == device; });
    if (known != tracks.end())
        return *known;
    MemoryTrack track;
    track.device = device;
    track.source = source;
    return tracks.emplace_back(std::move(track));
}

void TraceBuilder::setBase(SourceId source, std::int64_t unixNsOfZero)
{
    m_base[source.value] = unixNsOfZero;
}

Result<TracePtr> TraceBuilder::finish(Progress &progress, const std::function<void(ImportReport &)> &complete)
{
    const auto step = [&](Stage stage, std::uint32_t permille) {
        progress.stage = stage;
        progress.permille = permille;
        return progress.cancelled();
    };
    const auto cancelled = [] { return fail(Error::Code::Cancelled, "Cancelled."); };
    if (step(Stage::Sorting, 600))
        return cancelled();
    m_slabs.push_back(m_events.own());
    TimeAxis axis(*m_trace, m_events.list(), m_base);
    axis.settle(m_namer);
    settleTracks(*m_trace, axis);
    settleFlows(*m_trace, m_flows.list(), axis);
    if (step(Stage::Sorting, 700))
        return cancelled();
    const std::vector<std::uint64_t> externalIds = fillColumns(*m_trace, m_events.list(), m_slabs);
    if (step(Stage::Sorting, 800))
        return cancelled();
    nameLanes(*m_trace);
    layOut(*m_trace);
    if (step(Stage::Linking, 900))
        return cancelled();
    linkLaunches(*m_trace, m_flows.list(), externalIds);
    linkForwardBackward(*m_trace, m_flows.list());
    if (complete)
        complete(m_trace->report);
    step(Stage::Analysing, 1000);
    TracePtr trace = std::move(m_trace);
    *this = TraceBuilder();
    return trace;
}

} // namespace tuneline::analysis
