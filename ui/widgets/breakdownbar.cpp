// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/breakdownbar.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace tuneline::ui {

namespace {
constexpr int kBar = 16; // px, height
constexpr int kSwatch = 9;
constexpr int kGap = 5;
constexpr int kSlack = 3; // eliding rounds the width of the text up
constexpr int kItemGap = 14;
constexpr int kSmallest = 2; // px of a part, however short: nothing that is there may vanish
} // namespace

BreakdownBar::BreakdownBar(QWidget *parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFont(Theme::font(TextRole::Caption));
    setAccessibleName(tr("Where the step time goes"));
}

void BreakdownBar::setParts(std::vector<BreakdownPart> parts, std::int64_t totalNs)
{
    m_parts = std::move(parts);
    m_totalNs = totalNs;
    QStringList words;
    for (const BreakdownPart &part : m_parts)
        words << legendText(part);
    setAccessibleDescription(words.join(", "));
    updateGeometry();
    update();
}

QString BreakdownBar::legendText(const BreakdownPart &part) const
{
    const double share = m_totalNs > 0 ? static_cast<double>(part.ns) / static_cast<double>(m_totalNs) : 0;
    return QString("%1 %2 · %3").arg(part.name, durationText(part.ns), percentText(share));
}

std::vector<BreakdownBar::LegendItem> BreakdownBar::layoutLegend(int width) const
{
    std::vector<LegendItem> items;
    const int line = fontMetrics().height() + 2;
    int x = 0;
    int y = kBar + kGap;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const int w = qMin(width, kSwatch + kGap + kSlack + fontMetrics().horizontalAdvance(legendText(m_parts[i])));
        if (x > 0 && x + w > width) {
            x = 0;
            y += line;
        }
        items.push_back({QRect(x, y, w, line), i});
        x += w + kItemGap;
    }
    return items;
}

std::vector<QRect> BreakdownBar::layoutBar(int width) const
{
    std::int64_t total = 0;
    for (const BreakdownPart &part : m_parts)
        total += part.ns;
    std::vector<QRect> rects;
    const double room = width - kSmallest * static_cast<double>(m_parts.size());
    double x = 0;
    for (const BreakdownPart &part : m_parts) {
        const double w =
            kSmallest + room * static_cast<double>(part.ns) / static_cast<double>(qMax<std::int64_t>(1, total));
        const int left = qRound(x);
        x += w;
        rects.emplace_back(left, 0, qRound(x) - left, kBar);
    }
    return rects;
}

QSize BreakdownBar::sizeHint() const
{
    return {480, heightForWidth(480)};
}

QSize BreakdownBar::minimumSizeHint() const
{
    return {200, kBar + kGap + fontMetrics().height() + 2};
}

int BreakdownBar::heightForWidth(int width) const
{
    const std::vector<LegendItem> items = layoutLegend(qMax(width, 200));
    return items.empty() ? kBar : items.back().rect.bottom() + 1;
}

void BreakdownBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    const std::vector<QRect> bar = layoutBar(width());
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        painter.fillRect(bar[i].adjusted(0, 0, i + 1 < m_parts.size() ? -1 : 0, 0),
                         colourOf(m_parts[i].colour, theme.dark()));
    for (const LegendItem &item : layoutLegend(width())) {
        const BreakdownPart &part = m_parts[item.part];
        painter.fillRect(item.rect.left(), item.rect.center().y() - kSwatch / 2, kSwatch, kSwatch,
                         colourOf(part.colour, theme.dark()));
        const QRect text = item.rect.adjusted(kSwatch + kGap, 0, 0, 0);
        painter.setPen(theme.colours().muted);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(legendText(part), Qt::ElideRight, text.width()));
    }
}

bool BreakdownBar::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const std::vector<QRect> bar = layoutBar(width());
    for (std::size_t i = 0; i < bar.size(); ++i) {
        if (bar[i].contains(help->pos())) {
            QToolTip::showText(help->globalPos(), legendText(m_parts[i]), this, bar[i]);
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}

} // namespace tuneline::ui
