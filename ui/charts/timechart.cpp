// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/timechart.h"

#include "ui/charts/plotcolours.h"
#include "ui/timeline/colours.h"

#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

namespace tuneline::ui {

namespace {

QString titleOf(TimeChart::Content content)
{
    switch (content) {
    case TimeChart::Content::DeviceUtilisation:
        return TimeChart::tr("Device utilisation");
    case TimeChart::Content::CpuUtilisation:
        return TimeChart::tr("CPU utilisation");
    case TimeChart::Content::Memory:
        break;
    }
    return TimeChart::tr("Memory");
}

const std::vector<Curve> &curvesOf(const ChartData &data, TimeChart::Content content)
{
    return content == TimeChart::Content::DeviceUtilisation ? data.deviceUtilisation
        : content == TimeChart::Content::CpuUtilisation     ? data.cpuUtilisation
                                                            : data.memory;
}

QString whyEmpty(const ChartData &data, TimeChart::Content content)
{
    return content == TimeChart::Content::DeviceUtilisation ? data.whyNoDevice
        : content == TimeChart::Content::CpuUtilisation     ? data.whyNoCpu
                                                            : data.whyNoMemory;
}

} // namespace

TimeChart::TimeChart(Content content, QWidget *parent)
    : Chart(titleOf(content), parent)
    , m_content(content)
{
    plot()->xAxis->setTicker(QSharedPointer<UnitTicker>::create(UnitTicker::Unit::Time));
    const auto unit = content == Content::Memory ? UnitTicker::Unit::Bytes : UnitTicker::Unit::Share;
    plot()->yAxis->setTicker(QSharedPointer<UnitTicker>::create(unit));
    plot()->yAxis->ticker()->setTickCount(3);
    plot()->axisRect()->setMinimumMargins(QMargins(64, 6, 8, 0));
    plot()->installEventFilter(this);
    setEmptyText(tr("No trace is open."));
}

void TimeChart::setData(ChartDataPtr charts)
{
    m_data = std::move(charts);
    plot()->clearGraphs();
    setEmptyText(m_data ? whyEmpty(*m_data, m_content) : tr("No trace is open."));
    if (!m_data)
        return;
    int colour = 0;
    for (const Curve &curve : curvesOf(*m_data, m_content))
        addCurve(curve, colour++);
    recolour();
    showRange();
}

void TimeChart::addCurve(const Curve &curve, int colour)
{
    QCPGraph *graph = plot()->addGraph();
    graph->setName(curve.name);
    graph->setLineStyle(QCPGraph::lsStepLeft);
    graph->setAdaptiveSampling(true); // 8 ms for a million points
    graph->setProperty("colour", colour);
    QVector<double> times, values;
    times.reserve(static_cast<qsizetype>(curve.time.size()));
    for (const std::int64_t t : curve.time)
        times.push_back(static_cast<double>(t));
    values = QVector<double>(curve.value.begin(), curve.value.end());
    graph->setData(times, values, true);
}

void TimeChart::setViewState(ViewState *state)
{
    if (m_view)
        disconnect(m_view, nullptr, this, nullptr);
    m_view = state;
    if (m_view)
        connect(m_view, &ViewState::rangeChanged, this, &TimeChart::showRange);
    showRange();
}

void TimeChart::showRange()
{
    const TimeRange range = m_view ? m_view->range() : m_data ? m_data->bounds : TimeRange{};
    if (range.empty())
        return;
    plot()->xAxis->setRange(static_cast<double>(range.from), static_cast<double>(range.to));
    fitValues();
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

// Shares always show 0 to 100 %, so that a picture can be compared with another; memory shows what is in view.
void TimeChart::fitValues()
{
    if (m_content != Content::Memory) {
        plot()->yAxis->setRange(0, 1.04);
        return;
    }
    double top = 0;
    for (int i = 0; i < plot()->graphCount(); ++i) {
        bool found = false;
        const QCPRange values = plot()->graph(i)->getValueRange(found, QCP::sdPositive, plot()->xAxis->range());
        top = found ? std::max(top, values.upper) : top;
    }
    plot()->yAxis->setRange(0, top > 0 ? top * 1.08 : 1);
}

void TimeChart::recolour()
{
    const bool dark = isDark(palette());
    QStringList names;
    QList<QColor> colours;
    for (int i = 0; i < plot()->graphCount(); ++i) {
        QCPGraph *graph = plot()->graph(i);
        const QColor colour = curveColour(graph->property("colour").toInt(), dark);
        graph->setPen(QPen(colour, 1));
        names << graph->name();
        colours << colour;
        QColor area = colour;
        area.setAlpha(plot()->graphCount() == 1 ? 70 : 0);
        graph->setBrush(area.alpha() ? QBrush(area) : QBrush(Qt::NoBrush));
    }
    setLegend(names.size() > 1 ? names : QStringList(), colours);
    Chart::recolour();
}

bool TimeChart::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != plot() || !m_view)
        return Chart::eventFilter(watched, event);
    if (event->type() == QEvent::Wheel) {
        const auto *wheel = static_cast<QWheelEvent *>(event);
        const double at = plot()->xAxis->pixelToCoord(wheel->position().x());
        const double turned = wheel->angleDelta().y() / 120.0;
        m_view->zoomAt(static_cast<std::int64_t>(std::llround(at)), std::pow(0.8, turned));
        return true;
    }
    if (event->type() == QEvent::MouseButtonPress) {
        m_dragX = static_cast<QMouseEvent *>(event)->position().toPoint().x();
    } else if (event->type() == QEvent::MouseMove && m_dragX >= 0) {
        const int x = static_cast<QMouseEvent *>(event)->position().toPoint().x();
        const double moved = plot()->xAxis->pixelToCoord(m_dragX) - plot()->xAxis->pixelToCoord(x);
        m_dragX = x;
        m_view->panBy(static_cast<std::int64_t>(std::llround(moved)));
    } else if (event->type() == QEvent::MouseButtonRelease) {
        m_dragX = -1;
    }
    return Chart::eventFilter(watched, event);
}

} // namespace tuneline::ui
