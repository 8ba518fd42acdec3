// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/overlay.h"

#include "ui/models/eventtext.h"

#include <QCoreApplication>
#include <QPainterPath>
#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

class Overlay
{
public:
    Overlay(QPainter &painter, const Scene &scene, const TimelineTheme &theme, const BodyView &view)
        : m_painter(painter)
        , m_scene(scene)
        , m_theme(theme)
        , m_view(view)
    { }

    void paintMarked(TimeRange marked)
    {
        const double left = std::clamp(m_view.axis().x(marked.from), -2.0, m_view.width + 2.0);
        const double right = std::clamp(m_view.axis().x(marked.to), -2.0, m_view.width + 2.0);
        QColor area = m_theme.marked;
        area.setAlpha(48);
        m_painter.fillRect(QRectF(left, 0, right - left, m_view.height), area);
        for (const double x : {left, right})
            m_painter.fillRect(QRectF(x - 0.5, 0, 1, m_view.height), m_theme.marked);
    }

    // A rectangle in two tones: it shows on every colour and in both themes.
    void outline(EventId event, const QColor &colour, double width)
    {
        const auto rect = eventRect(m_scene, m_view, event);
        if (!rect || !visible(*rect))
            return;
        const double half = width / 2;
        const double left = std::max(rect->left(), -4.0);
        const double right = std::min(std::max(rect->right(), left + 3), m_view.width + 4.0);
        const QRectF shape(left, rect->top(), right - left, rect->height());
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.background, width + 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        m_painter.drawRect(shape.adjusted(-half, -half, half, half));
        m_painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        m_painter.drawRect(shape.adjusted(-half, -half, half, half));
    }

    void paintLinks(const std::vector<EventLink> &links)
    {
        m_painter.setRenderHint(QPainter::Antialiasing);
        for (const EventLink &link : links) {
            const auto from = eventRect(m_scene, m_view, link.from);
            const auto to = eventRect(m_scene, m_view, link.to);
            if (from && to)
                paintLink(*from, *to, link.backward);
        }
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    // "… n deeper rows": reacts to the mouse, so it is not part of the cached body.
    void paintMore(QPoint mouse)
    {
        for (const LayoutRow &row : m_scene.layout.rows) {
            const QRect rect(0, row.y - m_view.scrollY, m_view.width, row.height);
            if (row.kind != LayoutRow::Kind::More || rect.bottom() < 0 || rect.top() > m_view.height)
                continue;
            const QString text = row.hidden > 0
                ? QCoreApplication::translate("Timeline", "… %1 deeper rows, click to show them")
                      .arg(countText(row.hidden))
                : QCoreApplication::translate("Timeline", "show fewer rows");
            m_painter.setPen(rect.contains(mouse) ? m_theme.text : m_theme.faintText);
            m_painter.drawText(rect.adjusted(6, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
        }
    }

private:
    [[nodiscard]] bool visible(const QRectF &rect) const
    {
        return rect.right() >= -4 && rect.left() <= m_view.width + 4 && rect.bottom() >= 0
            && rect.top() <= m_view.height;
    }

    void paintLink(const QRectF &from, const QRectF &to, bool backward)
    {
        const auto inside = [this](double x) { return std::clamp(x, -20.0, m_view.width + 20.0); };
        const bool down = to.center().y() > from.center().y();
        const QPointF start(inside((from.left() + std::min(from.right(), from.left() + 4)) / 2),
                            down ? from.bottom() : from.top());
        const QPointF end(inside(to.left()), down ? to.top() : to.bottom());
        if ((start.x() < 0 && end.x() < 0) || (start.x() > m_view.width && end.x() > m_view.width))
            return;
        const double bend = (end.y() - start.y()) / 2;
        QPainterPath path(start);
        path.cubicTo(start + QPointF(0, bend), end - QPointF(0, bend), end);
        const QColor colour = colourOf(backward ? ColourClass::Backward : ColourClass::Communication, m_theme.dark);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.background, 3.5));
        m_painter.drawPath(path);
        m_painter.setPen(QPen(colour, 1.5));
        m_painter.drawPath(path);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        m_painter.drawEllipse(end, 2.5, 2.5);
    }

    QPainter &m_painter;
    const Scene &m_scene;
    const TimelineTheme &m_theme;
    const BodyView &m_view;
};

} // namespace

std::optional<QRectF> eventRect(const Scene &scene, const BodyView &view, EventId event)
{
    if (scene.empty() || !event.valid() || event.value >= scene.trace->events.size())
        return std::nullopt;
    const LayoutRow *row = scene.layout.rowOfLane(scene.trace->events.lane[event.value]);
    if (!row)
        return std::nullopt;
    const int depth = std::min<int>(scene.trace->events.depth[event.value], static_cast<int>(row->rows) - 1);
    const double y = row->y + 2 + depth * row->rowHeight - view.scrollY;
    const double left = view.axis().x(scene.trace->start(event));
    const double right = view.axis().x(scene.trace->end(event));
    return QRectF(left, y, std::max(1.0, right - left), row->rowHeight - 1);
}

void paintOverlay(QPainter &painter, const Scene &scene, const TimelineTheme &theme, const BodyView &view,
                  const OverlayState &overlay)
{
    if (scene.empty())
        return;
    Overlay paint(painter, scene, theme, view);
    if (overlay.state.marked())
        paint.paintMarked(*overlay.state.marked());
    paint.paintMore(overlay.mouse);
    for (const EventId event : scene.highlights)
        paint.outline(event, theme.match, 2);
    if (overlay.state.hovered() != overlay.state.selection())
        paint.outline(overlay.state.hovered(), theme.faintText, 1);
    paint.paintLinks(overlay.links);
    for (const EventLink &link : overlay.links)
        paint.outline(link.from == overlay.state.selection() ? link.to : link.from, theme.faintText, 1);
    paint.outline(overlay.state.selection(), theme.selection, 2);
}

} // namespace tuneline::ui
