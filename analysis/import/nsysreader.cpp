// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/nsysreader.h"

#include "analysis/import/cudanames.h"
#include "analysis/trace/saturate.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tuneline::analysis {
namespace {

// A global id packs machine, process and thread: 24 bits each for the last two.
std::int64_t pidOf(std::int64_t globalId)
{
    return (globalId >> 24) & 0xFFFFFF;
}

std::int64_t tidOf(std::int64_t globalId)
{
    return globalId & 0xFFFFFF;
}

// Nsight numbers memory kinds from 0 = pageable, CUPTI from 1.
MemoryKind memoryKindOfNsys(std::optional<std::int64_t> kind)
{
    return kind && *kind >= 0 && *kind < 7 ? memoryKindOfCupti(*kind + 1) : MemoryKind::Unknown;
}

bool sameLetter(char a, char b)
{
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool beginsWith(std::string_view text, std::string_view prefix)
{
    return text.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), text.begin(), sameLetter);
}

// "NAME" itself gives 0, "NAME_V2" or "NAME_2" gives 2, anything else nothing. SQL's names have no case.
std::optional<int> versionOf(std::string_view table, std::string_view base)
{
    if (!beginsWith(table, base))
        return std::nullopt;
    std::string_view rest = table.substr(base.size());
    if (rest.empty())
        return 0;
    rest.remove_prefix(rest.starts_with("_V") || rest.starts_with("_v") ? 2 : rest.starts_with("_") ? 1 : 0);
    int version = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), version);
    const bool number = error == std::errc() && end == rest.data() + rest.size();
    return number && rest.size() < table.size() - base.size() ? std::optional(version) : std::nullopt;
}

} // namespace

NsysReader::Columns::Columns(const TableReader &table)
    : start(table.column("start"))
    , end(table.column("end"))
    , globalTid(table.column("globalTid"))
    , globalPid(table.column("globalPid"))
    , correlation(table.column("correlationId"))
    , device(table.column("deviceId"))
    , stream(table.column("streamId"))
    , graphNode(table.column("graphNodeId"))
{ }

NsysReader::NsysReader(const Database &database, TraceBuilder &builder, SourceId source, Progress &progress)
    : m_database(database)
    , m_builder(builder)
    , m_source(source)
    , m_progress(progress)
    , m_tables(database.tables())
{ }

bool NsysReader::isExport() const
{
    return std::any_of(m_tables.begin(), m_tables.end(), [](const std::string &name) {
        return beginsWith(name, "CUPTI_ACTIVITY_KIND_") || beginsWith(name, "NVTX_EVENTS") || name == "StringIds"
            || name == "META_DATA_EXPORT" || name == "TARGET_INFO_SESSION_START_TIME" || name == "OSRT_API";
    });
}

void NsysReader::read()
{
    readStrings();
    readInfo();
    readCalls(); // first: tells whether correlations of several processes meet
    readKernels();
    readCopies();
    readMemsets();
    readSyncs();
    readGraphs();
    readOverhead("PROFILER_OVERHEAD");
    readOverhead("CUPTI_ACTIVITY_KIND_OVERHEAD");
    for (const char *table : {"CUDNN_EVENTS", "CUBLAS_EVENTS", "OSRT_API"})
        readLibraryCalls(table);
    readNvtx();
    readMemory();
    readProcesses();
    reportUnread();
}

std::string NsysReader::tableNamed(const std::string &base) const
{
    std::string best;
    int bestVersion = -1;
    for (const std::string &table : m_tables) {
        const auto version = versionOf(table, base);
        if (!version)
            continue;
        const int rank =
            (TableReader(m_database, table).next() ? 1000 : 0) + (*version == 0 ? 999 : std::min(*version, 998));
        if (rank > bestVersion)
            best = table;
        bestVersion = std::max(bestVersion, rank);
    }
    return best;
}

void NsysReader::forEachRow(const std::string &base, const std::function<void(TableReader &)> &visit)
{
    const std::string name = tableNamed(base);
    if (name.empty())
        return;
    m_read.insert(name);
    TableReader table(m_database, name);
    while (table.next()) {
        if ((++m_rows & 0xFFF) == 0 && m_progress.cancelled())
            return;
        visit(table);
    }
    if (!table.problem().empty())
        m_builder.report().add(
            "table-damaged", Severity::DataLoss,
            {-1, -1, "table " + name + " can't be read to its end; the rows before the damage are here"});
}

