// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the TimelineView: body from cache, then what is fixed around it.
#include "ui/models/eventtext.h"
#include "ui/timeline/headerpainter.h"
#include "ui/timeline/ruler.h"
#include "ui/timeline/timelineview.h"

#include <QElapsedTimer>
#include <QScrollBar>

using namespace tuneline::analysis;

namespace tuneline::ui {

void TimelineView::paintEvent(QPaintEvent *)
{
    QElapsedTimer clock;
    clock.start();
    QPainter painter(viewport());
    painter.setFont(font());
    if (m_scene.empty() || !m_state) {
        paintEmpty(painter);
        return;
    }
    renderBody();
    const QRect body = bodyRect();
    painter.drawImage(body.topLeft(), m_body);
    painter.save();
    painter.setClipRect(body);
    painter.translate(body.topLeft());
    const QPoint mouse = m_mouse.x() < 0 ? m_mouse : m_mouse - body.topLeft();
    paintOverlay(painter, m_scene, m_theme, m_bodyView, {*m_state, m_links, mouse});
    painter.restore();

    const Hit under = hitTest(m_mouse);
    painter.save();
    const QRect headers(0, body.top(), body.left(), body.height());
    painter.setClipRect(headers);
    paintHeaders(painter, m_scene.layout, m_theme, headers, m_bodyView.scrollY,
                 under.area == Area::Header ? under.row : nullptr);
    painter.restore();
    paintSteps(painter);
    paintRuler(painter);
    m_frameMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void TimelineView::renderBody()
{
    const BodyView view = bodyView();
    if (m_bodyValid && view == m_bodyView)
        return;
    const QSize size(static_cast<int>(std::ceil(view.width * view.ratio)),
                     static_cast<int>(std::ceil(view.height * view.ratio)));
    if (m_body.size() != size)
        m_body = QImage(size, QImage::Format_RGB32);
    m_body.setDevicePixelRatio(1); // the painter scales by itself
    if (!m_body.isNull())
        m_painter.paint(m_scene, m_theme, view, m_body);
    m_body.setDevicePixelRatio(view.ratio);
    m_bodyView = view;
    m_bodyValid = true;
}

void TimelineView::paintRuler(QPainter &painter)
{
    static constexpr int kLabelDistance = 96; // px
    const QRect ruler(headerWidth(), 0, bodyRect().width(), rulerHeight());
    painter.fillRect(QRect(0, 0, viewport()->width(), ruler.height()), m_theme.header);
    const TimeAxis axis = bodyView().axis();
    const RulerScale scale = rulerScale(axis, kLabelDistance);
    painter.setPen(m_theme.faintText);
    const QString corner = scale.base == 0 ? m_title : baseText(scale);
    painter.drawText(QRect(6, 0, ruler.left() - 12, ruler.height()),
                     Qt::AlignVCenter | (scale.base == 0 ? Qt::AlignLeft : Qt::AlignRight),
                     painter.fontMetrics().elidedText(corner, Qt::ElideRight, ruler.left() - 12));
    painter.setClipRect(ruler);
    for (const std::int64_t t : rulerTicks(axis.range, scale.minor))
        painter.fillRect(QRectF(ruler.left() + axis.x(t), ruler.bottom() - 3, 1, 4), m_theme.border);
    for (const std::int64_t t : rulerTicks(axis.range, scale.step)) {
        const double x = ruler.left() + axis.x(t);
        painter.fillRect(QRectF(x, ruler.bottom() - 8, 1, 9), m_theme.border);
        const QString text = tickText(scale, t);
        if (x + 4 + painter.fontMetrics().horizontalAdvance(text) > ruler.right())
            continue; // half a figure would be a wrong one
        painter.setPen(m_theme.text);
        painter.drawText(QRectF(x + 4, ruler.top(), kLabelDistance, ruler.height() - 4),
                         Qt::AlignVCenter | Qt::AlignLeft, text);
    }
    paintMarkedLength(painter, ruler);
    painter.setClipping(false);
    painter.fillRect(QRect(0, ruler.bottom(), viewport()->width(), 1), m_theme.border);
    painter.fillRect(QRect(ruler.left() - 1, 0, 1, ruler.height() + stepsHeight()), m_theme.border);
}

void TimelineView::paintMarkedLength(QPainter &painter, const QRect &ruler)
{
    if (!m_state->marked())
        return;
    const TimeAxis axis = bodyView().axis();
    const TimeRange marked = *m_state->marked();
    const double left = std::clamp(axis.x(marked.from), 0.0, axis.width);
    const double right = std::clamp(axis.x(marked.to), 0.0, axis.width);
    QRectF area(ruler.left() + left, ruler.top(), std::max(1.0, right - left), ruler.height() - 1);
    painter.fillRect(area, m_theme.marked);
    const QString text = durationText(marked.length());
    const double needed = painter.fontMetrics().horizontalAdvance(text) + 10;
    if (area.width() < needed) { // beside it, then
        area = QRectF(std::min(area.right(), ruler.right() - needed), area.top(), needed, area.height());
        painter.fillRect(area, m_theme.marked);
    }
    painter.setPen(m_theme.marked.lightness() < 140 ? Qt::white : Qt::black);
    painter.drawText(area, Qt::AlignCenter, text);
}

void TimelineView::paintSteps(QPainter &painter)
{
    if (stepsHeight() == 0)
        return;
    const QRect area(headerWidth(), rulerHeight(), bodyRect().width(), stepsHeight());
    painter.fillRect(QRect(0, area.top(), viewport()->width(), area.height()), m_theme.header);
    painter.setPen(m_theme.text);
    painter.drawText(QRect(18, area.top(), area.left() - 24, area.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     tr("steps"));
    if (m_scene.extras) {
        std::vector<RowRect> rects;
        collectSpans(m_scene.extras->steps, bodyView().axis(), rects);
        painter.setClipRect(area);
        for (const RowRect &rect : rects)
            paintStep(painter, rect, area);
        painter.setClipping(false);
    }
    painter.fillRect(QRect(0, area.bottom(), viewport()->width(), 1), m_theme.border);
}

// Steady steps in two shades in turn; warm-up and partial ones pale, outliers and stalls in the colour of a warning.
void TimelineView::paintStep(QPainter &painter, const RowRect &rect, const QRect &area)
{
    const Step &step = m_scene.analysis->stepSet().list[rect.item];
    const QColor background = m_theme.header;
    const bool bad = step.has(StepFlag::kOutlier) || step.has(StepFlag::kStalled);
    const QColor base = colourOf(bad ? ColourClass::Communication : ColourClass::Range, m_theme.dark);
    const int strength = bad ? 255 : !step.steady() ? 60 : rect.item % 2 == 0 ? 255 : 170;
    const QColor fill(blend(background.rgb(), base.rgb(), strength));
    const QRect box(area.left() + rect.left, area.top() + 1, rect.right - rect.left, area.height() - 3);
    painter.fillRect(box, fill);
    if (box.width() < 4)
        return;
    painter.fillRect(QRect(box.left(), box.top(), 1, box.height()), m_theme.border);
    const qint64 number = step.number >= 0 ? step.number : static_cast<qint64>(rect.item);
    const QString time = durationText(step.timeNs());
    const QFontMetrics metrics = painter.fontMetrics();
    const QRect visible = box.intersected(area).adjusted(4, 0, -2, 0);
    QString text;
    for (const QString &candidate :
         {tr("step %1 · %2").arg(number).arg(time), tr("step %1").arg(number), QString::number(number)}) {
        if (metrics.horizontalAdvance(candidate) <= visible.width()) {
            text = candidate;
            break;
        }
    }
    painter.setPen(QColor(readsBetterDark(fill.rgb()) ? kDarkInk : kLightInk));
    painter.drawText(visible, Qt::AlignVCenter | Qt::AlignLeft, text);
}

void TimelineView::paintEmpty(QPainter &painter)
{
    painter.fillRect(viewport()->rect(), m_theme.background);
    painter.setPen(m_theme.faintText);
    painter.drawText(viewport()->rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap,
                     m_emptyText.isEmpty() ? tr("Nothing to show yet.") : m_emptyText);
}

} // namespace tuneline::ui
