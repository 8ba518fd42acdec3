// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/planview.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/theme.h"

#include <QPainter>

namespace tuneline::ui {

namespace {
constexpr int kBar = 5; // px, height
constexpr int kRowGap = 8;
} // namespace

PlanView::PlanView(const analysis::Advice &advice, QWidget *parent)
    : QWidget(parent)
{
    m_rows.push_back({tr("now"), advice.step.timeNs});
    int number = 1;
    for (const analysis::PlanItem &item : advice.plan)
        m_rows.push_back({QString("%1. %2").arg(number++).arg(QString::fromStdString(item.rule)), item.stepNsAfter});
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QStringList words;
    for (const Row &row : m_rows)
        words << QString("%1: %2").arg(row.name, durationText(row.stepNs));
    setAccessibleName(tr("Plan"));
    setAccessibleDescription(words.join(", "));
}

QSize PlanView::sizeHint() const
{
    const int row = fontMetrics().height() + kBar + kRowGap;
    return {220, row * static_cast<int>(m_rows.size())};
}

void PlanView::paintEvent(QPaintEvent *)
{
    const ThemeColours &colours = Theme::instance().colours();
    QPainter painter(this);
    const double now = static_cast<double>(qMax<std::int64_t>(1, m_rows.front().stepNs));
    const int line = fontMetrics().height();
    int y = 0;
    for (const Row &row : m_rows) {
        const double ratio = static_cast<double>(row.stepNs) / now;
        const QString figure = &row == &m_rows.front()
            ? durationText(row.stepNs)
            : QString("%1  %2").arg(durationText(row.stepNs), changeText(ratio - 1));
        painter.setPen(colours.text);
        painter.drawText(QRect(0, y, width(), line), Qt::AlignRight | Qt::AlignVCenter, figure);
        const int room = width() - fontMetrics().horizontalAdvance(figure) - 12;
        painter.drawText(QRect(0, y, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(row.name, Qt::ElideRight, room));
        painter.fillRect(0, y + line, width(), kBar, colours.sunken);
        painter.fillRect(0, y + line, qRound(width() * qBound(0.0, ratio, 1.0)), kBar, colours.accent);
        y += line + kBar + kRowGap;
    }
}

} // namespace tuneline::ui
