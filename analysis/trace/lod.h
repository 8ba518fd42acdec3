// SPDX-License-Identifier: GPL-3.0-or-later
// Level-of-detail pyramid of a trace, for drawing: every row of every lane (Lane × EventColumns::depth) is a run of
// events by start, and each level above summarises 16 neighbours of the one below. A viewer descends only until a
// node is narrower than a pixel, so the cost of a frame depends on the pixels, not on the events. About 7 bytes an
// event. Built once from an immutable Trace, by any thread; then immutable too.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/trace/trace.h"

#include <memory>
#include <span>
#include <vector>

namespace tuneline::analysis {

// Up to 16^level neighbouring events of one row. Times in ns.
struct LodNode
{
    std::int64_t start = 0; // of the first event
    std::int64_t end = 0; // latest end of its events
    // Length of the union of its events, less what earlier events of the row cover: so the sum over any run of nodes
    // from the row's beginning is the exact union.
    std::int64_t busyNs = 0;
    std::int64_t dominantNs = 0; // what the dominant name's events add up to; exact on level 1, a lower bound above
    std::uint32_t count = 0; // events
    EventId dominant; // the longest event of the name that takes most of the time
};

// One drawing row. Level 0 are the events themselves.
struct LodRow
{
    std::uint32_t first = 0, count = 0; // its slice of Lod::events
    std::uint32_t firstLevel = 0, levels = 0; // its slice of Lod::levels: levels 1, 2, …
};

struct LodLevel
{
    std::uint32_t first = 0, count = 0; // its slice of Lod::nodes
};

class Lod
{
public:
    static constexpr std::uint32_t kFanOut = 16;

    // Runs in one pass over the trace, about 20 ns an event. Fails only when cancelled. Reports no stage of its own.
    static Result<std::shared_ptr<const Lod>> build(const Trace &trace, Progress &progress);

    [[nodiscard]] std::span<const LodRow> rows(LaneId lane) const; // by depth
    [[nodiscard]] std::span<const EventId> events(const LodRow &row) const;
    [[nodiscard]] std::span<const LodNode> level(const LodRow &row, std::uint32_t level) const; // level 1 … row.levels
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    void addLane(const Trace &trace, const Lane &lane);
    void addLevels(const Trace &trace, LodRow &row);

    std::vector<std::uint32_t> m_laneRows; // first row of each lane, and one past the last
    std::vector<LodRow> m_rows;
    std::vector<EventId> m_events;
    std::vector<LodLevel> m_levels;
    std::vector<LodNode> m_nodes;
};

using LodPtr = std::shared_ptr<const Lod>;

} // namespace tuneline::analysis
