// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse of the TimelineView: what is where, hover, click, drag, wheel, tooltips.
#include "ui/models/eventtext.h"
#include "ui/timeline/headerpainter.h"
#include "ui/timeline/timelineview.h"

#include <QApplication>
#include <QHelpEvent>
#include <QInputDevice>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr int kEdgeReach = 3; // px: how near the border of the names one must be to drag it

} // namespace

TimelineView::Hit TimelineView::hitTest(QPoint point) const
{
    Hit hit;
    if (m_scene.empty() || !m_state || !viewport()->rect().contains(point))
        return hit;
    const QRect body = bodyRect();
    const TimeAxis axis = bodyView().axis();
    const double x = point.x() - body.left() + 0.5;
    hit.time = axis.timeAt(x);
    if (std::abs(point.x() - body.left()) <= kEdgeReach) {
        hit.area = Area::HeaderEdge;
        return hit;
    }
    if (point.y() < body.top()) {
        const bool ruler = point.y() < rulerHeight();
        hit.area = point.x() < body.left() ? Area::Corner : ruler ? Area::Ruler : Area::Steps;
        if (hit.area == Area::Steps && m_scene.extras)
            hit.step = spanAt(m_scene.extras->steps, axis, x, 1);
        return hit;
    }
    hit.area = point.x() < body.left() ? Area::Header : Area::Body;
    const int y = point.y() - body.top() + verticalScrollBar()->value();
    hit.row = m_scene.layout.rowAt(y);
    if (hit.area == Area::Header || !hit.row)
        return hit;
    if (hit.row->kind == LayoutRow::Kind::Events) {
        const auto rows = m_scene.lod->rows(LaneId{hit.row->index});
        const int depth = (y - hit.row->y - 2) / hit.row->rowHeight;
        if (depth >= 0 && depth < static_cast<int>(hit.row->rows))
            hit.event = eventAt(*m_scene.trace, *m_scene.lod, rows[static_cast<std::size_t>(depth)], axis, x);
    } else if (hit.row->kind == LayoutRow::Kind::Idle && m_scene.extras
               && hit.row->index < m_scene.extras->idle.size()) {
        hit.idlePiece = spanAt(m_scene.extras->idle[hit.row->index], axis, x, 1);
    }
    return hit;
}

void TimelineView::hover(QPoint point)
{
    m_mouse = point;
    const Hit hit = hitTest(point);
    if (m_state)
        m_state->setHovered(hit.event);
    const bool hand = (hit.area == Area::Header && hit.row && hit.row->foldable)
        || (hit.area == Area::Body && hit.row && hit.row->kind == LayoutRow::Kind::More);
    viewport()->setCursor(hit.area == Area::HeaderEdge  ? Qt::SplitHCursor
                              : hand                    ? Qt::PointingHandCursor
                              : hit.area == Area::Ruler ? Qt::IBeamCursor
                                                        : Qt::ArrowCursor);
    viewport()->update();
}

void TimelineView::leave()
{
    m_mouse = {-1, -1};
    if (m_state)
        m_state->setHovered({});
    viewport()->update();
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    const Hit hit = hitTest(point);
    if (!m_state || m_scene.empty())
        return;
    if (event->button() == Qt::RightButton) {
        if (hit.event.valid()) {
            m_state->select(hit.event);
            emit eventClicked(hit.event);
        }
        emit contextMenuRequested(event->globalPosition().toPoint(), hit.event);
        return;
    }
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_pressPoint = point;
    m_pressTime = hit.time;
    m_pressRange = m_state->range();
    m_pressScroll = verticalScrollBar()->value();
    m_drag = hit.area == Area::HeaderEdge ? Drag::HeaderWidth : Drag::Pending;
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    if (m_drag == Drag::None) {
        hover(point);
        return;
    }
    if (m_drag == Drag::Pending) {
        if ((point - m_pressPoint).manhattanLength() < QApplication::startDragDistance())
            return;
        const Area area = hitTest(m_pressPoint).area;
        const bool mark = area == Area::Ruler || (event->modifiers() & Qt::ShiftModifier);
        m_drag = mark ? Drag::Mark : Drag::Pan;
        viewport()->setCursor(mark ? Qt::IBeamCursor : Qt::ClosedHandCursor);
    }
    dragTo(point);
}

