// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonmerge.h"

#include "analysis/import/jsonheader.h"
#include "analysis/import/jsontext.h"
#include "analysis/trace/hugepages.h"
#include "analysis/trace/saturate.h"

#include <algorithm>
#include <tuple>

namespace tuneline::analysis::json {
namespace {

template <typename Detail> std::uint32_t append(std::vector<Detail> &all, const std::vector<Detail> &more)
{
    const auto first = static_cast<std::uint32_t>(all.size());
    all.insert(all.end(), more.begin(), more.end());
    return first;
}

LaneKind laneKind(RowKind kind)
{
    switch (kind) {
    case RowKind::Stream:
        return LaneKind::Stream;
    case RowKind::Async:
        return LaneKind::Async;
    case RowKind::Window:
        return LaneKind::Window;
    default:
        return LaneKind::Cpu;
    }
}

} // namespace

Merger::Merger(TraceBuilder &builder, std::filesystem::path file)
    : m_builder(builder)
    , m_file(std::move(file))
{ }

void Merger::expect(const Sizes &sizes)
{
    const auto room = [](auto &table, std::size_t count) {
        if (table.empty())
            reserveOnHugePages(table, count);
    };
    room(m_builder.trace().kernels, sizes.kernels);
    room(m_builder.trace().copies, sizes.copies);
    room(m_builder.trace().ops, sizes.ops);
    room(m_builder.trace().collectives, sizes.collectives);
}

void Merger::beginDocument(const Batch &batch)
{
    endDocument();
    ++m_documents;
    if (m_documents == 2)
        m_builder.report().add("second-document", Severity::Warning,
                               {static_cast<std::int64_t>(batch.offset), -1,
                                "another document begins here; it is shown as a source of its own"});
    Source source;
    source.file = m_file.string();
    source.label =
        m_file.filename().string() + (m_documents > 1 ? " (document " + std::to_string(m_documents) + ")" : "");
    m_source = m_builder.addSource(std::move(source));
}

void Merger::endDocument()
{
    if (!m_source.valid())
        return;
    matchHalves();
    bindFlows();
    applyHeaders();
    applyLabels();
    for (auto &[tables, remap] : m_remaps)
        remap.lanes.clear();
    m_lanes.clear();
    m_counterOwner.clear();
    m_kineto = false;
    m_source = {};
}

bool Merger::finish()
{
    endDocument();
    if (m_events == 0 && m_hasList)
        m_builder.report().add("no-events", Severity::Warning,
                               {-1, -1, "the event list is empty: nothing was recorded"});
    return m_events > 0 || m_hasList;
}

void Merger::add(Batch &&batch, const ThreadTables &tables)
{
    if (batch.beginsDocument || !m_source.valid())
        beginDocument(batch);
    Remap &remap = remapFor(tables);
    learnDevices(tables, remap);
    takeEvents(batch, tables, remap);
    takeTracks(batch, remap);
    takeFlows(batch, tables, remap);
    for (const RowLabel &label : batch.labels)
        m_labels.push_back({label.what, remap.strings[label.pid.value], remap.strings[label.tid.value],
                            remap.strings[label.text.value]});
    m_events += batch.counters.size() + batch.memory.size() + batch.halves.size();
    m_headers.insert(m_headers.end(), std::make_move_iterator(batch.headers.begin()),
                     std::make_move_iterator(batch.headers.end()));
    m_builder.report().merge(batch.report);
    m_hasList = m_hasList || batch.hasList;
    m_builder.source(m_source).truncated = m_builder.source(m_source).truncated || batch.truncated;
    m_kineto = m_kineto || batch.kineto;
    batch = {};
}

Merger::Remap &Merger::remapFor(const ThreadTables &tables)
{
    Remap &remap = m_remaps[&tables];
    for (std::size_t i = remap.strings.size(); i < tables.strings.size(); ++i)
        remap.strings.push_back(m_builder.strings().intern(tables.strings.view(StringId{i})));
    remap.lanes.resize(tables.rows().size());
    return remap;
}

// Annotations on device rows don't say their device and stream; the kernels of the same row do.
void Merger::learnDevices(const ThreadTables &tables, const Remap &remap)
{
    for (const Row &row : tables.rows()) {
        if (row.kind == RowKind::Stream && row.device != Row::kUnsaid && row.stream != Row::kUnsaid)
            m_devices.try_emplace({remap.strings[row.pid.value], remap.strings[row.tid.value]}, row.device, row.stream);
    }
}

LaneId Merger::laneFor(const Row &row, Remap &remap)
{
    const StringId pid = remap.strings[row.pid.value], tid = remap.strings[row.tid.value];
    LaneKey key{laneKind(row.kind),
                m_source,
                std::string(m_builder.strings().view(pid)),
                std::string(m_builder.strings().view(tid)),
                {},
                {}};
    if (row.kind == RowKind::Stream) {
        const auto known = m_devices.find({pid, tid});
        const auto said = [&](std::int64_t own, std::int64_t other,
                              const std::string &text) -> std::optional<std::int64_t> {
            return own != Row::kUnsaid ? own : known != m_devices.end() ? other : toInt(text);
        };
        const auto device = said(row.device, known != m_devices.end() ? known->second.first : 0, key.pid);
        key.stream = said(row.stream, known != m_devices.end() ? known->second.second : 0, key.tid);
        key.device = static_cast<int>(std::clamp<std::int64_t>(device.value_or(0), 0, 1 << 20));
    }
    const LaneId lane = m_builder.lane(key);
    const auto same = [&](const LaneUse &use) { return use.lane == lane; };
    if (std::find_if(m_lanes.begin(), m_lanes.end(), same) == m_lanes.end())
        m_lanes.push_back({pid, tid, lane, row.kind});
    return lane;
}

Merger::Tables Merger::takeDetails(Batch &batch, const Remap &remap)
{
    Trace &trace = m_builder.trace();
    for (OpDetail &op : batch.ops) {
        op.shapes = remap.strings[op.shapes.value];
        op.types = remap.strings[op.types.value];
        op.concrete = remap.strings[op.concrete.value];
    }
    for (CollectiveDetail &collective : batch.collectives) {
        collective.name = remap.strings[collective.name.value];
        collective.group = remap.strings[collective.group.value];
        collective.type = remap.strings[collective.type.value];
    }
    return {append(trace.kernels, batch.kernels), append(trace.copies, batch.copies), append(trace.ops, batch.ops),
            append(trace.collectives, batch.collectives)};
}

// From the reader thread's ids to the trace's.
void Merger::settle(RawEvent &event, const Tables &first, const ThreadTables &tables, Remap &remap)
{
    LaneId &lane = remap.lanes[event.lane.value];
    if (!lane.valid())
        lane = laneFor(tables.rows()[event.lane.value], remap);
    event.lane = lane;
    event.name = remap.strings[event.name.value];
    if (event.collective != Id<EventTag>::kNone)
        event.collective += first.collectives;
    if (event.detail != Id<EventTag>::kNone)
        event.detail += event.kind == EventKind::Kernel                     ? first.kernels
            : event.kind == EventKind::Op || event.kind == EventKind::Range ? first.ops
                                                                            : first.copies;
}

void Merger::takeEvents(Batch &batch, const ThreadTables &tables, Remap &remap)
{
    const Tables first = takeDetails(batch, remap);
    for (RawEvent &event : batch.events)
        settle(event, first, tables, remap);
    for (HalfEvent half : batch.halves) {
        const Row &row = tables.rows()[half.event.lane.value];
        const std::uint64_t pid = remap.strings[row.pid.value].value, tid = remap.strings[row.tid.value].value;
        if (half.event.kind != EventKind::Async) // whatever the end says of its category or device
            half.id = (pid << 32U) | tid;
        else if (!half.global)
            half.id += pid * 0x9E3779B97F4A7C15ULL;
        settle(half.event, first, tables, remap);
        m_halves.push_back(half);
    }
    m_events += batch.events.size();
    m_builder.addBatch(std::move(batch.events));
}

void Merger::takeFlows(const Batch &batch, const ThreadTables &tables, const Remap &remap)
{
    for (const RawFlow &flow : batch.flows) {
        Row row = tables.rows()[flow.lane.value];
        row.pid = remap.strings[row.pid.value];
        row.tid = remap.strings[row.tid.value];
        m_flows.emplace_back(flow, row);
    }
}

void Merger::takeTracks(const Batch &batch, const Remap &remap)
{
    CounterTrack *track = nullptr;
    for (const CounterPoint &point : batch.counters) {
        const StringId name = remap.strings[point.name.value];
        const StringId pid = remap.strings[point.pid.value];
        const StringId owner = m_counterOwner.try_emplace(name, pid).first->second;
        if (owner != pid) { // another process has a counter of that name
            const std::string own = std::string(m_builder.strings().view(name)) + " (process "
                + std::string(m_builder.strings().view(pid)) + ")";
            track = &m_builder.counter(m_source, own);
        } else if (track == nullptr || track->name != name) {
            track = &m_builder.counter(m_source, m_builder.strings().view(name));
        }
        track->time.push_back(point.time);
        track->value.push_back(point.value);
    }
    for (Mark mark : batch.marks) {
        mark.name = remap.strings[mark.name.value];
        mark.source = m_source;
        m_builder.addMark(mark);
    }
    for (const MemoryPoint &point : batch.memory) {
        MemoryTrack &memory = m_builder.memory(m_source, point.device);
        memory.time.push_back(point.time);
        memory.bytes.push_back(point.bytes);
        memory.address.push_back(point.address);
        memory.allocated.push_back(point.allocated);
        memory.reserved.push_back(point.reserved);
    }
}

void Merger::addPair(const HalfEvent &begin, const HalfEvent *end)
{
    RawEvent event = begin.event;
    event.duration = end != nullptr ? saturatedDifference(end->event.start, begin.event.start) : 0;
    event.flags = end != nullptr ? 0 : EventFlag::kUnfinished;
    if (end != nullptr) { // arguments may stand at either half
        event.name = event.name == StringId{0U} ? end->event.name : event.name;
        event.correlation = event.correlation == 0 ? end->event.correlation : event.correlation;
        event.externalId = event.externalId == 0 ? end->event.externalId : event.externalId;
        if (event.detail == Id<EventTag>::kNone && end->event.kind == event.kind)
            event.detail = end->event.detail;
    }
    if (event.name == StringId{0U})
        event.name = m_builder.strings().intern("(no name)");
    m_builder.add(event);
    if (end == nullptr)
        m_builder.report().add("begin-without-end", Severity::Warning,
                               {static_cast<std::int64_t>(event.argsOffset), -1,
                                std::string(m_builder.strings().view(event.name)) + ": drawn to the end of the trace"});
}

// Of one thread or one async id. An end closes the innermost open begin, or the innermost of its name if it has one.
void Merger::matchTrack(std::vector<HalfEvent>::const_iterator from, std::vector<HalfEvent>::const_iterator to)
{
    std::vector<const HalfEvent *> open;
    for (auto half = from; half != to; ++half) {
        if (half->begin) {
            open.push_back(&*half);
            continue;
        }
        const auto fits = [&](const HalfEvent *b) {
            return half->event.name == StringId{0U} || b->event.name == half->event.name;
        };
        auto named = std::find_if(open.rbegin(), open.rend(), fits);
        if (named == open.rend())
            named = open.rbegin();
        if (named == open.rend()) {
            m_builder.report().add("end-without-begin", Severity::Warning,
                                   {static_cast<std::int64_t>(half->event.argsOffset), -1,
                                    "an end without a begin on its row is left out"});
            continue;
        }
        addPair(**named, &*half);
        open.erase(std::next(named).base());
    }
    for (const HalfEvent *begin : open)
        addPair(*begin, nullptr);
}

void Merger::matchHalves()
{
    const auto track = [](const HalfEvent &h) { return std::tuple(h.event.kind == EventKind::Async, h.id); };
    std::stable_sort(m_halves.begin(), m_halves.end(), [&](const HalfEvent &a, const HalfEvent &b) {
        return std::tuple(track(a), a.event.start) < std::tuple(track(b), b.event.start);
    });
    for (auto from = m_halves.cbegin(); from != m_halves.cend();) {
        const auto to =
            std::find_if(from, m_halves.cend(), [&](const HalfEvent &h) { return track(h) != track(*from); });
        matchTrack(from, to);
        from = to;
    }
    m_halves.clear();
}

// Flow ends name a process and thread, not host or device: an arrow begins at the host row and ends at the device row.
void Merger::bindFlows()
{
    std::map<std::pair<StringId, StringId>, std::pair<LaneId, LaneId>> rows; // host, device
    for (const LaneUse &use : m_lanes) {
        auto &[host, device] = rows[{use.pid, use.tid}];
        if (use.kind == RowKind::Cpu)
            host = use.lane;
        else if (use.kind == RowKind::Stream)
            device = use.lane;
    }
    for (auto &[flow, row] : m_flows) {
        const auto found = rows.find({row.pid, row.tid});
        if (found == rows.end())
            continue;
        const auto [host, device] = found->second;
        const bool wantsDevice = flow.type == RawFlow::Type::Launch && !flow.begin;
        flow.lane = wantsDevice && device.valid() ? device : host.valid() ? host : device;
        m_builder.addFlow(flow);
    }
    std::vector<std::uint64_t> begins;
    for (const auto &[flow, row] : m_flows) {
        if (flow.begin)
            begins.push_back(flow.id);
    }
    std::sort(begins.begin(), begins.end());
    const auto lost = std::count_if(m_flows.begin(), m_flows.end(), [&](const auto &f) {
        return !f.first.begin && !std::binary_search(begins.begin(), begins.end(), f.first.id);
    });
    m_builder.report().add("flow-without-start", Severity::Info, {-1, -1, "arrows whose beginning is not in the file"},
                           static_cast<std::uint64_t>(lost));
    m_flows.clear();
}

void Merger::applyLabels()
{
    StringPool &strings = m_builder.strings();
    for (const LaneUse &use : m_lanes) {
        Lane &lane = m_builder.editLane(use.lane);
        std::string process, gpu;
        for (const RowLabel &label : m_labels) {
            if (label.pid != use.pid)
                continue;
            const std::string_view text = strings.view(label.text);
            if (label.what == RowLabel::What::Process)
                process = text;
            else if (label.what == RowLabel::What::ProcessLabel && text != "CPU")
                gpu = text;
            else if (label.what == RowLabel::What::Thread && label.tid == use.tid)
                lane.thread = strings.intern(text.substr(0, text.find_last_not_of(' ') + 1));
        }
        const std::string own = "(" + std::string(strings.view(use.pid)) + ")";
        if (process.empty())
            continue;
        if (use.kind == RowKind::Stream && (!gpu.empty() || process.starts_with("GPU ")))
            lane.process = strings.intern(gpu.empty() ? process : gpu);
        else
            lane.process = strings.intern(process.ends_with(own) ? process : process + " " + own);
    }
    m_labels.clear();
}

void Merger::applyHeaders()
{
    Source &source = m_builder.source(m_source);
    const auto base = readHeaders(m_headers, source);
    if (base)
        m_builder.setBase(m_source, *base);
    source.format =
        m_kineto || source.format == SourceFormat::KinetoJson ? SourceFormat::KinetoJson : SourceFormat::ChromeJson;
    m_headers.clear();
}

} // namespace tuneline::analysis::json
