// SPDX-License-Identifier: GPL-3.0-or-later
// What each kind of row looks like. To add one: a LayoutRow::Kind, a place in layout.cpp, a function here.
#include "ui/models/eventtext.h"
#include "ui/timeline/bodypainter.h"

#include <algorithm>
#include <cmath>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr int kMinStrength = 110; // of 255: the faintest that a single short event may be drawn
constexpr std::size_t kSummaryRows = 3; // of a folded lane
constexpr int kEdgeFrom = 4; // device px: from this width on an event has an edge, so that neighbours can be told apart

} // namespace

void BodyPainter::fillRect(Frame &frame, const RowRect &rect, int y, int height, QRgb colour)
{
    const double ratio = frame.view.ratio;
    const int top = static_cast<int>(std::lround(y * ratio));
    const int bottom = static_cast<int>(std::lround((y + height) * ratio));
    frame.raster.fill(rect.left, top, rect.right, bottom, colour);
    if (rect.right - rect.left >= kEdgeFrom)
        frame.raster.fill(rect.right - 1, top, rect.right, bottom, blend(colour, frame.theme.background.rgb(), 150));
}

void BodyPainter::paintEvents(Frame &frame, const LayoutRow &row)
{
    const LaneId lane{row.index};
    for (std::uint32_t depth = 0; depth < row.rows; ++depth) {
        const int y = row.y + 2 + static_cast<int>(depth) * row.rowHeight - frame.view.scrollY;
        if (y < frame.view.height && y + row.rowHeight > 0)
            paintEventRow(frame, lane, depth, y, row.rowHeight - 1);
    }
}

void BodyPainter::paintEventRow(Frame &frame, LaneId lane, std::uint32_t depth, int y, int height)
{
    const Scene &scene = frame.scene;
    const auto rows = scene.lod->rows(lane);
    if (depth >= rows.size())
        return;
    m_rects.clear();
    collectRow(*scene.trace, *scene.lod, rows[depth], frame.axis, m_rects);
    for (const RowRect &rect : m_rects) {
        fillRect(frame, rect, y, height, eventColour(frame, rect, lane, depth));
        if (rect.right - rect.left < kEdgeFrom)
            continue;
        const EventId event{rect.item};
        const bool faded = scene.matches && !scene.matches->matchesName(scene.trace->events.name[event.value]);
        const auto style = static_cast<std::size_t>(scene.colours.of(event));
        addEventLabel(frame, rect, y, height, faded ? !frame.theme.dark : frame.theme.darkText[style]);
    }
}

// While a search is on, what does not match fades; a pixel column counts as a match if any of its events does.
QRgb BodyPainter::eventColour(const Frame &frame, const RowRect &rect, LaneId lane, std::uint32_t depth) const
{
    const Scene &scene = frame.scene;
    const EventId event{rect.item};
    const auto style = static_cast<std::size_t>(scene.colours.of(event));
    const int strength = rect.count == 1 && rect.coverage == 255 ? 255 : std::max<int>(kMinStrength, rect.coverage);
    const auto shaded = [&](QRgb colour) {
        return strength == 255 ? colour : blend(frame.theme.background.rgb(), colour, strength);
    };
    if (!scene.matches)
        return shaded(frame.theme.fill[style]);
    bool match = scene.matches->matchesName(scene.trace->events.name[event.value]);
    if (!match && rect.count > 1)
        match = scene.matches->any(*scene.trace, lane, depth, frame.axis.timeAt(rect.left - 0.5),
                                   frame.axis.timeAt(rect.left + 0.5));
    return match ? frame.theme.fill[style] : shaded(frame.theme.faded[style]);
}

