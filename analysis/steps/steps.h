// SPDX-License-Identifier: GPL-3.0-or-later
// Training steps of one source: what they are, where they begin and end, which device record belongs to which
// (DESIGN section 4). Times are ns on the trace's axis. Pure functions over an immutable Trace: any thread.
#pragma once

#include "analysis/metrics/names.h"
#include "analysis/trace/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

enum class StepSource : std::uint8_t { None, Marker, Optimizer, Periodicity, User };
enum class StepBound : std::uint8_t { Unknown, Device, Host, Input, Sync };
[[nodiscard]] const char *toString(StepSource source) noexcept; // the words of CLI.md
[[nodiscard]] const char *toString(StepBound bound) noexcept;

namespace StepFlag {
inline constexpr std::uint8_t kWarmUp = 1; // at the beginning and much longer than the rest
inline constexpr std::uint8_t kPartial = 2; // cut by the window's edge or by the end of the accumulation group
inline constexpr std::uint8_t kOutlier = 4; // much longer than the rest, and it does not come back
inline constexpr std::uint8_t kStalled = 8; // holds a stall that recurs (StepSet::recurring)
} // namespace StepFlag

struct Step
{
    std::int64_t hostStart = 0, hostEnd = 0; // hostEnd is the next step's hostStart; the last ends with its marker
    std::int64_t start = 0, end = 0; // on the side that limits: step time = end - start
    LaneId lane; // the training thread
    EventId marker; // first marker of the group; invalid where there are no marks
    std::int64_t number = -1; // as the marker says, "ProfilerStep#12" → 12; -1 = it says nothing
    std::uint32_t micro = 1; // markers (micro-batches) in it
    std::uint32_t records = 0; // device records that belong to it
    EventId firstRecord, lastRecord; // first to start, last to end; invalid = launched nothing
    std::uint8_t flags = 0; // StepFlag bits

    [[nodiscard]] std::int64_t timeNs() const noexcept { return end - start; }
    [[nodiscard]] bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
    // Counts for the headline: neither warm-up, partial, outlier nor stalled.
    [[nodiscard]] bool steady() const noexcept { return flags == 0; }
};

// A stall that comes back: checkpoint, validation, worker restart, recompilation.
struct RecurringStall
{
    std::string what; // "checkpoint", "validation", "input", "compilation", "other"
    std::int64_t nsPerStep = 0; // cost / number of all complete steps
    std::vector<std::uint32_t> steps; // which steps hold it
};

struct StepSet
{
    static constexpr std::uint32_t kNoStep = 0xFFFFFFFFU;

    SourceId source;
    StepSource from = StepSource::None;
    std::vector<Step> list; // in time order, contiguous
    std::uint32_t microPerStep = 1;
    std::optional<std::int64_t> medianNs; // over steady steps; over all where none is steady; nullopt without steps
    StepBound bound = StepBound::Unknown; // filled in by analyse(), which knows the idle causes
    bool hostRunsAhead = false; // true: start and end are device boundaries
    LaneId trainingLane; // also set without steps where a thread plainly drives the run; may be invalid
    int device = -1; // the device whose records decide; -1 = none
    double confidence = 0; // 0..1
    std::string why; // one sentence: how they were found, or why there are none
    std::vector<RecurringStall> recurring;
    std::vector<std::uint32_t> stepOfRecord; // by EventId; kNoStep for everything that belongs to no step; may be empty

    [[nodiscard]] bool empty() const noexcept { return list.empty(); }
    [[nodiscard]] std::size_t steadyCount() const noexcept;
    [[nodiscard]] std::int64_t begin() const noexcept { return list.empty() ? 0 : list.front().start; }
    [[nodiscard]] std::int64_t end() const noexcept { return list.empty() ? 0 : list.back().end; }
    // The step that device record or host event e belongs to. O(1) for device work, O(log steps) for host events.
    [[nodiscard]] std::uint32_t stepOf(const Trace &trace, EventId e) const;
    [[nodiscard]] std::uint32_t stepAtHost(std::int64_t time) const; // kNoStep outside
    [[nodiscard]] std::uint32_t stepAt(std::int64_t time) const; // on the limiting side
};

struct StepOptions
{
    bool useMarkers = true; // false: pretend there are none (tests, and "marks are wrong" in the window)
    StringId startsWith{0U}; // the user's choice: each event of that name starts a step; "" = find them
};

[[nodiscard]] StepSet findSteps(const Trace &trace, const NameTable &names, SourceId source,
                                const StepOptions &options = {});

} // namespace tuneline::analysis
