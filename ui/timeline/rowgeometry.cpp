// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rowgeometry.h"

#include <limits>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

// What the collector asks of a row: the same for events and for spans.
struct EventSource
{
    const Trace &trace;
    const Lod &lod;
    const LodRow &row;
    std::span<const EventId> ids = lod.events(row);

    using Node = LodNode;
    [[nodiscard]] std::uint32_t levels() const { return row.levels; }
    [[nodiscard]] std::span<const LodNode> level(std::uint32_t l) const { return lod.level(row, l); }
    [[nodiscard]] std::uint32_t size() const { return row.count; }
    [[nodiscard]] std::int64_t start(std::uint32_t i) const { return trace.start(ids[i]); }
    [[nodiscard]] std::int64_t end(std::uint32_t i) const { return trace.end(ids[i]); }
    [[nodiscard]] std::uint32_t item(std::uint32_t i) const { return ids[i].value; }
    [[nodiscard]] static std::uint32_t item(const LodNode &node) { return node.dominant.value; }
};

struct SpanSource
{
    const SpanPyramid &spans;

    using Node = SpanPyramid::Node;
    [[nodiscard]] std::uint32_t levels() const { return spans.levels(); }
    [[nodiscard]] std::span<const Node> level(std::uint32_t l) const { return spans.level(l); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(spans.spans().size()); }
    [[nodiscard]] std::int64_t start(std::uint32_t i) const { return spans.spans()[i].start; }
    [[nodiscard]] std::int64_t end(std::uint32_t i) const { return spans.spans()[i].end; }
    [[nodiscard]] static std::uint32_t item(std::uint32_t i) { return i; }
    [[nodiscard]] static std::uint32_t item(const Node &node) { return node.longest; }
};

template <typename Source> class Collector
{
public:
    Collector(const Source &source, const TimeAxis &axis, std::vector<RowRect> &out)
        : m_source(source)
        , m_axis(axis)
        , m_out(out)
        , m_pixelsPerNs(axis.pixelsPerNs())
        , m_pixelNs(static_cast<std::int64_t>(axis.nsPerPixel()))
    { }

    void collect()
    {
        if (m_axis.degenerate() || m_source.size() == 0)
            return;
        const std::uint32_t top = m_source.levels();
        if (top == 0)
            leaves(0, m_source.size());
        else
            nodes(top, 0, static_cast<std::uint32_t>(m_source.level(top).size()));
        flush();
    }

private:
    static constexpr std::uint32_t kFanOut = Lod::kFanOut;

    // A tick (no length) counts as visible at the range's very beginning.
    [[nodiscard]] bool before(std::int64_t start, std::int64_t end) const
    {
        return end < m_axis.range.from || (end == m_axis.range.from && start < end);
    }

    void nodes(std::uint32_t level, std::uint32_t first, std::uint32_t last)
    {
        const auto all = m_source.level(level);
        for (std::uint32_t i = first; i < last; ++i) {
            const auto &node = all[i];
            if (node.start >= m_axis.range.to)
                return;
            if (before(node.start, node.end))
                continue;
            if (node.end - node.start <= m_pixelNs) {
                addNarrow({node.start, node.end}, node.busyNs, node.dominantNs, m_source.item(node), node.count);
                continue;
            }
            const std::uint32_t below =
                level == 1 ? m_source.size() : static_cast<std::uint32_t>(m_source.level(level - 1).size());
            const std::uint32_t end = std::min((i + 1) * kFanOut, below);
            if (level == 1)
                leaves(i * kFanOut, end);
            else
                nodes(level - 1, i * kFanOut, end);
        }
    }

    void leaves(std::uint32_t first, std::uint32_t last)
    {
        for (std::uint32_t i = first; i < last; ++i) {
            const std::int64_t start = m_source.start(i);
            const std::int64_t end = m_source.end(i);
            if (start >= m_axis.range.to)
                return;
            if (before(start, end))
                continue;
            if (end - start <= m_pixelNs) {
                addNarrow({start, end}, end - start, end - start, m_source.item(i), 1);
                continue;
            }
            flush();
            const int left = m_axis.pixel(start);
            m_out.push_back({left, std::max(left + 1, m_axis.pixel(end)), 255, m_source.item(i), 1});
        }
    }

    void addNarrow(TimeRange span, std::int64_t busy, std::int64_t dominantNs, std::uint32_t item, std::uint32_t count)
    {
        const int left = m_axis.pixel(span.from);
        if (m_columnCount == 0 || left != m_column.left) {
            flush();
            m_columnBusy = m_spillTo == left ? m_spill : 0;
            m_spill = 0;
            m_column = {left, left + 1, 255, item, 0};
            m_columnBest = std::numeric_limits<std::int64_t>::min();
        }
        m_columnCount += count;
        const double spilt = static_cast<double>(busy) * shareBeyond(left, span);
        m_columnBusy += static_cast<double>(busy) - spilt;
        m_spill += spilt;
        m_spillTo = left + 1;
        if (dominantNs > m_columnBest) {
            m_columnBest = dominantNs;
            m_column.item = item;
        }
    }

    // A node may reach into the next column: what it is busy there counts there, or neighbours would flicker.
    [[nodiscard]] double shareBeyond(int left, TimeRange span) const
    {
        const double beyond = m_axis.x(span.to) - (left + 0.5); // columns are centred on pixel borders: see pixel()
        const double length = static_cast<double>(span.length()) * m_pixelsPerNs;
        return beyond <= 0 || length <= 0 ? 0.0 : std::min(1.0, beyond / length);
    }

    void flush()
    {
        if (m_columnCount == 0)
            return;
        const double share = m_columnBusy * m_pixelsPerNs;
        m_column.coverage = static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
        m_column.count = m_columnCount;
        m_out.push_back(m_column);
        m_columnCount = 0;
    }

    const Source &m_source;
    TimeAxis m_axis;
    std::vector<RowRect> &m_out;
    double m_pixelsPerNs;
    std::int64_t m_pixelNs;
    RowRect m_column; // the pixel column that is being filled
    std::uint32_t m_columnCount = 0; // 0: none
    std::int64_t m_columnBest = 0;
    double m_columnBusy = 0, m_spill = 0; // ns
    int m_spillTo = 0; // the column that m_spill belongs to
};

