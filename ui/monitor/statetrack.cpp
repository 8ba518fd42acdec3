// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/monitor/statetrack.h"

#include "ui/widgets/theme.h"

#include <QPainter>

namespace tuneline::ui {

namespace {

const QStringList &stations()
{
    static const QStringList names{StateTrack::tr("start"),     StateTrack::tr("warm-up"), StateTrack::tr("before"),
                                   StateTrack::tr("recording"), StateTrack::tr("after"),   StateTrack::tr("result")};
    return names;
}

int stationOf(CaptureState state)
{
    switch (state) {
    case CaptureState::WarmingUp:
        return 1;
    case CaptureState::Baseline:
        return 2;
    case CaptureState::Recording:
        return 3;
    case CaptureState::BaselineAfter:
        return 4;
    case CaptureState::Fetching:
    case CaptureState::Done:
        return 5;
    default:
        return 0;
    }
}

constexpr int kDot = 9; // px
constexpr int kTextGap = 6;

} // namespace

StateTrack::StateTrack(QWidget *parent)
    : QWidget(parent)
{
    setFont(Theme::font(TextRole::Caption));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Stations of the capture"));
}

void StateTrack::setState(CaptureState state)
{
    m_failed = state == CaptureState::Failed;
    if (!m_failed) // stays where it failed
        m_reached = stationOf(state);
    setAccessibleDescription(captureStateText(state));
    update();
}

QSize StateTrack::sizeHint() const
{
    return {90 * static_cast<int>(stations().size()), kDot + kTextGap + fontMetrics().height() + 2};
}

void StateTrack::paintEvent(QPaintEvent *)
{
    const ThemeColours &colours = Theme::instance().colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int count = static_cast<int>(stations().size());
    const int cell = width() / count;
    for (int i = 0; i < count; ++i) {
        const QPointF centre(cell * i + cell / 2.0, kDot / 2.0 + 1);
        const bool done = i < m_reached;
        const bool now = i == m_reached;
        if (i + 1 < count) {
            painter.setPen(QPen(done ? colours.accent : colours.border, 2));
            painter.drawLine(centre + QPointF(kDot / 2.0 + 3, 0), centre + QPointF(cell - kDot / 2.0 - 3, 0));
        }
        const QColor colour = now && m_failed ? colours.bad : colours.accent;
        painter.setPen(QPen(done || now ? colour : colours.strongBorder, 1.5));
        painter.setBrush(done || now ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter.drawEllipse(centre, kDot / 2.0, kDot / 2.0);
        painter.setPen(now ? colours.text : colours.muted);
        painter.drawText(QRect(cell * i, kDot + kTextGap, cell, fontMetrics().height()),
                         Qt::AlignHCenter | Qt::AlignTop, stations()[i]);
    }
}

} // namespace tuneline::ui