void NsysReader::forEachInterval(const std::string &base, const std::function<void(Row &)> &visit)
{
    std::optional<Columns> columns;
    forEachRow(base, [&](TableReader &table) {
        if (!columns)
            columns.emplace(table);
        Row row{
            table, {}, table.integer(columns->globalTid).value_or(0), table.integer(columns->globalPid).value_or(0)};
        const auto start = table.integer(columns->start), end = table.integer(columns->end);
        row.event.start = start.value_or(0);
        row.event.flags = start ? 0 : EventFlag::kNoTimestamp;
        row.event.duration = start && end ? saturatedDifference(*end, *start) : -1;
        row.event.correlation =
            correlation(table, columns->correlation, row.globalTid != 0 ? row.globalTid : row.globalPid);
        visit(row);
    });
}

// Correlations count per process; where several processes make calls, the process becomes a part of the number.
std::uint64_t NsysReader::correlation(const TableReader &table, int column, std::int64_t globalId) const
{
    const auto number = static_cast<std::uint64_t>(table.integer(column).value_or(0));
    return number != 0 && m_callers.size() > 1 ? number | (static_cast<std::uint64_t>(pidOf(globalId)) << 32U) : number;
}

void NsysReader::readStrings()
{
    forEachRow("StringIds", [&](TableReader &table) {
        const auto id = table.integer(table.column("id"));
        if (const auto value = table.text(table.column("value")); id && value)
            m_strings[*id] = m_builder.strings().intern(*value);
    });
}

StringId NsysReader::text(const TableReader &table, int column) const
{
    if (const auto inlineText = table.text(column))
        return m_builder.strings().intern(*inlineText);
    const auto known = m_strings.find(table.integer(column).value_or(-1));
    return known != m_strings.end() ? known->second : StringId{};
}

StringId NsysReader::orNoName(StringId name)
{
    return name.valid() && name != StringId{0U} ? name : m_builder.strings().intern("(no name)");
}

LaneId NsysReader::threadLane(std::int64_t globalTid)
{
    const auto [known, fresh] = m_threads.try_emplace(globalTid);
    if (fresh)
        known->second = m_builder.lane(
            {LaneKind::Cpu, m_source, std::to_string(pidOf(globalTid)), std::to_string(tidOf(globalTid)), {}, {}});
    return known->second;
}

LaneId NsysReader::streamLane(const Row &row, const Columns &columns)
{
    const std::int64_t pid = pidOf(row.globalPid != 0 ? row.globalPid : row.globalTid);
    const std::int64_t device = deviceOf(pid, row.table.integer(columns.device).value_or(0)),
                       stream = row.table.integer(columns.stream).value_or(0);
    const auto [known, fresh] = m_streams.try_emplace({pid, device, stream});
    if (fresh) {
        const bool whole = stream == 0xFFFFFFFF; // "all streams": a wait of the whole context
        LaneKey key{LaneKind::Stream,
                    m_source,
                    std::to_string(pid),
                    whole ? "context" : std::to_string(stream),
                    static_cast<int>(std::clamp<std::int64_t>(device, 0, 1 << 20)),
                    {}};
        if (!whole)
            key.stream = stream;
        known->second = m_builder.lane(key);
    }
    return known->second;
}

void NsysReader::addDevice(Row &row, const Columns &columns, EventKind kind, StringId name, std::uint32_t detail)
{
    row.event.kind = kind;
    row.event.name = orNoName(name);
    row.event.lane = streamLane(row, columns);
    row.event.detail = detail;
    m_builder.add(row.event);
}

