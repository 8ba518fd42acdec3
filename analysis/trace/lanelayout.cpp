// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/lanelayout.h"

#include "analysis/trace/hugepages.h"

#include <algorithm>
#include <limits>

namespace tuneline::analysis {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

class Layout
{
public:
    Layout(Trace &trace, Lane &lane, std::int64_t slackNs)
        : m_trace(trace)
        , m_lane(lane)
        , m_slack(slackNs)
    { }
    void run();

private:
    struct Open
    {
        std::uint32_t event;
        std::int64_t end;
    };
    [[nodiscard]] bool drawn(std::uint32_t e) const;
    [[nodiscard]] bool countsAsBusy(std::uint32_t e) const;
    void place(std::uint32_t e);
    void placeInstant(std::uint32_t e);
    void count(std::uint32_t e, bool crossesParent);
    [[nodiscard]] std::uint32_t freeRow(std::uint32_t from, std::int64_t start) const;

    Trace &m_trace;
    Lane &m_lane;
    std::int64_t m_slack;
    std::vector<Open> m_open; // properly nested, innermost last
    std::vector<std::int64_t> m_rowEnd; // by row
    std::int64_t m_busyUntil = kNever;
};

void Layout::run()
{
    resizeOnHugePages(m_lane.maxEnd, m_lane.count);
    std::int64_t maxEnd = kNever;
    for (std::uint32_t i = 0; i < m_lane.count; ++i) {
        const std::uint32_t e = m_lane.first + i;
        maxEnd = std::max(maxEnd, m_trace.end(EventId{e}));
        m_lane.maxEnd[i] = maxEnd;
        if (!drawn(e))
            continue;
        if (m_trace.events.kind[e] == EventKind::Instant)
            placeInstant(e);
        else
            place(e);
    }
    m_lane.depth = std::max<std::uint32_t>(static_cast<std::uint32_t>(m_rowEnd.size()), m_lane.count > 0 ? 1 : 0);
}

bool Layout::drawn(std::uint32_t e) const
{
    return (m_trace.events.flags[e] & EventFlag::kNoTimestamp) == 0;
}

bool Layout::countsAsBusy(std::uint32_t e) const
{
    if ((m_trace.events.flags[e] & EventFlag::kStray) != 0)
        return false;
    return m_lane.kind != LaneKind::Stream || isDeviceWork(m_trace.events.kind[e]);
}

void Layout::placeInstant(std::uint32_t e)
{
    const std::int64_t time = m_trace.events.start[e];
    while (!m_open.empty() && m_open.back().end < time)
        m_open.pop_back();
    if (m_open.empty())
        return;
    m_trace.events.depth[e] = m_trace.events.depth[m_open.back().event];
    if (m_lane.kind == LaneKind::Cpu)
        m_trace.events.parent[e] = EventId{m_open.back().event};
}

void Layout::place(std::uint32_t e)
{
    const std::int64_t start = m_trace.events.start[e];
    const std::int64_t end = start + m_trace.events.duration[e];
    while (!m_open.empty() && m_open.back().end <= start)
        m_open.pop_back();
    const bool crosses = !m_open.empty() && end > m_open.back().end + m_slack;
    const std::uint32_t above = m_open.empty() ? 0 : m_trace.events.depth[m_open.back().event] + 1U;
    // What e sticks out of can't be the innermost around any later slice: whatever it holds from here on, e holds too.
    while (!m_open.empty() && end > m_open.back().end + m_slack)
        m_open.pop_back();
    if (!m_open.empty() && m_lane.kind == LaneKind::Cpu)
        m_trace.events.parent[e] = EventId{m_open.back().event};
    const std::uint32_t row =
        freeRow(crosses ? (m_open.empty() ? 0 : m_trace.events.depth[m_open.back().event] + 1U) : above, start);
    m_trace.events.depth[e] = static_cast<std::uint16_t>(std::min(row, 0xFFFFU));
    if (row >= m_rowEnd.size())
        m_rowEnd.resize(std::min<std::size_t>(row + 1, 0x10000), kNever);
    std::int64_t &rowEnd = m_rowEnd[std::min<std::size_t>(row, 0xFFFF)];
    rowEnd = std::max(rowEnd, end);
    m_open.push_back({e, end});
    count(e, crosses);
}

std::uint32_t Layout::freeRow(std::uint32_t from, std::int64_t start) const
{
    const std::uint32_t last = from + kMaxSubRows;
    for (std::uint32_t row = from; row < last; ++row) {
        if (row >= m_rowEnd.size() || m_rowEnd[row] <= start)
            return row;
    }
    return last;
}

// Overlaps: on a CPU lane slices that cross, on a stream lane pieces of work that run at the same time.
void Layout::count(std::uint32_t e, bool crossesParent)
{
    const std::int64_t start = m_trace.events.start[e];
    const std::int64_t end = start + m_trace.events.duration[e];
    if (!countsAsBusy(e))
        return;
    const bool overlaps = m_lane.kind == LaneKind::Stream ? (start < m_busyUntil && end > start)
                                                          : (m_lane.kind == LaneKind::Cpu && crossesParent);
    m_lane.overlaps += overlaps ? 1 : 0;
    if (m_busyUntil == kNever || end > m_busyUntil) {
        m_lane.busyNs += end - std::max(start, m_busyUntil == kNever ? start : m_busyUntil);
        m_busyUntil = end;
    }
}

} // namespace

void layOutLane(Trace &trace, LaneId lane, std::int64_t slackNs)
{
    Layout(trace, trace.lanes[lane.value], slackNs).run();
}

} // namespace tuneline::analysis
