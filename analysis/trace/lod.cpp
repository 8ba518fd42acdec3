// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/lod.h"

#include <algorithm>
#include <array>

namespace tuneline::analysis {

namespace {

// Time per name within one node: at most kFanOut names, so a linear search beats any map.
class NameTotals
{
public:
    void add(StringId name, std::int64_t ns, EventId longest, std::int64_t longestNs)
    {
        Total *total =
            std::find_if(m_totals.data(), m_totals.data() + m_size, [name](const Total &t) { return t.name == name; });
        if (total == m_totals.data() + m_size) {
            m_totals[m_size++] = {name, ns, longest, longestNs};
            return;
        }
        total->ns += ns;
        if (longestNs > total->longestNs) {
            total->longest = longest;
            total->longestNs = longestNs;
        }
    }
    void store(LodNode &node) const
    {
        const Total *best = std::max_element(m_totals.data(), m_totals.data() + m_size,
                                             [](const Total &a, const Total &b) { return a.ns < b.ns; });
        node.dominant = best->longest;
        node.dominantNs = best->ns;
    }

private:
    struct Total
    {
        StringId name;
        std::int64_t ns = 0;
        EventId longest;
        std::int64_t longestNs = 0;
    };
    std::array<Total, Lod::kFanOut> m_totals;
    std::size_t m_size = 0;
};

// coveredTo: where the events before these end; time up to there is in their busyNs already.
LodNode nodeOfEvents(const Trace &trace, std::span<const EventId> events, std::int64_t &coveredTo)
{
    LodNode node;
    node.start = trace.start(events.front());
    node.end = node.start;
    node.count = static_cast<std::uint32_t>(events.size());
    NameTotals totals;
    for (const EventId e : events) {
        const std::int64_t end = trace.end(e);
        node.end = std::max(node.end, end);
        node.busyNs += std::max<std::int64_t>(0, end - std::max(trace.start(e), coveredTo));
        coveredTo = std::max(coveredTo, end);
        totals.add(trace.events.name[e.value], trace.duration(e), e, trace.duration(e));
    }
    totals.store(node);
    return node;
}

LodNode nodeOfNodes(const Trace &trace, std::span<const LodNode> children)
{
    LodNode node;
    node.start = children.front().start;
    node.end = children.front().end;
    NameTotals totals;
    for (const LodNode &child : children) {
        node.end = std::max(node.end, child.end);
        node.busyNs += child.busyNs;
        node.count += child.count;
        totals.add(trace.events.name[child.dominant.value], child.dominantNs, child.dominant,
                   trace.duration(child.dominant));
    }
    totals.store(node);
    return node;
}

} // namespace

Result<LodPtr> Lod::build(const Trace &trace, Progress &progress)
{
    auto lod = std::make_shared<Lod>();
    lod->m_events.reserve(trace.events.size());
    lod->m_nodes.reserve(trace.events.size() / (kFanOut - 2)
                         + 64 * trace.lanes.size()); // n/15, and a little for each row
    for (const Lane &lane : trace.lanes) {
        if (progress.cancelled())
            return fail(Error::Code::Cancelled, "Cancelled while preparing the timeline.");
        lod->addLane(trace, lane);
    }
    lod->m_laneRows.push_back(static_cast<std::uint32_t>(lod->m_rows.size()));
    return LodPtr(std::move(lod));
}

// Sorts a lane's events into its rows, keeping their order (they come by start), then summarises each row.
void Lod::addLane(const Trace &trace, const Lane &lane)
{
    const std::size_t firstRow = m_rows.size();
    m_laneRows.push_back(static_cast<std::uint32_t>(firstRow));
    const auto drawn = [&trace](std::uint32_t e) { return (trace.events.flags[e] & EventFlag::kNoTimestamp) == 0; };
    for (std::uint32_t e = lane.first; e < lane.first + lane.count; ++e) {
        const std::size_t row = firstRow + trace.events.depth[e];
        if (row >= m_rows.size())
            m_rows.resize(row + 1);
        m_rows[row].count += drawn(e) ? 1 : 0;
    }
    auto next = static_cast<std::uint32_t>(m_events.size());
    for (std::size_t row = firstRow; row < m_rows.size(); ++row) {
        m_rows[row].first = next;
        next += m_rows[row].count;
        m_rows[row].count = 0; // counts up again while the events are put in
    }
    m_events.resize(next);
    for (std::uint32_t e = lane.first; e < lane.first + lane.count; ++e) {
        if (!drawn(e))
            continue;
        LodRow &row = m_rows[firstRow + trace.events.depth[e]];
        m_events[row.first + row.count++] = EventId{e};
    }
    for (std::size_t row = firstRow; row < m_rows.size(); ++row)
        addLevels(trace, m_rows[row]);
}

void Lod::addLevels(const Trace &trace, LodRow &row)
{
    row.firstLevel = static_cast<std::uint32_t>(m_levels.size());
    if (row.count <= 1)
        return;
    const std::span<const EventId> all = events(row);
    LodLevel level{static_cast<std::uint32_t>(m_nodes.size()), 0};
    std::int64_t coveredTo = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < all.size(); i += kFanOut)
        m_nodes.push_back(
            nodeOfEvents(trace, all.subspan(i, std::min<std::size_t>(kFanOut, all.size() - i)), coveredTo));
    level.count = static_cast<std::uint32_t>(m_nodes.size()) - level.first;
    m_levels.push_back(level);
    while (level.count > 1) {
        const LodLevel below = level;
        level.first = static_cast<std::uint32_t>(m_nodes.size());
        for (std::uint32_t i = 0; i < below.count; i += kFanOut) {
            const std::size_t count = std::min(kFanOut, below.count - i);
            m_nodes.push_back(nodeOfNodes(trace, std::span(m_nodes).subspan(below.first + i, count)));
        }
        level.count = static_cast<std::uint32_t>(m_nodes.size()) - level.first;
        m_levels.push_back(level);
    }
    row.levels = static_cast<std::uint32_t>(m_levels.size()) - row.firstLevel;
}

std::span<const LodRow> Lod::rows(LaneId lane) const
{
    if (lane.value + 1 >= m_laneRows.size())
        return {};
    return std::span(m_rows).subspan(m_laneRows[lane.value], m_laneRows[lane.value + 1] - m_laneRows[lane.value]);
}

std::span<const EventId> Lod::events(const LodRow &row) const
{
    return std::span(m_events).subspan(row.first, row.count);
}

std::span<const LodNode> Lod::level(const LodRow &row, std::uint32_t level) const
{
    const LodLevel &l = m_levels[row.firstLevel + level - 1];
    return std::span(m_nodes).subspan(l.first, l.count);
}

std::size_t Lod::bytes() const noexcept
{
    return m_laneRows.capacity() * sizeof(std::uint32_t) + m_rows.capacity() * sizeof(LodRow)
        + m_events.capacity() * sizeof(EventId) + m_levels.capacity() * sizeof(LodLevel)
        + m_nodes.capacity() * sizeof(LodNode);
}

} // namespace tuneline::analysis
