// SPDX-License-Identifier: GPL-3.0-or-later
// NsysReader's host side: NVTX, library calls, overhead, names of processes and threads, what the export says of
// itself.
#include "analysis/import/nsysreader.h"
#include "analysis/import/nvtxtext.h"
#include "analysis/trace/saturate.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

enum NvtxType : std::int64_t {
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kTextPushPop = 70,
    kTextStartEnd = 71
};

} // namespace

void NsysReader::readOverhead(const std::string &base)
{
    forEachInterval(base, [&](Row &row) {
        row.event.kind = EventKind::Overhead;
        row.event.name = orNoName(text(row.table, row.table.column("nameId")));
        row.event.lane = threadLane(row.globalTid != 0 ? row.globalTid : row.globalPid);
        m_builder.add(row.event);
    });
}

void NsysReader::readLibraryCalls(const std::string &base)
{
    forEachInterval(base, [&](Row &row) {
        row.event.kind = EventKind::Slice;
        row.event.correlation = 0; // numbers of another kind of call
        row.event.name = orNoName(text(row.table, row.table.column("nameId")));
        row.event.lane = threadLane(row.globalTid);
        m_builder.add(row.event);
    });
}

void NsysReader::readNvtx()
{
    std::optional<Columns> columns;
    forEachRow("NVTX_EVENTS", [&](TableReader &table) {
        if (!columns)
            columns.emplace(table);
        readNvtxRow(table, *columns);
    });
}

void NsysReader::readNvtxRow(TableReader &table, const Columns &columns)
{
    const std::int64_t type = table.integer(table.column("eventType")).value_or(kPushPop);
    const bool pushPop = type == kPushPop || type == kTextPushPop,
               startEnd = type == kStartEnd || type == kTextStartEnd;
    const StringId text = nvtxText(table);
    if (type == kThreadName && text.valid())
        m_threadNames[table.integer(columns.globalTid).value_or(0)] = text;
    if (!pushPop && !startEnd && type != kMark)
        return; // names of threads, categories and domains
    const auto start = table.integer(columns.start), end = table.integer(columns.end);
    const std::int64_t thread = table.integer(columns.globalTid).value_or(0);
    RawEvent event;
    event.name = orNoName(text);
    event.start = start.value_or(0);
    event.flags = start ? 0 : EventFlag::kNoTimestamp;
    event.kind = type == kMark ? EventKind::Instant : startEnd ? EventKind::Async : EventKind::Range;
    if (type != kMark && !end) {
        event.flags |= EventFlag::kUnfinished;
        m_builder.report().add(
            "begin-without-end", Severity::Info,
            {-1, -1, std::string(m_builder.strings().view(event.name)) + ": drawn to the end of the trace"});
    }
    event.duration = start && end ? saturatedDifference(*end, *start) : 0;
    if (event.kind == EventKind::Range)
        readOperator(event);
    // A start/end range may end on another thread and overlaps whatever it likes.
    event.lane = startEnd
        ? m_builder.lane({LaneKind::Async, m_source, std::to_string((thread >> 24) & 0xFFFFFF), "NVTX ranges", {}, {}})
        : threadLane(thread);
    m_builder.add(event);
}

StringId NsysReader::nvtxText(const TableReader &table)
{
    const StringId own = text(table, table.column("text"));
    return own.valid() && own != StringId{0U} ? own : text(table, table.column("textId"));
}

// Under emit_nvtx() PyTorch's operators are ranges whose text says what Kineto has as arguments.
void NsysReader::readOperator(RawEvent &event)
{
    StringPool &strings = m_builder.strings();
    const NvtxText parsed = parseNvtxText(strings.view(event.name));
    OpDetail detail;
    detail.sequence = parsed.sequence;
    detail.forwardThread = parsed.isBackward ? 0 : -1; // which thread went forward isn't said
    detail.externalId = parsed.opId;
    detail.shapes = strings.intern(parsed.sizes);
    event.kind = parsed.isOperator ? EventKind::Op : EventKind::Range;
    if (parsed.isOperator && (parsed.sequence >= 0 || parsed.opId != 0))
        event.detail = m_builder.addOp(detail);
    event.name = orNoName(strings.intern(parsed.name));
}

void NsysReader::readInfo()
{
    Source &source = m_builder.source(m_source);
    forEachRow("TARGET_INFO_GPU", [&](TableReader &table) {
        const auto number = [&](const char *name) { return table.integer(table.column(name)); };
        DeviceProperties device;
        device.id = static_cast<int>(number("id").value_or(0));
        device.name = table.text(table.column("name")).value_or("");
        device.memoryBytes = number("totalMemory").value_or(-1);
        device.multiprocessors = static_cast<int>(number("smCount").value_or(-1));
        device.computeMajor = static_cast<int>(number("computeMajor").value_or(-1));
        device.computeMinor = static_cast<int>(number("computeMinor").value_or(-1));
        if (const auto warps = number("maxWarpsPerSm"))
            device.maxThreadsPerMultiprocessor = static_cast<int>(std::clamp<std::int64_t>(*warps, 0, 4096)) * 32;
        source.devices.push_back(std::move(device));
    });
    readDeviceMap();
    forEachRow("TARGET_INFO_SESSION_START_TIME", [&](TableReader &table) {
        if (const auto start = table.integer(table.column("utcEpochNs")))
            m_builder.setBase(m_source, *start);
    });
    forEachRow("META_DATA_EXPORT", [&](TableReader &table) {
        const auto name = table.text(table.column("name")), value = table.text(table.column("value"));
        if (name && value && (*name == "EXPORT_SCHEMA_VERSION" || *name == "EXPORT_PRODUCT_VERSION"))
            source.config["nsys." + std::string(*name)] = *value;
    });
}

void NsysReader::readProcesses()
{
    forEachRow("PROCESSES", [&](TableReader &table) {
        const auto global = table.integer(table.column("globalPid"));
        const std::int64_t pid = table.integer(table.column("pid")).value_or((global.value_or(0) >> 24) & 0xFFFFFF);
        m_processes[pid] = table.text(table.column("name")).value_or("");
    });
    forEachRow("ThreadNames", [&](TableReader &table) {
        m_threadNames[table.integer(table.column("globalTid")).value_or(0)] = text(table, table.column("nameId"));
    });
    StringPool &strings = m_builder.strings();
    for (const auto &[global, lane] : m_threads) {
        const std::int64_t pid = (global >> 24) & 0xFFFFFF, tid = global & 0xFFFFFF;
        if (const auto process = m_processes.find(pid); process != m_processes.end() && !process->second.empty()) {
            const std::string program = process->second.substr(process->second.find_last_of('/') + 1);
            m_builder.editLane(lane).process = strings.intern(program + " (" + std::to_string(pid) + ")");
        }
        if (const auto thread = m_threadNames.find(global); thread != m_threadNames.end() && thread->second.valid())
            m_builder.editLane(lane).thread = strings.intern("thread " + std::to_string(tid) + " ("
                                                             + std::string(strings.view(thread->second)) + ")");
    }
}

} // namespace tuneline::analysis
