// SPDX-License-Identifier: GPL-3.0-or-later
// Step times: one bar a step, the median of the steady ones as a line, warm-up and outliers marked. Click = that step.
#pragma once

#include "ui/charts/chart.h"
#include "ui/charts/chartdata.h"
#include "ui/models/viewstate.h"

#include <QPointer>

namespace tuneline::ui {

class StepChart : public Chart
{
    Q_OBJECT
public:
    explicit StepChart(QWidget *parent = nullptr);
    void setData(ChartDataPtr charts);
    void setViewState(ViewState *state); // a click zooms it to the step; steps in view are shown stronger

signals:
    void stepActivated(int step);

protected:
    void recolour() override;

private:
    void showVisibleSteps();
    void activate(double key);

    ChartDataPtr m_data;
    QPointer<ViewState> m_view;
};

} // namespace tuneline::ui
