// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/overviewstrip.h"

#include "ui/timeline/raster.h"
#include "ui/timeline/rowgeometry.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr int kGripReach = 5; // px
constexpr double kMinWindow = 4; // px: narrower, it could not be seen or taken hold of

} // namespace

OverviewStrip::OverviewStrip(const Scene &scene, QWidget *parent)
    : QWidget(parent)
    , m_scene(scene)
    , m_theme(palette())
{
    setMouseTracking(true);
    setFixedHeight(44);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setToolTip(tr(
        "The whole trace. Drag the window to move it, its edges to resize it; drag elsewhere to choose a new range."));
}

void OverviewStrip::setViewState(ViewState *state)
{
    if (m_state)
        disconnect(m_state, nullptr, this, nullptr);
    m_state = state;
    if (!m_state)
        return;
    connect(m_state, &ViewState::rangeChanged, this, [this] { update(); });
    connect(m_state, &ViewState::limitsChanged, this, &OverviewStrip::refresh);
    refresh();
}

void OverviewStrip::refresh()
{
    m_valid = false;
    update();
}

TimeAxis OverviewStrip::axis() const
{
    return {m_state ? m_state->limits() : TimeRange{}, static_cast<double>(width())};
}

QRectF OverviewStrip::windowRect() const
{
    if (!m_state || axis().degenerate())
        return {};
    const double left = axis().x(m_state->range().from);
    const double right = axis().x(m_state->range().to);
    const double extra = std::max(0.0, kMinWindow - (right - left)) / 2;
    return {left - extra, 0, right - left + 2 * extra, static_cast<double>(height())};
}

// One line for each group: device work where there is a device, else the busiest thread.
void OverviewStrip::render()
{
    const double ratio = devicePixelRatioF();
    m_image =
        QImage(QSize(static_cast<int>(width() * ratio), static_cast<int>(height() * ratio)), QImage::Format_RGB32);
    Raster raster(m_image);
    raster.clear(m_theme.background.rgb());
    const auto &groups = m_scene.layout.groups;
    const auto count = static_cast<int>(groups.size());
    const int room = m_image.height() - 8;
    for (int i = 0; i < count && !axis().degenerate(); ++i) {
        const int top = 4 + i * room / count;
        const int bottom = 4 + (i + 1) * room / count - (count > 1 ? 1 : 0);
        const LaneGroup &group = groups[static_cast<std::size_t>(i)];
        for (const LaneId lane : group.streams)
            renderLane(raster, lane, top, bottom);
        if (group.streams.empty() && !group.threads.empty())
            renderLane(raster, group.threads.front(), top, bottom);
    }
    m_image.setDevicePixelRatio(ratio);
    m_valid = true;
}

// Its first rows on top of one another; of a device only the work, not the ranges.
void OverviewStrip::renderLane(Raster &raster, LaneId lane, int top, int bottom)
{
    static constexpr std::size_t kRows = 3;
    const TimeAxis wide{axis().range, axis().width * devicePixelRatioF()};
    const bool device = m_scene.trace->lanes[lane.value].kind == LaneKind::Stream;
    const auto rows = m_scene.lod->rows(lane);
    std::vector<RowRect> rects;
    for (const LodRow &row : rows.first(std::min(rows.size(), kRows))) {
        rects.clear();
        collectRow(*m_scene.trace, *m_scene.lod, row, wide, rects);
        for (const RowRect &rect : rects) {
            const EventId event{rect.item};
            if (device && !isDeviceWork(m_scene.trace->kind(event)))
                continue;
            const QRgb full = m_theme.fill[static_cast<std::size_t>(m_scene.colours.of(event))];
            raster.fill(rect.left, top, rect.right, bottom,
                        blend(m_theme.background.rgb(), full, std::max<int>(rect.coverage, 70)));
        }
    }
}

void OverviewStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (m_scene.empty() || !m_state) {
        painter.fillRect(rect(), m_theme.background);
        return;
    }
    if (!m_valid)
        render();
    painter.drawImage(0, 0, m_image);
    const QRectF window = windowRect();
    QColor shade = m_theme.header;
    shade.setAlpha(170);
    painter.fillRect(QRectF(0, 0, window.left(), height()), shade);
    painter.fillRect(QRectF(window.right(), 0, width() - window.right(), height()), shade);
    painter.setPen(QPen(m_theme.text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(window.adjusted(0.5, 0.5, -0.5, -1.5));
    for (const double x : {window.left(), window.right()}) // the grips
        painter.fillRect(QRectF(x - 2, height() / 2.0 - 8, 4, 16), m_theme.text);
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.border);
}

void OverviewStrip::resizeEvent(QResizeEvent *)
{
    refresh();
}

OverviewStrip::Grip OverviewStrip::gripAt(double x) const
{
    const QRectF window = windowRect();
    if (window.isNull())
        return Grip::None;
    const bool all = m_state->range() == m_state->limits(); // nothing to move: a drag chooses
    const double left = std::abs(x - window.left());
    const double right = std::abs(x - window.right());
    if (std::min(left, right) <= kGripReach && window.width() > 3 * kGripReach)
        return left < right ? Grip::Left : Grip::Right;
    return window.contains(x, 1) && !all ? Grip::Inside : Grip::Outside;
}

void OverviewStrip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_state)
        return;
    m_grip = gripAt(event->position().x());
    m_pressTime = axis().timeAt(event->position().x());
    m_pressRange = m_state->range();
}

void OverviewStrip::mouseMoveEvent(QMouseEvent *event)
{
    const double x = std::clamp(event->position().x(), 0.0, static_cast<double>(width()));
    if (m_grip == Grip::None || !(event->buttons() & Qt::LeftButton)) {
        const Grip grip = gripAt(x);
        setCursor(grip == Grip::Left || grip == Grip::Right ? Qt::SizeHorCursor
                      : grip == Grip::Inside                ? Qt::OpenHandCursor
                                                            : Qt::ArrowCursor);
        return;
    }
    const std::int64_t time = axis().timeAt(x);
    if (m_grip == Grip::Left)
        m_state->setRange(TimeRange::between(time, m_pressRange.to));
    else if (m_grip == Grip::Right)
        m_state->setRange(TimeRange::between(m_pressRange.from, time));
    else if (m_grip == Grip::Inside)
        m_state->setRange(m_pressRange.shifted(time - m_pressTime));
    else if (time != m_pressTime)
        m_state->setRange(TimeRange::between(m_pressTime, time));
}

// A click beside the window brings the window there.
void OverviewStrip::mouseReleaseEvent(QMouseEvent *event)
{
    const Grip grip = std::exchange(m_grip, Grip::None);
    const std::int64_t time = axis().timeAt(event->position().x());
    if (grip == Grip::Outside && m_state && time == m_pressTime)
        m_state->setRange(m_pressRange.shifted(time - (m_pressRange.from + m_pressRange.length() / 2)));
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent *)
{
    if (m_state)
        m_state->showAll();
}

void OverviewStrip::wheelEvent(QWheelEvent *event)
{
    if (!m_state || event->angleDelta().y() == 0)
        return;
    const TimeRange range = m_state->range();
    m_state->zoomAt(range.from + range.length() / 2, std::pow(0.8, event->angleDelta().y() / 120.0));
    event->accept();
}

void OverviewStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        m_theme = TimelineTheme(palette());
        refresh();
    }
}

} // namespace tuneline::ui
