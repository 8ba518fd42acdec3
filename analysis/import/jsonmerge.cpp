// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonmerge.h"

#include "analysis/import/jsonheader.h"
#include "analysis/import/jsontext.h"
#include <algorithm>

namespace tuneline::analysis::json {
namespace {

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

// Ids are kept as they stand in the file; here their escapes end.
std::string plainId(std::string_view text)
{
    std::string scratch;
    return std::string(decodeUncheckedString(text, scratch).text);
}

} // namespace

Merger::Merger(TraceBuilder &builder, std::filesystem::path file)
    : m_builder(builder)
    , m_file(std::move(file))
{
    const Trace &trace = m_builder.trace(); // it has those of the files before this one
    m_filled = {static_cast<std::uint32_t>(trace.kernels.size()), static_cast<std::uint32_t>(trace.copies.size()),
                static_cast<std::uint32_t>(trace.ops.size()), static_cast<std::uint32_t>(trace.collectives.size())};
}

bool Merger::run(const std::vector<Item> &items)
{
    learnStrings(items);
    learnDevices(items);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Batch &batch = *items[i].batch;
        if (!batch.beginsDocument && !m_source.valid()) { // only what stands before the first document
            m_builder.report().merge(batch.report);
            continue;
        }
        if (batch.beginsDocument)
            beginDocument(std::span(items).subspan(i));
        add(*items[i].batch, *items[i].tables);
    }
    endDocument();
    for (const Item &item : items)
        item.tables->memory.clear();
    placeDetails(items);
    if (m_events == 0 && m_hasList)
        m_builder.report().add("no-events", Severity::Warning,
                               {-1, -1, "the event list is empty: nothing was recorded"});
    return m_events > 0 || m_hasList;
}

void Merger::learnStrings(const std::vector<Item> &items)
{
    for (const Item &item : items) {
        const auto [entry, fresh] = m_remaps.try_emplace(item.tables.get());
        if (!fresh)
            continue;
        Remap &remap = entry->second;
        for (std::size_t i = 0; i < item.tables->strings.size(); ++i)
            remap.strings.push_back(m_builder.strings().intern(item.tables->strings.view(StringId{i})));
        remap.lanes.resize(item.tables->rows().size());
        remap.flowEnds.resize(item.tables->rows().size());
        m_builder.keep(item.tables->events);
        m_builder.keep(item.tables->flows);
    }
}

// Annotations on device rows don't say their device and stream; the kernels of the same row do.
void Merger::learnDevices(const std::vector<Item> &items)
{
    for (const Item &item : items) { // in file order: what comes first counts
        for (const LaneId row : item.batch->rows)
            learnDevice(item.tables->rows()[row.value], m_remaps[item.tables.get()]);
    }
    for (const auto &[tables, remap] : m_remaps) {
        for (const Row &row : tables->rows())
            learnDevice(row, remap);
    }
}

void Merger::learnDevice(const Row &row, const Remap &remap)
{
    if (row.kind == RowKind::Stream && row.device != Row::kUnsaid && row.stream != Row::kUnsaid)
        m_devices.try_emplace({remap.strings[row.pid.value], remap.strings[row.tid.value]}, row.device, row.stream);
}

void Merger::beginDocument(std::span<const Item> rest)
{
    endDocument();
    const Batch &batch = *rest.front().batch;
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
    m_sources = {m_source};
    learnOwners(rest);
}

void Merger::endDocument()
{
    if (!m_source.valid())
        return;
    matchHalves();
    settleAll();
    applyHeaders();
    applyLabels();
    m_lanes.clear();
    m_counterOwner.clear();
    m_owners.clear();
    m_kineto = false;
    m_source = {};
}

void Merger::add(Batch &batch, ThreadTables &tables)
{
    Remap &remap = m_remaps[&tables];
    const auto settleLane = [&](LaneId row) {
        LaneId &lane = remap.lanes[row.value];
        if (!lane.valid())
            lane = laneFor(tables.rows()[row.value], remap);
    };
    std::for_each(batch.rows.begin(), batch.rows.end(), settleLane);
    for (const HalfEvent &half : batch.halves)
        settleLane(half.event.lane);
    const Shift shift = makePlace(batch);
    m_unsettled.push_back({&batch, &tables, &remap, shift});
    tables.events->forRange(batch.events.from, batch.events.to, [&](auto run) { addEvents(run, remap); });
    tables.flows->forRange(batch.flows.from, batch.flows.to, [&](auto run) { m_builder.addFlows(run); });
    takeHalves(batch, tables, remap, shift);
    takeCounters(batch, remap);
    takeMemory(batch, tables, remap);
    takeMarksAndLabels(batch, remap);
    m_events += batch.events.size() + batch.counters.size() + batch.memory.size() + batch.halves.size();
    m_headers.insert(m_headers.end(), std::make_move_iterator(batch.headers.begin()),
                     std::make_move_iterator(batch.headers.end()));
    m_builder.report().merge(batch.report);
    m_hasList = m_hasList || batch.hasList;
    for (const SourceId source : m_sources)
        m_builder.source(source).truncated = m_builder.source(source).truncated || batch.truncated;
    m_kineto = m_kineto || batch.kineto;
}

