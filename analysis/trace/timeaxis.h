// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the times of all sources on one axis: flags lost, stray and impossible times, finds each source's clock and the
// zero of the trace. Used by TraceBuilder::finish only.
#pragma once

#include "analysis/trace/tracebuilder.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tuneline::analysis {

// Lengths beyond this are suspicious, and so is a time of 0 that is further away from all others.
inline constexpr std::int64_t kSuspiciousNs = 3'600'000'000'000;
// A few events on the far side of such a gap are strays: nothing inside one training window is that far from the rest.
inline constexpr std::int64_t kStrayGapNs = 600'000'000'000;

class TimeAxis
{
public:
    TimeAxis(Trace &trace, const EventRuns &runs, const std::unordered_map<std::uint32_t, std::int64_t> &bases);

    // Flags and completes the raw events and sets the trace's base and span. Afterwards all events are relative to
    // zero. `namer` may be empty: then ranks keep the clocks that their files state.
    void settle(const CollectiveNamer &namer);
    // From a time in a source's own clock to the trace's.
    [[nodiscard]] std::int64_t relative(SourceId source, std::int64_t time) const;

private:
    struct Clock
    {
        std::int64_t first = 0, last = 0; // starts of the main cluster, source clock
        std::int64_t offset = 0; // added to source times
        bool any = false; // has a valid event
        bool wall = false; // offset leads to Unix time
    };
    // What a run of events says of itself, found on all cores; nearly all are plain, and need no second look.
    struct Run
    {
        std::span<RawEvent> events;
        SourceId source;
        bool plain = true; // all times are known and likely, all durations possible
        std::int64_t first = 0, last = 0; // starts, source clock, of a plain run
        std::int64_t nearestToZero = 0; // likewise: the smallest distance of a start from 0
    };
    static void look(Run &run);
    template <typename Visit> void forEach(Visit &&visit); // event
    template <typename Visit> void forEachDoubtful(Visit &&visit); // of the runs that aren't plain
    [[nodiscard]] std::optional<std::int64_t> toRelative(Run &run) const;
    [[nodiscard]] SourceId sourceOf(const RawEvent &event) const { return m_trace.lanes[event.lane.value].source; }
    void flagImpossible();
    void flagZeros();
    void findRange();
    void flagStrays(SourceId source);
    void findOffsets();
    void alignRanksBy(const CollectiveNamer &namer);
    void clipDurations();
    void report(std::string_view name, Severity severity, const RawEvent &event, std::string_view why);

    Trace &m_trace;
    const EventRuns &m_events;
    std::vector<Run> m_runs;
    const std::unordered_map<std::uint32_t, std::int64_t> &m_bases;
    std::vector<Clock> m_clocks; // by source
};

} // namespace tuneline::analysis
