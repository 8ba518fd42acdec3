// SPDX-License-Identifier: GPL-3.0-or-later
// Turns what a reader found, in any order, into a Trace: sorts lanes, finds nesting, overlaps and sub-lanes, links
// launches with device records, rebases time. Owned by one reader; one thread.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/trace/runs.h"
#include "analysis/trace/trace.h"

#include <functional>
#include <memory>
#include <span>
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
    std::uint32_t collective = Id<EventTag>::kNone; // from addCollective
    std::uint32_t row = Id<EventTag>::kNone; // its EventId, set by finish()
    std::uint64_t correlation = 0; // 0 = none
    std::uint64_t externalId = 0; // 0 = none
    std::uint64_t argsOffset = 0;
};

// A flow arrow's end, as the file states it: bound to the slice of that lane at that time.
struct RawFlow
{
    enum class Type : std::uint8_t { Launch, ForwardBackward };
    std::uint64_t id = 0;
    std::int64_t time = 0; // like RawEvent::start
    LaneId lane;
    Type type = Type::Launch;
    bool begin = true;
};

using EventRuns = std::vector<std::span<RawEvent>>; // each of one source
using EventSlabs = std::vector<std::shared_ptr<Slab<RawEvent>>>; // that those lie in
using FlowRuns = std::vector<std::span<RawFlow>>;

// What collective an event of this name and kind is ("AllReduce"), "" = none. metrics/names.h has one.
using CollectiveNamer = std::function<std::string(std::string_view name, EventKind kind)>;

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

    // A time of exactly 0 far from all others counts as lost; a lost or missing time is EventFlag::kNoTimestamp, a
    // missing or impossible duration kNoDuration, an end that never came kUnfinished: finish() completes and counts
    // those.
    void add(const RawEvent &event);
    void addFlow(const RawFlow &flow) { m_flows.push(flow); } // without a lane it leads nowhere
    // Many at once, without a copy: finish() changes them where they are, in the slabs that are kept for it. It gives a
    // slab of events back to the system chunk by chunk; all that are added must lie in one.
    void addEvents(std::span<RawEvent> events) { m_events.append(events); }
    void addFlows(std::span<RawFlow> flows) { m_flows.append(flows); }
    void keep(std::shared_ptr<Slab<RawEvent>> events) { m_slabs.push_back(std::move(events)); }
    void keep(std::shared_ptr<Slab<RawFlow>> flows) { m_flowSlabs.push_back(std::move(flows)); }
    std::uint32_t addKernel(const KernelDetail &detail);
    std::uint32_t addCopy(const CopyDetail &detail);
    std::uint32_t addOp(const OpDetail &detail);
    std::uint32_t addCollective(const CollectiveDetail &detail);
    Trace &trace() { return *m_trace; } // for readers that fill a table in one go
    void addMark(const Mark &mark) { m_trace->marks.push_back(mark); } // absolute time
    void addEventUse(const CudaEventUse &use) { m_trace->eventUses.push_back(use); }
    CounterTrack &counter(SourceId source, std::string_view name);
    MemoryTrack &memory(SourceId source, int device);

    // Absolute wall-clock ns of the source's time 0, added to its times; unknown = leave out.
    void setBase(SourceId source, std::int64_t unixNsOfZero);

    // Aligns the clocks of several ranks by their collectives (rankalignment.h).
    void alignBy(CollectiveNamer namer) { m_namer = std::move(namer); }

    // Ends the build. The builder is empty afterwards. `complete` may finish the report (line numbers) before it is
    // published.
    Result<TracePtr> finish(Progress &progress, const std::function<void(ImportReport &)> &complete = {});

private:
    std::unique_ptr<Trace> m_trace;
    EventSlabs m_slabs;
    std::vector<std::shared_ptr<Slab<RawFlow>>> m_flowSlabs;
    Runs<RawEvent> m_events; // each run of one source
    SourceId m_runSource; // of the last one
    Runs<RawFlow> m_flows;
    std::unordered_map<std::string, LaneId> m_lanes;
    std::unordered_map<std::uint32_t, std::int64_t> m_base; // by source
    CollectiveNamer m_namer;
};

} // namespace tuneline::analysis
