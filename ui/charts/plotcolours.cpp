// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plotcolours.h"

#include "ui/models/eventtext.h"
#include "ui/timeline/colours.h"

#include <array>
#include <cmath>

namespace tuneline::ui {

void setPlotColours(QCustomPlot &plot, const QPalette &palette, const QFont &font)
{
    const TimelineTheme theme(palette);
    QFont small = font;
    if (small.pointSizeF() > 0)
        small.setPointSizeF(small.pointSizeF() * 0.88);
    plot.setBackground(theme.background);
    for (QCPAxis *axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
        axis->setBasePen(QPen(theme.border));
        axis->setTickPen(QPen(theme.border));
        axis->setSubTickPen(QPen(theme.border));
        axis->setTickLabelColor(theme.text);
        axis->setLabelColor(theme.text);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->grid()->setPen(QPen(theme.grid));
        axis->grid()->setZeroLinePen(QPen(theme.border));
        axis->setSubTicks(false);
    }
    plot.legend->setFont(small);
    plot.legend->setTextColor(theme.text);
    plot.legend->setBorderPen(QPen(theme.grid));
    QColor back = theme.background;
    back.setAlpha(200);
    plot.legend->setBrush(back);
    plot.legend->setIconSize(14, 8);
}

UnitTicker::UnitTicker(Unit unit)
    : m_unit(unit)
{
    setTickCount(5);
}

double UnitTicker::getTickStep(const QCPRange &range)
{
    if (m_unit != Unit::Bytes)
        return QCPAxisTicker::getTickStep(range); // 1, 2, 2.5 or 5 × 10^n: time units are powers of ten
    const double wanted = range.size() / (tickCount() + 1e-10);
    const double unit = std::pow(1024, std::max(0.0, std::floor(std::log(std::max(1.0, wanted)) / std::log(1024))));
    return getMantissa(wanted / unit) < 1 ? unit : std::max(1.0, cleanMantissa(wanted / unit)) * unit;
}

QVector<double> UnitTicker::createTickVector(double tickStep, const QCPRange &range)
{
    m_step = tickStep;
    m_largest = std::max(std::abs(range.lower), std::abs(range.upper));
    return QCPAxisTicker::createTickVector(tickStep, range);
}

QString UnitTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    struct Scale
    {
        double size;
        const char *name;
    };
    static constexpr std::array<Scale, 4> kTime{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
    static constexpr std::array<Scale, 4> kBytes{
        {{1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024, "KiB"}, {1, "B"}}};
    if (m_unit == Unit::Share)
        return QString::number(tick * 100, 'f', 0) + QStringLiteral(" %");
    const auto &scales = m_unit == Unit::Time ? kTime : kBytes;
    const auto scale = std::ranges::find_if(scales, [this](const Scale &s) { return m_largest >= s.size; });
    const Scale &used = scale == scales.end() ? scales.back() : *scale;
    const double steps = m_step / used.size;
    const int digits = steps >= 1 && std::fmod(steps, 1) < 1e-9
        ? 0
        : std::clamp(static_cast<int>(std::ceil(-std::log10(steps))) + 1, 1, 9);
    QString number = QString::number(tick / used.size, 'f', digits);
    while (number.contains(u'.') && (number.endsWith(u'0') || number.endsWith(u'.')))
        number.chop(1);
    return (number == u"-0" ? QStringLiteral("0") : number) + QChar(0x00A0) + QString::fromUtf8(used.name);
}

} // namespace tuneline::ui
