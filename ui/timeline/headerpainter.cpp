// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/headerpainter.h"

#include "ui/models/eventtext.h"

#include <QCoreApplication>
#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr int kMargin = 6, kIndent = 10, kChevron = 12; // px

void paintChevron(QPainter &painter, QPointF centre, bool folded)
{
    const double s = 3.5;
    const QPolygonF open{{QPointF(-s, -s / 2), QPointF(s, -s / 2), QPointF(0, s / 1.2)}};
    const QPolygonF closed{{QPointF(-s / 2, -s), QPointF(-s / 2, s), QPointF(s / 1.2, 0)}};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawPolygon((folded ? closed : open).translated(centre));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintHeader(QPainter &painter, const LayoutRow &row, const TimelineTheme &theme, const QRect &rect, bool hovered)
{
    const bool title = row.kind == LayoutRow::Kind::Group;
    painter.fillRect(rect, hovered && row.foldable ? theme.border.lighter(theme.dark ? 80 : 125) : theme.header);
    painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.grid);
    const int left = rect.left() + kMargin + row.indent * kIndent;
    const QFontMetrics metrics = painter.fontMetrics();
    const int line = std::min(row.rowHeight, rect.height());
    if (row.foldable) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.faintText);
        paintChevron(painter, QPointF(left + kChevron / 2.0 - 2, rect.top() + 2 + line / 2.0), row.folded);
    }
    const QRect text(left + kChevron, rect.top() + 2, std::max(0, rect.right() - left - kChevron - kMargin), line);
    QFont font = painter.font();
    font.setBold(title);
    painter.setFont(font);
    const bool below = rect.height() >= 2 * metrics.height() + 4; // room for a second line
    const int detailWidth =
        row.detail.isEmpty() || below || title ? 0 : metrics.horizontalAdvance(row.detail) + 2 * kMargin;
    const int labelWidth = metrics.horizontalAdvance(row.label);
    const bool beside = detailWidth > 0 && labelWidth + detailWidth <= text.width();
    painter.setPen(theme.text);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(row.label, Qt::ElideMiddle, text.width()));
    font.setBold(false);
    painter.setFont(font);
    painter.setPen(theme.faintText);
    if (beside)
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignRight, row.detail);
    else if (below)
        painter.drawText(text.translated(0, line), Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(row.detail, Qt::ElideRight, text.width()));
}

} // namespace

void paintHeaders(QPainter &painter, const Layout &layout, const TimelineTheme &theme, const QRect &area, int scrollY,
                  const LayoutRow *hovered)
{
    painter.fillRect(area, theme.header);
    for (const LayoutRow &row : layout.rows) {
        const QRect rect(area.left(), area.top() + row.y - scrollY, area.width(), row.height);
        if (rect.bottom() >= area.top() && rect.top() <= area.bottom())
            paintHeader(painter, row, theme, rect, &row == hovered);
    }
    painter.fillRect(QRect(area.right(), area.top(), 1, area.height()), theme.border);
}

QString headerToolTip(const Trace &trace, const LayoutRow &row)
{
    if (row.kind != LayoutRow::Kind::Events)
        return row.detail.isEmpty() ? row.label : row.label + QStringLiteral("\n") + row.detail;
    const Lane &lane = trace.lanes[row.index];
    QString text = row.label;
    if (!row.detail.isEmpty() && row.detail != row.label)
        text += QStringLiteral("\n") + row.detail;
    text += QCoreApplication::translate("Timeline", "\n%1 events, busy %2")
                .arg(countText(lane.count), durationText(lane.busyNs));
    if (lane.overlaps > 0)
        text += QCoreApplication::translate("Timeline", "\n%1 overlaps, drawn in rows of their own")
                    .arg(countText(lane.overlaps));
    return text;
}

} // namespace tuneline::ui
