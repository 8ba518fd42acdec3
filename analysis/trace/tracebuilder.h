// SPDX-License-Identifier: GPL-3.0-or-later
// Turns what a reader found, in any order, into a Trace: sorts lanes, finds nesting, overlaps and sub-lanes, links
// launches with device records, rebases time. Owned by one reader; one thread.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/trace/trace.h"

#include <unordered_map>

namespace tuneline::analysis {

// What makes a lane different from another.
struct LaneKey
{
    LaneKind kind = LaneKind::Cpu;
    SourceId source;
    std::string pid, tid; // as in the file
    std::optional<int> device; // stream lanes
    std::optional<std::int64_t> stream;
};

struct RawEvent
{
    std::int64_t start = 0; // absolute ns in the source's own clock (Unix ns where it has them)
    std::int64_t duration = 0;
    StringId name{0U};
    LaneId lane;
    EventKind kind = EventKind::Slice;
    std::uint8_t flags = 0;
    std::uint32_t detail = Id<EventTag>::kNone; // from addKernel, addCopy, addOp
    std::uint64_t correlation = 0; // 0 = none
    std::uint64_t argsOffset = 0;
};

class TraceBuilder
{
public:
    TraceBuilder();

    StringPool &strings() { return m_trace->strings; }
    ImportReport &report() { return m_trace->report; }
    SourceId addSource(Source source);
    Source &source(SourceId id) { return m_trace->sources[id.value]; }

    LaneId lane(const LaneKey &key); // the same id for the same key
    Lane &editLane(LaneId id) { return m_trace->lanes[id.value]; } // labels, rank

    void add(const RawEvent &event) { m_raw.push_back(event); }
    std::uint32_t addKernel(const KernelDetail &detail);
    std::uint32_t addCopy(const CopyDetail &detail);
    std::uint32_t addOp(const OpDetail &detail);
    void addMark(const Mark &mark) { m_trace->marks.push_back(mark); } // absolute time
    CounterTrack &counter(SourceId source, std::string_view name);
    MemoryTrack &memory(SourceId source, int device);

    // Absolute wall-clock ns of the source's time 0, added to its times; unknown = leave out.
    void setBase(SourceId source, std::int64_t unixNsOfZero);

    // Ends the build. The builder is empty afterwards.
    Result<TracePtr> finish(Progress &progress);

private:
    std::unique_ptr<Trace> m_trace;
    std::vector<RawEvent> m_raw;
    std::unordered_map<std::string, LaneId> m_lanes;
    std::unordered_map<std::uint32_t, std::int64_t> m_base; // by source
};

} // namespace tuneline::analysis
