// SPDX-License-Identifier: GPL-3.0-or-later
// Before/after bars of a comparison. Metrics of different units can't share an axis, so each is drawn relative to its
// "before" (100 %), with the figures themselves on the bars.
#pragma once

#include "ui/charts/chart.h"

#include <optional>
#include <vector>

namespace tuneline::ui {

struct BeforeAfterBar
{
    QString name; // "step time"
    double before = 0, after = 0;
    QString beforeText, afterText; // "12.3 ms"
    std::optional<double> low, high; // confidence interval of after / before − 1
    bool lessIsBetter = true;
};

class BeforeAfterChart : public Chart
{
    Q_OBJECT
public:
    explicit BeforeAfterChart(QWidget *parent = nullptr);
    void setBars(std::vector<BeforeAfterBar> bars);

protected:
    void recolour() override;

private:
    std::vector<BeforeAfterBar> m_bars;
};

} // namespace tuneline::ui