Merger::Shift Merger::makePlace(const Batch &batch)
{
    const auto place = [](std::uint32_t &filled, const Part &part) {
        const auto shift = static_cast<std::uint32_t>(filled - part.from);
        filled += static_cast<std::uint32_t>(part.size());
        return shift;
    };
    return {place(m_filled.kernels, batch.kernels), place(m_filled.copies, batch.copies),
            place(m_filled.ops, batch.ops), place(m_filled.collectives, batch.collectives)};
}

LaneId Merger::laneFor(const Row &row, Remap &remap)
{
    const StringId pid = remap.strings[row.pid.value], tid = remap.strings[row.tid.value];
    const auto owner = m_owners.find(pid);
    LaneKey key{laneKind(row.kind),
                sourceOf(pid),
                owner != m_owners.end() ? owner->second.pid : plainId(m_builder.strings().view(pid)),
                plainId(m_builder.strings().view(tid)),
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

void Merger::takeHalves(const Batch &batch, const ThreadTables &tables, Remap &remap, const Shift &shift)
{
    for (HalfEvent half : batch.halves) {
        const Row &row = tables.rows()[half.event.lane.value];
        const std::uint64_t pid = remap.strings[row.pid.value].value, tid = remap.strings[row.tid.value].value;
        if (half.event.kind != EventKind::Async) // whatever the end says of its category or device
            half.id = (pid << 32U) | tid;
        else if (!half.global)
            half.id += pid * 0x9E3779B97F4A7C15ULL;
        settle(half.event, remap, shift);
        m_halves.push_back(half);
    }
}

void Merger::takeCounters(const Batch &batch, const Remap &remap)
{
    CounterTrack *track = nullptr;
    for (const CounterPoint &point : batch.counters) {
        const StringId name = remap.strings[point.name.value];
        const StringId pid = remap.strings[point.pid.value];
        const SourceId source = sourceOf(pid);
        const StringId owner = m_counterOwner.try_emplace({source, name}, pid).first->second;
        if (owner != pid) { // another process has a counter of that name
            const std::string own = std::string(m_builder.strings().view(name)) + " (process "
                + std::string(m_builder.strings().view(pid)) + ")";
            track = &m_builder.counter(source, own);
        } else if (track == nullptr || track->name != name || track->source != source) {
            track = &m_builder.counter(source, m_builder.strings().view(name));
        }
        track->time.push_back(point.time);
        track->value.push_back(point.value);
    }
}

void Merger::takeMemory(const Batch &batch, ThreadTables &tables, const Remap &remap)
{
    tables.memory.forRange(batch.memory.from, batch.memory.to, [&](std::span<MemoryPoint> points) {
        for (const MemoryPoint &point : points) {
            MemoryTrack &memory = m_builder.memory(sourceOf(remap.strings[point.pid.value]), point.device);
            memory.time.push_back(point.time);
            memory.bytes.push_back(point.bytes);
            memory.address.push_back(point.address);
            memory.allocated.push_back(point.allocated);
            memory.reserved.push_back(point.reserved);
        }
    });
}

void Merger::takeMarksAndLabels(const Batch &batch, const Remap &remap)
{
    for (auto [mark, pid] : batch.marks) {
        mark.name = remap.strings[mark.name.value];
        mark.source = sourceOf(remap.strings[pid.value]);
        m_builder.addMark(mark);
    }
    for (const RowLabel &label : batch.labels)
        m_labels.push_back({label.what, remap.strings[label.pid.value], remap.strings[label.tid.value],
                            remap.strings[label.text.value]});
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
        if (!process.empty())
            lane.process = strings.intern(processLabel(use, std::move(process), std::move(gpu)));
    }
    m_labels.clear();
}

std::string Merger::processLabel(const LaneUse &use, std::string process, std::string gpu) const
{
    const Lane &lane = m_builder.trace().lanes[use.lane.value];
    const std::string whose = m_owners.contains(use.pid) ? m_builder.source(lane.source).label + ": " : std::string();
    for (std::string *label : {&process, &gpu})
        label->erase(0, label->starts_with(whose) ? whose.size() : 0);
    if (use.kind == RowKind::Stream && (!gpu.empty() || process.starts_with("GPU ")))
        return gpu.empty() ? process : gpu;
    const std::string pid{m_builder.strings().view(lane.pid)}, own = "(" + pid + ")";
    const bool said = !whose.empty() || process.ends_with(own) || process == "process " + pid;
    return said ? process : process + " " + own;
}

void Merger::applyHeaders()
{
    Source whole; // what the document says of itself; of several sources each has said it before
    Source &source = m_owners.empty() ? m_builder.source(m_source) : whole;
    const auto base = readHeaders(m_headers, source, m_builder.report());
    const bool kineto = m_kineto || source.format == SourceFormat::KinetoJson;
    for (const SourceId id : m_sources) {
        if (base)
            m_builder.setBase(id, *base);
        m_builder.source(id).format = kineto ? SourceFormat::KinetoJson : SourceFormat::ChromeJson;
    }
    m_headers.clear();
}

} // namespace tuneline::analysis::json
