// SPDX-License-Identifier: GPL-3.0-or-later
// What one reader thread makes of its windows: events in their final form, but with the thread's own string, lane and
// detail ids, which Merger turns into the trace's.
#pragma once

#include "analysis/import/tokencache.h"
#include "analysis/trace/tracebuilder.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tuneline::analysis::json {

enum class RowKind : std::uint8_t { Cpu, Stream, Async, Window, Any };

// A row of the file. Device and stream are what the event said; kUnsaid where it said nothing.
struct Row
{
    static constexpr std::int64_t kUnsaid = kUnknown;
    RowKind kind = RowKind::Cpu;
    StringId pid{0U}, tid{0U};
    std::int64_t device = kUnsaid, stream = kUnsaid;
    bool operator==(const Row &) const = default;
};

struct RowHash
{
    std::size_t operator()(const Row &row) const noexcept
    {
        std::uint64_t h = (static_cast<std::uint64_t>(row.pid.value) << 32U) | row.tid.value;
        h = (h ^ (static_cast<std::uint64_t>(row.device) * 131 + static_cast<std::uint64_t>(row.stream)))
            * 0x9E3779B97F4A7C15ULL;
        return h ^ (h >> 29U) ^ static_cast<std::size_t>(row.kind);
    }
};

// B, E and their async kin: matched when all windows are there.
struct HalfEvent
{
    RawEvent event; // as far as this half knows it
    std::uint64_t id = 0; // async only
    bool begin = true;
    bool global = false; // the id means the same in all processes
};

struct CounterPoint
{
    std::int64_t time = 0;
    double value = 0;
    StringId name{0U}, pid{0U};
};

struct MemoryPoint
{
    std::int64_t time = 0, bytes = 0, allocated = kUnknown, reserved = kUnknown;
    std::uint64_t address = 0;
    std::int32_t device = -1;
    StringId pid{0U};
};

struct MarkPoint
{
    Mark mark; // without its source
    StringId pid{0U};
};

// "M" events.
struct RowLabel
{
    enum class What : std::uint8_t { Process, ProcessLabel, Thread };
    What what = What::Process;
    StringId pid{0U}, tid{0U}, text{0U};
};

// What one window added to a table of its thread.
struct Part
{
    std::size_t from = 0, to = 0;
    [[nodiscard]] std::size_t size() const noexcept { return to - from; }
};

// The part of one document that one window holds.
struct Batch
{
    Part events, kernels, copies, ops, collectives, flows, memory; // of the thread's tables
    std::vector<LaneId> rows; // of the events, in the order of their first use here
    std::vector<LaneId> flowRows; // of the flows, likewise
    std::vector<HalfEvent> halves;
    std::vector<CounterPoint> counters;
    std::vector<MarkPoint> marks;
    std::vector<RowLabel> labels;
    std::vector<std::pair<std::string, std::string>> headers; // key, JSON text
    ImportReport report;
    std::uint64_t offset = 0;
    bool beginsDocument = false;
    bool hasList = false; // names an event list
    bool truncated = false;
    bool kineto = false; // has a category that only PyTorch's profiler writes
};

// Ids and tables of one reader thread, kept over all its windows. LaneId{i} is rows()[i]; an event's detail is an index
// into the table of its kind.
class ThreadTables
{
public:
    StringPool strings;
    std::shared_ptr<Slab<RawEvent>> events = std::make_shared<Slab<RawEvent>>();
    Slab<KernelDetail> kernels;
    Slab<CopyDetail> copies;
    Slab<OpDetail> ops;
    Slab<CollectiveDetail> collectives;
    std::shared_ptr<Slab<RawFlow>> flows = std::make_shared<Slab<RawFlow>>();
    Slab<MemoryPoint> memory;

    StringId intern(std::string_view text); // as strings.intern(), sooner for what came lately
    LaneId row(const Row &row);
    [[nodiscard]] const std::vector<Row> &rows() const { return m_rows; }

    // What is added from here on is the batch's, until it is closed.
    void open(Batch &batch);
    void close(Batch &batch) const;
    void add(const RawEvent &event, Batch &batch); // the open one
    void add(const RawFlow &flow, Batch &batch);
    // Adds a detail; returns its index.
    template <typename Detail> std::uint32_t add(Slab<Detail> &table, const Detail &detail)
    {
        table.push(detail);
        return static_cast<std::uint32_t>(table.size() - 1);
    }

private:
    void noteSizes(Batch &batch, std::size_t Part::*edge) const;

    struct Known
    {
        Row row;
        LaneId id;
    };
    static constexpr std::size_t kLately = 64;

    TokenCache m_seen;
    std::vector<Row> m_rows;
    std::vector<std::uint32_t> m_usedIn; // by row: the last batch with an event of it
    std::vector<std::uint32_t> m_flowUsedIn; // likewise, with a flow
    std::uint32_t m_batch = 0;
    std::unordered_map<Row, LaneId, RowHash> m_ids;
    std::array<Known, kLately> m_lately; // by hash
};

} // namespace tuneline::analysis::json