// The rectangle at x: what one pixel around it shows, or else the nearest within the tolerance.
template <typename Source> std::uint32_t itemAt(const Source &source, const TimeAxis &axis, double x, double tolerance)
{
    if (axis.degenerate())
        return Id<EventTag>::kNone;
    std::vector<RowRect> hits;
    for (const double reach : {0.5, tolerance}) {
        const std::int64_t from = axis.timeAt(x - reach);
        const TimeRange around{from, std::max(from + 1, axis.timeAt(x + reach))};
        Collector<Source>(source, TimeAxis{around, 2 * reach}, hits).collect();
        if (hits.empty())
            continue;
        const auto distance = [reach](const RowRect &r) { return std::max({0.0, r.left - reach, reach - r.right}); };
        return std::ranges::min_element(hits, {}, distance)->item;
    }
    return Id<EventTag>::kNone;
}

} // namespace

void collectRow(const Trace &trace, const Lod &lod, const LodRow &row, const TimeAxis &axis, std::vector<RowRect> &out)
{
    Collector<EventSource>({trace, lod, row}, axis, out).collect();
}

void collectSpans(const SpanPyramid &spans, const TimeAxis &axis, std::vector<RowRect> &out)
{
    Collector<SpanSource>({spans}, axis, out).collect();
}

EventId eventAt(const Trace &trace, const Lod &lod, const LodRow &row, const TimeAxis &axis, double x, double tolerance)
{
    return EventId{itemAt<EventSource>({trace, lod, row}, axis, x, tolerance)};
}

int spanAt(const SpanPyramid &spans, const TimeAxis &axis, double x, double tolerance)
{
    const std::uint32_t item = itemAt<SpanSource>({spans}, axis, x, tolerance);
    return item == Id<EventTag>::kNone ? -1 : static_cast<int>(item);
}

} // namespace tuneline::ui
