// SPDX-License-Identifier: GPL-3.0-or-later
// The frame as a whole: which rows, background, labels. What each kind of row looks like is in rowpainters.cpp.
#include "ui/timeline/bodypainter.h"

#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

void BodyPainter::paint(const Scene &scene, const TimelineTheme &theme, const BodyView &view, QImage &image)
{
    Frame frame{scene, theme, view, Raster(image), {view.range, view.width * view.ratio}};
    frame.raster.clear(theme.background.rgb());
    m_pending.clear();
    if (scene.empty() || frame.axis.degenerate())
        return;
    const auto &rows = scene.layout.rows;
    const auto below = std::ranges::upper_bound(rows, view.scrollY, {}, &LayoutRow::y);
    const auto first = below == rows.begin() ? below : std::prev(below);
    const auto last = std::ranges::lower_bound(rows, view.scrollY + view.height, {}, &LayoutRow::y);
    for (auto row = first; row < last; ++row)
        paintBackground(frame, *row, static_cast<int>(row - rows.begin()));
    paintStepLines(frame);
    for (auto row = first; row < last; ++row)
        paintRow(frame, *row);
    paintLabels(frame, image);
}

void BodyPainter::paintRow(Frame &frame, const LayoutRow &row)
{
    const TimelineExtras *extras = frame.scene.extras.get();
    switch (row.kind) {
    case LayoutRow::Kind::Group:
        return paintGroup(frame, row);
    case LayoutRow::Kind::Idle:
        return paintIdle(frame, row);
    case LayoutRow::Kind::Events:
        return paintEvents(frame, row);
    case LayoutRow::Kind::Memory:
        if (extras && row.index < extras->memory.size())
            paintCurve(frame, row, extras->memory[row.index], curveColour(0, frame.theme.dark));
        return;
    case LayoutRow::Kind::Counter:
        if (extras && row.index < extras->counters.size())
            paintCurve(frame, row, extras->counters[row.index],
                       curveColour(static_cast<int>(row.index) + 2, frame.theme.dark));
        return;
    case LayoutRow::Kind::More:
        return; // a text of the overlay: it reacts to the mouse
    }
}

// Bands tell lanes apart; a line closes each.
void BodyPainter::paintBackground(Frame &frame, const LayoutRow &row, int index)
{
    const double ratio = frame.view.ratio;
    const int top = static_cast<int>((row.y - frame.view.scrollY) * ratio);
    const int bottom = static_cast<int>((row.y + row.height - frame.view.scrollY) * ratio);
    const int right = static_cast<int>(frame.view.width * ratio);
    const bool title = row.kind == LayoutRow::Kind::Group;
    const QColor &band = title ? frame.theme.header : index % 2 == 0 ? frame.theme.background : frame.theme.alternate;
    frame.raster.fill(0, top, right, bottom, band.rgb());
    frame.raster.fill(0, bottom - 1, right, bottom, frame.theme.grid.rgb());
}

// Where steps begin, once they are far enough apart not to grey everything out.
void BodyPainter::paintStepLines(Frame &frame)
{
    static constexpr int kMinDistance = 12; // px
    if (!frame.scene.extras)
        return;
    m_rects.clear();
    collectSpans(frame.scene.extras->steps, frame.axis, m_rects);
    const int line = std::max(1, static_cast<int>(frame.view.ratio));
    for (const RowRect &rect : m_rects) {
        if (rect.right - rect.left >= kMinDistance && rect.left >= 0)
            frame.raster.fill(rect.left, 0, rect.left + line, static_cast<int>(frame.view.height * frame.view.ratio),
                              frame.theme.border.rgb());
    }
}

void BodyPainter::addEventLabel(const Frame &frame, const RowRect &rect, int y, int height, bool dark)
{
    static constexpr int kMinWidth = 26, kMargin = 3; // logical px
    const double ratio = frame.view.ratio;
    const int left = std::max(0, static_cast<int>(rect.left / ratio));
    const int right = std::min(frame.view.width, static_cast<int>(rect.right / ratio));
    if (right - left < kMinWidth)
        return;
    m_pending.push_back(
        {left + kMargin, y, right - left - 2 * kMargin, height, frame.scene.trace->events.name[rect.item], {}, dark});
}

void BodyPainter::addText(int x, int y, int width, int height, const QString &text, bool dark)
{
    m_pending.push_back({x, y, width, height, {}, text, dark});
}

// The widest ones first where there are too many.
void BodyPainter::paintLabels(const Frame &frame, QImage &image)
{
    if (m_pending.size() > kMaxLabels) {
        const auto cut = m_pending.begin() + static_cast<std::ptrdiff_t>(kMaxLabels);
        std::ranges::nth_element(m_pending, cut, std::greater(), &Label::width);
        m_pending.erase(cut, m_pending.end());
    }
    std::ranges::stable_partition(m_pending, &Label::dark); // one change of pen
    QPainter painter(&image);
    painter.scale(frame.view.ratio, frame.view.ratio);
    painter.setFont(m_labels.font());
    const int lineHeight = QFontMetrics(m_labels.font()).height();
    for (const QColor colour : {QColor(kDarkInk), QColor(kLightInk)}) {
        painter.setPen(colour);
        for (const Label &label : m_pending) {
            if (label.dark != (colour.lightness() < 128))
                continue;
            const int top = label.y + (label.height - lineHeight) / 2;
            if (!label.name.valid())
                painter.drawText(QRect(label.x, label.y, label.width, label.height), Qt::AlignVCenter | Qt::AlignLeft,
                                 label.text);
            else if (const QStaticText *text = m_labels.label(label.name, label.width))
                painter.drawStaticText(label.x, top, *text);
        }
    }
}

} // namespace tuneline::ui
