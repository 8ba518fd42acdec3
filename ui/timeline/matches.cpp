// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/matches.h"

#include "ui/models/eventtext.h"

#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

std::uint64_t rowKey(LaneId lane, std::uint32_t depth)
{
    return (std::uint64_t{lane.value} << 32) | depth;
}

bool nameContains(std::string_view name, const QString &text)
{
    const QString written = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    return written.contains(text, Qt::CaseInsensitive) || shortName(name).contains(text, Qt::CaseInsensitive);
}

} // namespace

Result<MatchesPtr> Matches::find(const Trace &trace, const QString &text, const Progress &progress)
{
    static constexpr std::uint32_t kCheckEvery = 1U << 16; // events between two looks at the cancel flag
    auto found = std::make_shared<Matches>();
    found->m_names.resize(trace.strings.size());
    for (std::uint32_t i = 0; i < found->m_names.size(); ++i)
        found->m_names[i] = nameContains(trace.strings.view(StringId{i}), text) ? 1 : 0;
    for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
        if (e % kCheckEvery == 0 && progress.cancelled())
            return fail(Error::Code::Cancelled, "Cancelled.");
        if (found->matchesName(trace.events.name[e]) && (trace.events.flags[e] & EventFlag::kNoTimestamp) == 0)
            found->m_byTime.push_back(EventId{e});
    }
    found->sortIntoRows(trace);
    std::ranges::stable_sort(found->m_byTime, {}, [&trace](EventId e) { return trace.start(e); });
    return MatchesPtr(std::move(found));
}

// Events come lane by lane and by start, so a stable sort by depth inside a lane is all there is to do.
void Matches::sortIntoRows(const Trace &trace)
{
    m_byRow = m_byTime;
    const auto key = [&trace](EventId e) { return rowKey(trace.events.lane[e.value], trace.events.depth[e.value]); };
    std::ranges::stable_sort(m_byRow, {}, key);
    for (std::uint32_t i = 0; i < m_byRow.size(); ++i) {
        Slice &slice = m_rows.try_emplace(key(m_byRow[i]), Slice{i, 0}).first->second;
        ++slice.count;
    }
}

std::span<const EventId> Matches::ofRow(LaneId lane, std::uint32_t depth) const
{
    const auto it = m_rows.find(rowKey(lane, depth));
    return it == m_rows.end() ? std::span<const EventId>()
                              : std::span(m_byRow).subspan(it->second.first, it->second.count);
}

bool Matches::any(const Trace &trace, LaneId lane, std::uint32_t depth, std::int64_t from, std::int64_t to) const
{
    const auto events = ofRow(lane, depth);
    const auto it = std::ranges::lower_bound(events, from, {}, [&trace](EventId e) { return trace.start(e); });
    return it != events.end() && trace.start(*it) < to;
}

} // namespace tuneline::ui