void TimelineView::dragTo(QPoint point)
{
    const TimeAxis axis = bodyView().axis();
    if (m_drag == Drag::HeaderWidth) {
        m_headerWidth = std::clamp(point.x(), 80, std::max(80, viewport()->width() / 2));
        refresh();
    } else if (m_drag == Drag::Mark) {
        const double x = std::clamp<double>(point.x() - bodyRect().left(), 0, axis.width);
        m_state->mark(TimeRange::between(m_pressTime, axis.timeAt(x)));
    } else if (m_drag == Drag::Pan) {
        const TimeAxis pressed{m_pressRange, axis.width};
        const auto moved = static_cast<std::int64_t>((m_pressPoint.x() - point.x()) * pressed.nsPerPixel());
        m_state->setRange(m_pressRange.shifted(moved));
        verticalScrollBar()->setValue(m_pressScroll + m_pressPoint.y() - point.y());
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Mark && m_state && m_state->marked())
        emit rangeMarked(*m_state->marked());
    if (drag == Drag::Pending && event->button() == Qt::LeftButton)
        click(event->position().toPoint());
    hover(event->position().toPoint());
}

void TimelineView::click(QPoint point)
{
    const Hit hit = hitTest(point);
    if (hit.area == Area::Ruler) {
        m_state->mark(std::nullopt);
    } else if (hit.area == Area::Steps && hit.step >= 0) {
        const Step &step = m_scene.analysis->stepSet().list[static_cast<std::size_t>(hit.step)];
        m_state->mark(TimeRange{step.start, step.end});
        emit stepActivated(hit.step);
    } else if (hit.row && (hit.area == Area::Header || hit.row->kind == LayoutRow::Kind::More)) {
        if (hit.row->foldable || hit.row->kind == LayoutRow::Kind::More)
            toggleFold(*hit.row);
    } else if (hit.area == Area::Body && hit.idlePiece >= 0) {
        clickIdle(hit);
    } else if (hit.area == Area::Body) {
        m_state->select(hit.event);
        emit eventClicked(hit.event);
    }
}

// The gap is marked, and what explains it selected: its evidence, or else the record that ends it.
void TimelineView::clickIdle(const Hit &hit)
{
    const DeviceMetrics &device = m_scene.analysis->devices[hit.row->index];
    const auto index = static_cast<std::uint32_t>(hit.idlePiece);
    const IdlePiece &piece = device.pieces[index];
    const auto gap = std::ranges::upper_bound(device.gaps, index, {}, &IdleGap::firstPiece);
    const EventId next = gap == device.gaps.begin() ? EventId{} : std::prev(gap)->next;
    m_state->mark(TimeRange{piece.start, piece.end});
    const EventId chosen = piece.event.valid() ? piece.event : next;
    m_state->select(chosen);
    emit eventClicked(chosen);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_state && !m_scene.empty())
        zoomToMarkedOrEvent(hitTest(event->position().toPoint()));
}