// The window of the device is tinted: what lies on top of the tint is idle, in the colour of its cause.
void BodyPainter::paintIdle(Frame &frame, const LayoutRow &row)
{
    const DeviceMetrics &device = frame.scene.analysis->devices[row.index];
    const int y = row.y + 2 - frame.view.scrollY;
    const int height = row.height - 4;
    RowRect window;
    window.left = frame.axis.pixel(device.window.begin);
    window.right = frame.axis.pixel(device.window.end);
    const QRgb busy =
        blend(frame.theme.background.rgb(), frame.theme.fill[static_cast<std::size_t>(ColourClass::MatrixKernel)], 48);
    fillRect(frame, window, y, height, busy);
    if (!frame.scene.extras || row.index >= frame.scene.extras->idle.size())
        return;
    m_rects.clear();
    collectSpans(frame.scene.extras->idle[row.index], frame.axis, m_rects);
    for (const RowRect &rect : m_rects) {
        const IdlePiece &piece = device.pieces[rect.item];
        const auto style = static_cast<std::size_t>(colourOf(piece.cause));
        const QRgb full = frame.theme.fill[style];
        const bool single = rect.right - rect.left > 1;
        fillRect(frame, rect, y, height,
                 single ? full : blend(busy, full, std::max<int>(kMinStrength / 2, rect.coverage)));
        const int left = std::max(0, static_cast<int>(rect.left / frame.view.ratio));
        const int width = std::min(frame.view.width, static_cast<int>(rect.right / frame.view.ratio)) - left - 6;
        const QString text = width < 30
            ? QString()
            : causeText(piece.cause) + QStringLiteral(" ") + durationText(piece.end - piece.start);
        if (!text.isEmpty() && QFontMetrics(m_labels.font()).horizontalAdvance(text) <= width)
            addText(left + 3, y, width, height, text, frame.theme.darkText[style]);
    }
}

void BodyPainter::paintCurve(Frame &frame, const LayoutRow &row, const CurvePyramid &curve, QColor colour)
{
    if (curve.empty() || !(curve.peak() > 0))
        return;
    const double ratio = frame.view.ratio;
    const int base = static_cast<int>((row.y + row.height - 2 - frame.view.scrollY) * ratio);
    const double room = (row.height - 6) * ratio;
    const int line = std::max(1, static_cast<int>(std::lround(ratio)));
    const QRgb area = blend(frame.theme.background.rgb(), colour.rgb(), 110);
    const int columns = static_cast<int>(frame.axis.width);
    std::int64_t from = frame.axis.timeAt(0);
    for (int x = 0; x < columns; ++x) {
        const std::int64_t to = frame.axis.timeAt(x + 1);
        const double value = curve.maximum(from, to);
        from = to;
        if (!(value > 0))
            continue;
        const int top = base - static_cast<int>(std::lround(value / curve.peak() * room));
        frame.raster.fill(x, top, x + 1, base, area);
        frame.raster.fill(x, top, x + 1, top + line, colour.rgb());
    }
}

// Folded away, a rank still shows its device work above what its busiest thread does.
void BodyPainter::paintGroup(Frame &frame, const LayoutRow &row)
{
    if (!row.folded)
        return;
    const LaneGroup &group = frame.scene.layout.groups[row.index];
    const int y = row.y + 2 - frame.view.scrollY;
    const int half = (row.height - 6) / 2;
    for (const LaneId lane : group.streams)
        paintSummary(frame, lane, y, half);
    if (!group.threads.empty())
        paintSummary(frame, group.threads.front(), group.streams.empty() ? y : y + half + 2, half);
}

// A lane in one line: its first rows on top of one another, so that what a range holds covers the range. Ranges of a
// device cover nothing: only its work counts.
void BodyPainter::paintSummary(Frame &frame, LaneId lane, int y, int height)
{
    const Scene &scene = frame.scene;
    const bool device = scene.trace->lanes[lane.value].kind == LaneKind::Stream;
    const auto rows = scene.lod->rows(lane);
    for (std::uint32_t depth = 0; depth < std::min<std::size_t>(rows.size(), kSummaryRows); ++depth) {
        m_rects.clear();
        collectRow(*scene.trace, *scene.lod, rows[depth], frame.axis, m_rects);
        for (const RowRect &rect : m_rects) {
            if (!device || isDeviceWork(scene.trace->kind(EventId{rect.item})))
                fillRect(frame, rect, y, height, eventColour(frame, rect, lane, depth));
        }
    }
}

} // namespace tuneline::ui
