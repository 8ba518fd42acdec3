// SPDX-License-Identifier: GPL-3.0-or-later
// How our plots look, and the one place that includes qcustomplot.h (20,000 lines with templates: include it in .cpp
// files of this folder only).
#pragma once

#include <QPalette>
#include <qcustomplot.h>

namespace tuneline::ui {

void setPlotColours(QCustomPlot &plot, const QPalette &palette, const QFont &font);

// Axis labels in the unit that fits: 1.5 ms, 20 µs; 3.0 GiB. QCustomPlot's axes count in doubles, which hold trace
// times exactly up to 104 days.
class UnitTicker : public QCPAxisTicker
{
public:
    enum class Unit { Time, Bytes, Share };
    explicit UnitTicker(Unit unit);

protected:
    double getTickStep(const QCPRange &range) override;
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
    QVector<double> createTickVector(double tickStep, const QCPRange &range) override;

private:
    Unit m_unit;
    double m_step = 1; // of the last ticks: how many digits a label needs
    double m_largest = 1; // of the last ticks: all labels of an axis share one unit
};

} // namespace tuneline::ui
