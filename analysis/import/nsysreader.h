// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an Nsight Systems export, one function for each kind of table.
#pragma once

#include "analysis/import/sqlite.h"
#include "analysis/progress.h"
#include "analysis/trace/tracebuilder.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace tuneline::analysis {

class NsysReader
{
public:
    NsysReader(const Database &database, TraceBuilder &builder, SourceId source, Progress &progress);
    [[nodiscard]] bool isExport() const; // has a table that only such exports have
    void read();

private:
    // A row that is an interval, with what all such tables share.
    struct Row
    {
        TableReader &table;
        RawEvent event;
        std::int64_t globalTid = 0, globalPid = 0;
    };
    struct Columns
    {
        int start, end, globalTid, globalPid, correlation, device, stream, graphNode;
        explicit Columns(const TableReader &table);
    };
    // The table of that name or a later version of it ("…_V2"), one that has rows if there is one; "" if there is none.
    [[nodiscard]] std::string tableNamed(const std::string &base) const;
    void forEachRow(const std::string &base, const std::function<void(TableReader &)> &visit);
    void forEachInterval(const std::string &base, const std::function<void(Row &)> &visit);
    void readStrings();
    void readInfo();
    void readProcesses();
    void readKernels();
    void readCopies();
    void readMemsets();
    void readCalls();
    void readSyncs();
    void readGraphs();
    void readOverhead(const std::string &base);
    void readLibraryCalls(const std::string &base);
    void readNvtx();
    void readNvtxRow(TableReader &table, const Columns &columns);
    [[nodiscard]] StringId nvtxText(const TableReader &table);
    void readOperator(RawEvent &event);
    void readDeviceMap();
    void readMemory();
    void reportUnread();
    [[nodiscard]] LaneId threadLane(std::int64_t globalTid);
    [[nodiscard]] std::int64_t deviceOf(std::int64_t pid, std::int64_t device) const;
    [[nodiscard]] LaneId streamLane(const Row &row, const Columns &columns);
    [[nodiscard]] StringId text(const TableReader &table, int column) const; // by id or as it stands; invalid if absent
    [[nodiscard]] StringId orNoName(StringId name);
    [[nodiscard]] std::uint64_t correlation(const TableReader &table, int column, std::int64_t globalId) const;
    void addDevice(Row &row, const Columns &columns, EventKind kind, StringId name, std::uint32_t detail);

    const Database &m_database;
    TraceBuilder &m_builder;
    SourceId m_source;
    Progress &m_progress;
    std::vector<std::string> m_tables;
    std::unordered_map<std::int64_t, StringId> m_strings;
    std::unordered_map<std::int64_t, LaneId> m_threads;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, LaneId> m_streams; // process, device, stream
    std::map<std::int64_t, std::string> m_processes; // by pid
    std::unordered_map<std::int64_t, StringId> m_threadNames; // by global id
    std::set<std::int64_t> m_callers; // processes with API calls
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_gpuOf; // (process, its device) → GPU of the machine
    std::set<std::string> m_read; // tables that were looked at
    std::int64_t m_rows = 0;
};

} // namespace tuneline::analysis
