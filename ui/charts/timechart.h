// SPDX-License-Identifier: GPL-3.0-or-later
// Charts over trace time, kept in step with the timeline through the ViewState: device and CPU utilisation, memory.
#pragma once

#include "ui/charts/chart.h"
#include "ui/charts/chartdata.h"
#include "ui/models/viewstate.h"

#include <QPointer>

namespace tuneline::ui {

class TimeChart : public Chart
{
    Q_OBJECT
public:
    enum class Content { DeviceUtilisation, CpuUtilisation, Memory };

    explicit TimeChart(Content content, QWidget *parent = nullptr);
    void setData(ChartDataPtr charts); // null: empty
    void setViewState(ViewState *state); // not owned

protected:
    void recolour() override;
    bool eventFilter(QObject *watched, QEvent *event) override; // wheel and drag on the plot move the ViewState

private:
    void showRange();
    void addCurve(const Curve &curve, int colour);
    void fitValues(); // value axis to what is visible

    Content m_content;
    ChartDataPtr m_data;
    QPointer<ViewState> m_view;
    int m_dragX = -1;
};

} // namespace tuneline::ui