void NsysReader::readCalls()
{
    forEachRow("CUPTI_ACTIVITY_KIND_RUNTIME", [&](TableReader &table) {
        m_callers.insert(pidOf(table.integer(table.column("globalTid")).value_or(0)));
    });
    for (const char *base : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"}) {
        forEachInterval(base, [&](Row &row) {
            const bool driver = base[20] == 'D' || row.table.integer(row.table.column("eventClass")).value_or(0) == 1;
            row.event.kind = driver ? EventKind::Driver : EventKind::Runtime;
            const StringId name = text(row.table, row.table.column("nameId"));
            const std::string plain{withoutVersion(m_builder.strings().view(name))};
            row.event.name = orNoName(m_builder.strings().intern(plain));
            row.event.lane = threadLane(row.globalTid);
            m_builder.add(row.event);
        });
    }
}

void NsysReader::readKernels()
{
    forEachInterval("CUPTI_ACTIVITY_KIND_KERNEL", [&](Row &row) {
        const auto number = [&](const char *name) { return row.table.integer(row.table.column(name)); };
        const auto small = [&](const char *name) {
            return static_cast<std::int32_t>(std::clamp<std::int64_t>(number(name).value_or(0), 0, INT32_MAX));
        };
        KernelDetail detail;
        detail.grid = {small("gridX"), small("gridY"), small("gridZ")};
        detail.block = {small("blockX"), small("blockY"), small("blockZ")};
        detail.registersPerThread =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(number("registersPerThread").value_or(-1), -1, 65536));
        if (number("staticSharedMemory") || number("dynamicSharedMemory"))
            detail.sharedBytes =
                saturatedSum(number("staticSharedMemory").value_or(0), number("dynamicSharedMemory").value_or(0));
        detail.graphNode = static_cast<std::uint64_t>(number("graphNodeId").value_or(0));
        StringId name;
        for (const char *column : {"demangledName", "mangledName", "shortName", "name"}) {
            if (!name.valid())
                name = text(row.table, row.table.column(column));
        }
        addDevice(row, Columns(row.table), EventKind::Kernel, name, m_builder.addKernel(detail));
    });
}

void NsysReader::readCopies()
{
    forEachInterval("CUPTI_ACTIVITY_KIND_MEMCPY", [&](Row &row) {
        const auto number = [&](const char *name) { return row.table.integer(row.table.column(name)); };
        CopyDetail detail;
        const auto [kind, word] = copyKindOfCupti(number("copyKind").value_or(0));
        detail.kind = kind;
        detail.bytes = number("bytes").value_or(-1);
        detail.source = memoryKindOfNsys(number("srcKind"));
        detail.destination = memoryKindOfNsys(number("dstKind"));
        if (row.event.duration > 0 && detail.bytes >= 0)
            detail.gigabytesPerSecond =
                static_cast<float>(static_cast<double>(detail.bytes) / static_cast<double>(row.event.duration));
        addDevice(row, Columns(row.table), EventKind::Copy, m_builder.strings().intern(copyName(word, detail)),
                  m_builder.addCopy(detail));
    });
}

void NsysReader::readMemsets()
{
    forEachInterval("CUPTI_ACTIVITY_KIND_MEMSET", [&](Row &row) {
        CopyDetail detail;
        detail.bytes = row.table.integer(row.table.column("bytes")).value_or(-1);
        detail.destination = memoryKindOfNsys(row.table.integer(row.table.column("memKind")));
        const std::string name = std::string("Memset (") + memoryWord(detail.destination) + ")";
        addDevice(row, Columns(row.table), EventKind::Memset, m_builder.strings().intern(name),
                  m_builder.addCopy(detail));
    });
}

void NsysReader::readSyncs()
{
    forEachInterval("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", [&](Row &row) {
        const StringId name =
            m_builder.strings().intern(syncName(row.table.integer(row.table.column("syncType")).value_or(0)));
        addDevice(row, Columns(row.table), EventKind::DeviceSync, name, Id<EventTag>::kNone);
    });
}

// Exists where graphs were traced as a whole: then their kernels are not in the kernel table.
void NsysReader::readGraphs()
{
    forEachInterval("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", [&](Row &row) {
        const auto graph = row.table.integer(row.table.column("graphId")).value_or(0);
        addDevice(row, Columns(row.table), EventKind::Kernel,
                  m_builder.strings().intern("CUDA graph " + std::to_string(graph)), m_builder.addKernel({}));
    });
}

} // namespace tuneline::analysis
