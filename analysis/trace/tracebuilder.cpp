// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/tracebuilder.h"

#include "analysis/trace/hugepages.h"
#include "analysis/trace/lanelayout.h"
#include "analysis/trace/linker.h"
#include "analysis/trace/timeaxis.h"

#include <algorithm>
#include <numeric>

namespace tuneline::analysis {
namespace {

template <typename Detail> std::uint32_t append(std::vector<Detail> &table, const Detail &detail)
{
    table.push_back(detail);
    return static_cast<std::uint32_t>(table.size() - 1);
}

template <typename T> std::string keyPart(const std::optional<T> &value)
{
    return value ? std::to_string(*value) : std::string("-");
}

// Outer before inner where two events have the same times.
int rankOf(EventKind kind)
{
    switch (kind) {
    case EventKind::Window:
        return 0;
    case EventKind::Range:
    case EventKind::DeviceRange:
    case EventKind::Slice:
        return 1;
    case EventKind::Python:
        return 2;
    case EventKind::Op:
        return 3;
    case EventKind::Runtime:
        return 4;
    case EventKind::Driver:
        return 5;
    default:
        return 6;
    }
}

struct Placed
{
    std::int64_t start, end;
    const RawEvent *event;
};

bool before(const Placed &a, const Placed &b)
{
    if (a.start != b.start)
        return a.start < b.start;
    if (a.end != b.end)
        return a.end > b.end;
    return rankOf(a.event->kind) < rankOf(b.event->kind);
}

// Fills the columns in their final order: lane after lane, in each by start, longer first.
class Columns
{
public:
    Columns(Trace &trace, const std::vector<std::vector<RawEvent>> &batches)
        : m_trace(trace)
        , m_batches(batches)
    { }
    void fill();
    [[nodiscard]] std::vector<std::uint64_t> takeExternalIds() { return std::move(m_externalIds); }

private:
    void resize(std::size_t count);
    void place();
    void gather(std::uint32_t index);

    Trace &m_trace;
    const std::vector<std::vector<RawEvent>> &m_batches;
    std::vector<Placed> m_placed;
    std::vector<std::uint64_t> m_externalIds;
    bool m_needExternal = false;
};

void Columns::fill()
{
    place();
    resize(m_placed.size());
    for (Lane &lane : m_trace.lanes) {
        const auto from = m_placed.begin() + lane.first, to = from + lane.count;
        if (!std::is_sorted(from, to, before))
            std::stable_sort(from, to, before);
    }
    for (std::uint32_t i = 0; i < m_placed.size(); ++i)
        gather(i);
}

void Columns::place()
{
    for (const auto &batch : m_batches) {
        for (const RawEvent &event : batch) {
            ++m_trace.lanes[event.lane.value].count;
            m_needExternal =
                m_needExternal || (isDeviceWork(event.kind) && event.correlation == 0 && event.externalId != 0);
        }
    }
    std::uint32_t first = 0;
    for (Lane &lane : m_trace.lanes) {
        lane.first = first;
        first += lane.count;
    }
    resizeOnHugePages(m_placed, first);
    std::vector<std::uint32_t> next;
    for (const Lane &lane : m_trace.lanes)
        next.push_back(lane.first);
    for (const auto &batch : m_batches) {
        for (const RawEvent &event : batch)
            m_placed[next[event.lane.value]++] = {event.start, event.start + event.duration, &event};
    }
}

void Columns::resize(std::size_t count)
{
    EventColumns &c = m_trace.events;
    resizeOnHugePages(c.start, count);
    resizeOnHugePages(c.duration, count);
    resizeOnHugePages(c.name, count);
    resizeOnHugePages(c.lane, count);
    resizeOnHugePages(c.parent, count);
    resizeOnHugePages(c.launch, count);
    resizeOnHugePages(c.detail, count);
    resizeOnHugePages(c.depth, count);
    resizeOnHugePages(c.kind, count);
    resizeOnHugePages(c.flags, count);
    resizeOnHugePages(c.correlation, count);
    resizeOnHugePages(c.argsOffset, count);
    if (m_needExternal)
        resizeOnHugePages(m_externalIds, count);
}

void Columns::gather(std::uint32_t index)
{
    const RawEvent &event = *m_placed[index].event;
    EventColumns &c = m_trace.events;
    c.start[index] = event.start;
    c.duration[index] = event.duration;
    c.name[index] = event.name;
    c.lane[index] = event.lane;
    c.detail[index] = event.detail;
    c.kind[index] = event.kind;
    c.flags[index] = event.flags;
    c.correlation[index] = event.correlation;
    c.argsOffset[index] = event.argsOffset;
    if (m_needExternal)
        m_externalIds[index] = event.externalId;
    if (event.collective != Id<EventTag>::kNone)
        m_trace.collectiveOf.emplace_back(EventId{index}, event.collective);
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
    std::uint64_t overlaps = 0;
    for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
        const LaneKind kind = trace.lanes[i].kind;
        layOutLane(trace, LaneId{i}, kind == LaneKind::Cpu ? slack[trace.lanes[i].source.value] : 0);
        overlaps += trace.lanes[i].overlaps;
    }
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

std::vector<RawEvent> &TraceBuilder::openBatch()
{
    if (!m_batchOpen)
        m_batches.emplace_back();
    m_batchOpen = true;
    return m_batches.back();
}

void TraceBuilder::addBatch(std::vector<RawEvent> &&events)
{
    m_batchOpen = false;
    if (!events.empty())
        m_batches.push_back(std::move(events));
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
    TimeAxis axis(*m_trace, m_batches, m_base);
    axis.settle();
    settleTracks(*m_trace, axis);
    for (RawFlow &flow : m_flows)
        flow.time = flow.lane.valid() ? axis.relative(m_trace->lanes[flow.lane.value].source, flow.time) : 0;
    if (step(Stage::Sorting, 700))
        return cancelled();
    Columns columns(*m_trace, m_batches);
    columns.fill();
    m_batches.clear();
    if (step(Stage::Sorting, 800))
        return cancelled();
    nameLanes(*m_trace);
    layOut(*m_trace);
    if (step(Stage::Linking, 900))
        return cancelled();
    linkLaunches(*m_trace, m_flows, columns.takeExternalIds());
    linkForwardBackward(*m_trace, m_flows);
    if (complete)
        complete(m_trace->report);
    step(Stage::Analysing, 1000);
    TracePtr trace = std::move(m_trace);
    *this = TraceBuilder();
    return trace;
}

} // namespace tuneline::analysis
