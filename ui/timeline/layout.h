// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows the timeline has, top down, and where: rank groups, idle rows, streams, CPU threads, counters, memory.
// Pure functions of trace, analysis and what is folded; in logical pixels from the top of the scrolled area.
#pragma once

#include "analysis/analysis.h"
#include "analysis/trace/lod.h"

#include <QString>
#include <set>
#include <unordered_map>
#include <vector>

namespace tuneline::ui {

struct LayoutRow
{
    enum class Kind { Group, Idle, Events, More, Counter, Memory };

    Kind kind = Kind::Events;
    int y = 0, height = 0;
    // Group: index of the group; Idle: of Analysis::devices; Events, More: of the lane; Counter, Memory: of their list.
    std::uint32_t index = 0;
    std::uint32_t rows = 1; // Events: how many drawing rows are shown, from depth 0
    std::uint32_t hidden = 0; // More: rows below; 0 = offers to show fewer
    int rowHeight = 0;
    int indent = 0;
    bool foldable = false, folded = false;
    QString label, detail;
};

// What the user folded and unfolded, by LaneId and group.
struct FoldState
{
    static constexpr std::uint32_t kCpuRows = 10, kStreamRows = 6; // of a lane, before "… n deeper rows"

    std::set<std::uint32_t> groups; // folded
    std::set<std::uint32_t> lanes; // folded to one row
    std::unordered_map<std::uint32_t, std::uint32_t> limits; // rows shown, where not as above
};

// One rank (or process group) of the run.
struct LaneGroup
{
    analysis::SourceId source;
    std::optional<int> rank;
    QString title;
    std::vector<analysis::LaneId> streams, threads, others; // in drawing order
    std::vector<std::uint32_t> devices; // of Analysis::devices
};

struct Layout
{
    std::vector<LaneGroup> groups;
    std::vector<LayoutRow> rows;
    int height = 0;

    [[nodiscard]] const LayoutRow *rowAt(int y) const; // nullptr: below the last
    [[nodiscard]] const LayoutRow *rowOfLane(analysis::LaneId lane) const; // nullptr: folded away
    [[nodiscard]] int groupOfLane(analysis::LaneId lane) const; // −1: not drawn
};

// Of a trace that is opened: with many ranks all but the first are folded.
[[nodiscard]] FoldState initialFolds(const std::vector<LaneGroup> &groups);
[[nodiscard]] std::vector<LaneGroup> laneGroups(const analysis::Trace &trace, const analysis::Analysis *analysis);
[[nodiscard]] Layout layOut(const analysis::Trace &trace, const analysis::Lod &lod, const analysis::Analysis *analysis,
                            const FoldState &folds, int rowHeight);

} // namespace tuneline::ui