void TimelineView::zoomToMarkedOrEvent(const Hit &hit)
{
    const auto marked = m_state->marked();
    if (hit.area == Area::Steps && hit.step >= 0) {
        const Step &step = m_scene.analysis->stepSet().list[static_cast<std::size_t>(hit.step)];
        m_state->fit({step.start, step.end});
    } else if ((hit.area == Area::Ruler || (hit.area == Area::Body && !hit.event.valid())) && marked
               && marked->contains(hit.time)) {
        m_state->fit(*marked, 0);
        m_state->mark(std::nullopt);
    } else if (hit.event.valid()) {
        m_state->select(hit.event);
        m_state->fit({m_scene.trace->start(hit.event), m_scene.trace->end(hit.event)}, 0.3);
        emit eventActivated(hit.event);
    } else if (hit.area == Area::Body || hit.area == Area::Ruler) {
        m_state->zoomAt(hit.time, 0.5);
    }
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    if (!m_state || m_scene.empty())
        return;
    const QPoint point = event->position().toPoint();
    const Hit hit = hitTest(point);
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const bool control = event->modifiers() & Qt::ControlModifier;
    const bool touchpad = event->device() && event->device()->type() == QInputDevice::DeviceType::TouchPad;
    const QPointF turned = QPointF(event->angleDelta()) / 120.0; // notches
    const double sideways = turned.x() != 0 ? turned.x() : shift ? turned.y() : 0;
    if (sideways != 0)
        m_state->panBy(-static_cast<std::int64_t>(sideways * 0.1 * static_cast<double>(m_state->range().length())));
    const bool zoom = hit.area == Area::Body || hit.area == Area::Ruler || hit.area == Area::Steps;
    if (turned.y() != 0 && !shift) {
        // Two fingers scroll on a touchpad and zoom with Ctrl, as everywhere; a wheel zooms and scrolls with Ctrl.
        if (zoom && control == touchpad)
            m_state->zoomAt(hit.time, std::pow(0.8, turned.y()));
        else
            verticalScrollBar()->setValue(verticalScrollBar()->value()
                                          - static_cast<int>(turned.y() * 3 * m_rowHeight));
    }
    event->accept();
    hover(point);
}

bool TimelineView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave) {
        leave();
    } else if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        QToolTip::showText(help->globalPos(), toolTipAt(hitTest(help->pos())), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QString TimelineView::toolTipAt(const Hit &hit) const
{
    static constexpr qsizetype kMaxName = 300; // template arguments can fill a screen
    if (hit.area == Area::Header && hit.row)
        return headerToolTip(*m_scene.trace, *hit.row);
    if (hit.area == Area::Steps && hit.step >= 0)
        return stepToolTip(hit.step);
    if (hit.idlePiece >= 0)
        return idleToolTip(hit);
    if (!hit.event.valid())
        return {};
    const Trace &trace = *m_scene.trace;
    QString name = fullName(trace.name(hit.event));
    if (name.size() > kMaxName)
        name = name.left(kMaxName) + QChar(0x2026);
    const QString duration = trace.hasFlag(hit.event, EventFlag::kNoDuration) ? tr("no duration recorded")
                                                                              : durationText(trace.duration(hit.event));
    return tr("<b>%1</b><br>%2 · %3 · at %4<br>%5")
        .arg(name.toHtmlEscaped(), duration, kindText(trace.kind(hit.event)),
             timeText(trace.start(hit.event), 100).toHtmlEscaped(),
             laneText(trace, trace.laneOf(hit.event)).toHtmlEscaped());
}

QString TimelineView::idleToolTip(const Hit &hit) const
{
    const IdlePiece &piece = m_scene.analysis->devices[hit.row->index].pieces[static_cast<std::size_t>(hit.idlePiece)];
    QString text = tr("<b>idle: %1</b><br>%2").arg(causeText(piece.cause), durationText(piece.end - piece.start));
    if (piece.event.valid())
        text += tr("<br>in %1").arg(shortName(m_scene.trace->name(piece.event)).toHtmlEscaped());
    return text;
}

QString TimelineView::stepToolTip(int index) const
{
    const Step &step = m_scene.analysis->stepSet().list[static_cast<std::size_t>(index)];
    QString text =
        tr("<b>step %1</b><br>%2").arg(step.number >= 0 ? step.number : index).arg(durationText(step.timeNs()));
    if (step.has(StepFlag::kWarmUp))
        text += tr("<br>warm-up: not in the figures");
    if (step.has(StepFlag::kPartial))
        text += tr("<br>cut off: not in the figures");
    if (step.has(StepFlag::kOutlier))
        text += tr("<br>much longer than the others: not in the figures");
    if (step.has(StepFlag::kStalled))
        text += tr("<br>holds a stall that comes back: reported beside the median");
    return text;
}

} // namespace tuneline::ui
