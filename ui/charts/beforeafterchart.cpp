// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/beforeafterchart.h"

#include "ui/charts/plotcolours.h"
#include "ui/timeline/colours.h"

namespace tuneline::ui {

namespace {

constexpr double kBarWidth = 0.36;

// After in relation to before; where there was nothing before, any "after" is a whole bar.
double ratioOf(const BeforeAfterBar &bar)
{
    if (bar.before != 0)
        return bar.after / bar.before;
    return bar.after == 0 ? 0 : 1;
}

bool improved(const BeforeAfterBar &bar)
{
    return bar.lessIsBetter ? bar.after < bar.before : bar.after > bar.before;
}

} // namespace

BeforeAfterChart::BeforeAfterChart(QWidget *parent)
    : Chart(tr("Before and after"), parent)
{
    plot()->yAxis->setTicker(QSharedPointer<UnitTicker>::create(UnitTicker::Unit::Share));
    plot()->xAxis->grid()->setVisible(false);
    plot()->axisRect()->setMinimumMargins(QMargins(48, 6, 8, 0));
    setEmptyText(tr("There is nothing to compare yet."));
}

void BeforeAfterChart::setBars(std::vector<BeforeAfterBar> bars)
{
    m_bars = std::move(bars);
    setEmptyText(m_bars.empty() ? tr("The two runs have no metric in common.") : QString());
    recolour();
}

// Everything is made anew: it is a dozen bars.
void BeforeAfterChart::recolour()
{
    plot()->clearPlottables();
    plot()->clearItems();
    const TimelineTheme theme(palette());
    auto names = QSharedPointer<QCPAxisTickerText>::create();
    double top = 1;
    const auto addBar = [this](double x, double height, const QColor &colour) {
        auto *bar = new QCPBars(plot()->xAxis, plot()->yAxis);
        bar->setWidth(kBarWidth);
        bar->setPen(Qt::NoPen);
        bar->setBrush(colour);
        bar->setData({x}, {height}, true);
        return bar;
    };
    const auto addLabel = [this, &theme](double x, double y, const QString &text) {
        auto *label = new QCPItemText(plot());
        label->setText(text);
        label->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
        label->position->setCoords(x, y);
        label->setFont(plot()->xAxis->tickLabelFont());
        label->setColor(theme.text);
        label->setClipToAxisRect(false);
    };
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const BeforeAfterBar &bar = m_bars[i];
        const double x = static_cast<double>(i);
        const double ratio = ratioOf(bar);
        const double before = bar.before != 0 ? 1 : 0;
        addBar(x - kBarWidth / 2 - 0.01, before, colourOf(ColourClass::Range, theme.dark));
        auto *after = addBar(x + kBarWidth / 2 + 0.01, ratio,
                             colourOf(improved(bar) ? ColourClass::Forward : ColourClass::Communication, theme.dark));
        double high = ratio;
        if (bar.low && bar.high) {
            high = std::max(ratio, 1 + *bar.high);
            auto *error = new QCPErrorBars(plot()->xAxis, plot()->yAxis);
            error->setDataPlottable(after);
            error->setData(QVector<double>{ratio - 1 - *bar.low}, QVector<double>{1 + *bar.high - ratio});
            error->setPen(QPen(theme.text, 1));
        }
        addLabel(x - kBarWidth / 2, before + 0.01, bar.beforeText);
        addLabel(x + kBarWidth / 2, high + (bar.high ? 0.04 : 0.01), bar.afterText);
        names->addTick(x, bar.name);
        top = std::max(top, high);
    }
    plot()->xAxis->setTicker(names);
    plot()->xAxis->setRange(-0.6, static_cast<double>(m_bars.size()) - 0.4);
    plot()->yAxis->setRange(0, top * 1.18);
    Chart::recolour();
}

} // namespace tuneline::ui
