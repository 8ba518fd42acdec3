// SPDX-License-Identifier: GPL-3.0-or-later
// What one reader thread makes of its windows: events in their final form, but with the thread's own string and lane
// ids, which JsonMerger turns into the trace's.
#pragma once

#include "analysis/import/tokencache.h"
#include "analysis/trace/tracebuilder.h"

#include <cstdint>
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

// Ids of one reader thread, kept over all its windows. LaneId{i} is rows[i].
class ThreadTables
{
public:
    StringPool strings;
    StringId intern(std::string_view text); // as strings.intern(), sooner for what came lately
    LaneId row(const Row &row);
    [[nodiscard]] const std::vector<Row> &rows() const { return m_rows; }

private:
    TokenCache m_seen;
    std::vector<Row> m_rows;
    std::unordered_map<Row, LaneId, RowHash> m_ids;
    Row m_last;
    LaneId m_lastId;
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
};

// "M" events.
struct RowLabel
{
    enum class What : std::uint8_t { Process, ProcessLabel, Thread };
    What what = What::Process;
    StringId pid{0U}, tid{0U}, text{0U};
};

// The part of one document that one window holds.
struct Batch
{
    std::vector<RawEvent> events;
    std::vector<KernelDetail> kernels;
    std::vector<CopyDetail> copies;
    std::vector<OpDetail> ops;
    std::vector<CollectiveDetail> collectives;
    std::vector<RawFlow> flows;
    std::vector<HalfEvent> halves;
    std::vector<CounterPoint> counters;
    std::vector<MemoryPoint> memory;
    std::vector<Mark> marks; // their source is the document's
    std::vector<RowLabel> labels;
    std::vector<std::pair<std::string, std::string>> headers; // key, JSON text
    ImportReport report;
    std::uint64_t offset = 0;
    bool beginsDocument = false;
    bool hasList = false; // names an event list
    bool truncated = false;
    bool kineto = false; // has a category that only PyTorch's profiler writes
};

} // namespace tuneline::analysis::json
