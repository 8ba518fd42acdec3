// SPDX-License-Identifier: GPL-3.0-or-later
// What a search found, ready for drawing: which names match, and the matching events of each drawing row. Built off the
// GUI thread, then immutable.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/trace/trace.h"

#include <QString>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace tuneline::ui {

class Matches
{
public:
    // All events whose name as written, or as shortened for labels, contains the text. Case does not matter.
    static analysis::Result<std::shared_ptr<const Matches>> find(const analysis::Trace &trace, const QString &text,
                                                                 const analysis::Progress &progress);

    [[nodiscard]] bool matchesName(analysis::StringId name) const { return m_names[name.value] != 0; }
    [[nodiscard]] const std::vector<analysis::EventId> &byTime() const { return m_byTime; }
    // Of one row, by start.
    [[nodiscard]] std::span<const analysis::EventId> ofRow(analysis::LaneId lane, std::uint32_t depth) const;
    // Whether the row has a match that starts in [from, to).
    [[nodiscard]] bool any(const analysis::Trace &trace, analysis::LaneId lane, std::uint32_t depth, std::int64_t from,
                           std::int64_t to) const;

private:
    struct Slice
    {
        std::uint32_t first = 0, count = 0;
    };
    void sortIntoRows(const analysis::Trace &trace);

    std::vector<std::uint8_t> m_names; // by StringId
    std::vector<analysis::EventId> m_byTime, m_byRow;
    std::unordered_map<std::uint64_t, Slice> m_rows; // lane and depth → slice of m_byRow
};
using MatchesPtr = std::shared_ptr<const Matches>;

} // namespace tuneline::ui
