// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/stepchart.h"

#include "ui/charts/plotcolours.h"
#include "ui/models/eventtext.h"
#include "ui/timeline/colours.h"

#include <QMouseEvent>
#include <QToolTip>

namespace tuneline::ui {

namespace {

constexpr std::size_t kMaxBars = 600; // QCPBars takes 10 ms for 1,000; beyond, a step graph

// Steady, not counted (warm-up, cut off), outlier.
constexpr std::array kClasses{ColourClass::MatrixKernel, ColourClass::Range, ColourClass::Communication};

// Bars stand at the index of their step; the labels say its number.
class StepTicker : public QCPAxisTickerFixed
{
public:
    explicit StepTicker(const ChartDataPtr &charts)
        : m_charts(charts)
    {
        setScaleStrategy(QCPAxisTickerFixed::ssMultiples); // whole steps only
    }

protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        const auto index = static_cast<std::size_t>(std::max(0L, std::lround(tick)));
        return m_charts && index < m_charts->steps.size() ? QString::number(m_charts->steps[index].number) : QString();
    }

private:
    const ChartDataPtr &m_charts; // of the chart that owns the plot that owns this
};

std::size_t classOf(const StepBar &step)
{
    return step.outlier ? 2 : step.steady ? 0 : 1;
}

} // namespace

StepChart::StepChart(QWidget *parent)
    : Chart(tr("Step time"), parent)
{
    plot()->yAxis->setTicker(QSharedPointer<UnitTicker>::create(UnitTicker::Unit::Time));
    plot()->yAxis->ticker()->setTickCount(3);
    plot()->xAxis->grid()->setVisible(false);
    plot()->xAxis->setLabel(tr("step"));
    plot()->axisRect()->setMinimumMargins(QMargins(64, 6, 8, 0));
    plot()->xAxis->setTicker(QSharedPointer<StepTicker>::create(m_data));
    connect(plot(), &QCustomPlot::mouseRelease, this,
            [this](QMouseEvent *event) { activate(plot()->xAxis->pixelToCoord(event->position().x())); });
    connect(plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        const auto index =
            static_cast<std::size_t>(std::max(0L, std::lround(plot()->xAxis->pixelToCoord(event->position().x()))));
        if (m_data && index < m_data->steps.size())
            QToolTip::showText(
                event->globalPosition().toPoint(),
                tr("step %1: %2").arg(m_data->steps[index].number).arg(durationText(m_data->steps[index].duration)),
                plot());
    });
    setEmptyText(tr("No trace is open."));
}

void StepChart::setData(ChartDataPtr charts)
{
    m_data = std::move(charts);
    plot()->clearPlottables();
    plot()->clearItems();
    setEmptyText(m_data ? m_data->whyNoSteps : tr("No trace is open."));
    if (!m_data || m_data->steps.empty())
        return;
    std::array<QVector<double>, kClasses.size()> keys, values;
    double top = static_cast<double>(m_data->medianStepNs);
    for (std::size_t i = 0; i < m_data->steps.size(); ++i) {
        const double value = static_cast<double>(m_data->steps[i].duration);
        keys[classOf(m_data->steps[i])].push_back(static_cast<double>(i));
        values[classOf(m_data->steps[i])].push_back(value);
        top = std::max(top, value);
    }
    const bool bars = m_data->steps.size() <= kMaxBars;
    for (std::size_t c = 0; c < kClasses.size(); ++c) {
        if (bars) {
            auto *made = new QCPBars(plot()->xAxis, plot()->yAxis);
            made->setWidth(0.8);
            made->setData(keys[c], values[c], true);
        } else {
            QCPGraph *made = plot()->addGraph();
            made->setLineStyle(QCPGraph::lsImpulse);
            made->setData(keys[c], values[c], true);
        }
    }
    if (m_data->medianStepNs > 0) {
        auto *line = new QCPItemStraightLine(plot());
        const double median = static_cast<double>(m_data->medianStepNs);
        line->point1->setCoords(0, median);
        line->point2->setCoords(1, median);
        auto *label = new QCPItemText(plot());
        label->setText(tr("median %1").arg(durationText(m_data->medianStepNs)));
        label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
        label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
        label->position->setTypeY(QCPItemPosition::ptPlotCoords);
        label->position->setCoords(0.995, median);
    }
    plot()->xAxis->setRange(-0.7, static_cast<double>(m_data->steps.size()) - 0.3);
    plot()->yAxis->setRange(0, top * 1.15);
    recolour();
    showVisibleSteps();
}

void StepChart::setViewState(ViewState *state)
{
    if (m_view)
        disconnect(m_view, nullptr, this, nullptr);
    m_view = state;
    if (m_view)
        connect(m_view, &ViewState::rangeChanged, this, &StepChart::showVisibleSteps);
    showVisibleSteps();
}

// A band behind the steps that the timeline shows.
void StepChart::showVisibleSteps()
{
    for (int i = plot()->itemCount() - 1; i >= 0; --i) {
        if (qobject_cast<QCPItemRect *>(plot()->item(i)))
            plot()->removeItem(i);
    }
    if (!m_data || !m_view || m_data->steps.empty())
        return;
    const auto &steps = m_data->steps;
    const TimeRange range = m_view->range();
    const auto first =
        std::ranges::find_if(steps, [range](const StepBar &s) { return s.start + s.duration > range.from; });
    const auto last =
        std::ranges::find_if(first, steps.end(), [range](const StepBar &s) { return s.start >= range.to; });
    if (last - first < static_cast<std::ptrdiff_t>(steps.size()) && first != last) {
        auto *band = new QCPItemRect(plot());
        band->setLayer(QStringLiteral("background"));
        band->topLeft->setCoords(static_cast<double>(first - steps.begin()) - 0.5, plot()->yAxis->range().upper);
        band->bottomRight->setCoords(static_cast<double>(last - steps.begin()) - 0.5, 0);
        band->setPen(Qt::NoPen);
        band->setBrush(TimelineTheme(palette()).grid);
    }
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void StepChart::activate(double key)
{
    const auto index = std::lround(key);
    if (!m_data || index < 0 || index >= static_cast<long>(m_data->steps.size()))
        return;
    const StepBar &step = m_data->steps[static_cast<std::size_t>(index)];
    if (m_view)
        m_view->fit({step.start, step.start + step.duration});
    emit stepActivated(static_cast<int>(index));
}

void StepChart::recolour()
{
    const TimelineTheme theme(palette());
    for (int i = 0; i < plot()->plottableCount() && i < static_cast<int>(kClasses.size()); ++i) {
        const QColor colour = colourOf(kClasses[static_cast<std::size_t>(i)], theme.dark);
        const bool bars = qobject_cast<QCPBars *>(plot()->plottable(i)) != nullptr;
        plot()->plottable(i)->setPen(bars ? QPen(Qt::NoPen) : QPen(colour, 1));
        plot()->plottable(i)->setBrush(bars ? QBrush(colour) : QBrush(Qt::NoBrush)); // opaque: 10 × faster than alpha
    }
    for (int i = 0; i < plot()->itemCount(); ++i) {
        if (auto *line = qobject_cast<QCPItemStraightLine *>(plot()->item(i)))
            line->setPen(QPen(theme.text, 1, Qt::DashLine));
        if (auto *label = qobject_cast<QCPItemText *>(plot()->item(i))) {
            QColor back = theme.background;
            back.setAlpha(190);
            label->setBrush(back);
            label->setColor(theme.text);
            label->setFont(plot()->xAxis->tickLabelFont());
        }
    }
    Chart::recolour();
    showVisibleSteps();
}

} // namespace tuneline::ui
