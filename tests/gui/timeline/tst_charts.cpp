// SPDX-License-Identifier: GPL-3.0-or-later
// The charts: their data against the analysis, in step with the view, and what they say when there is nothing to draw.
#include "tests/gui/support/guitest.h"
#include "tests/gui/support/syntheticrun.h"
#include "ui/charts/beforeafterchart.h"
#include "ui/charts/stepchart.h"
#include "ui/charts/timechart.h"

#include <QSignalSpy>
#include <QWheelEvent>
#include <qcustomplot.h>

using namespace tuneline::analysis;
using namespace tuneline::test;
using namespace tuneline::ui;

namespace {

ChartDataPtr chartsOf(const Document &document)
{
    return buildChartData(*document.trace, document.analysis.get(), Progress());
}

double meanOf(const Curve &curve)
{
    double sum = 0, length = 0;
    for (std::size_t i = 0; i + 1 < curve.time.size(); ++i) {
        const auto ns = static_cast<double>(curve.time[i + 1] - curve.time[i]);
        sum += curve.value[i] * ns;
        length += ns;
    }
    return sum / length;
}

} // namespace

class TestCharts : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_document = makeDocument();
        m_charts = chartsOf(m_document);
        QVERIFY(m_charts);
    }

    void curvesAgreeWithTheAnalysis()
    {
        QCOMPARE(m_charts->deviceUtilisation.size(), m_document.analysis->devices.size());
        const DeviceMetrics &device = m_document.analysis->devices.front();
        const double busy =
            meanOf(m_charts->deviceUtilisation.front()) * static_cast<double>(m_charts->bounds.length());
        QVERIFY(std::abs(busy - static_cast<double>(device.busyNs)) < 0.001 * static_cast<double>(device.busyNs) + 10);
        for (const double v : m_charts->deviceUtilisation.front().value)
            QVERIFY(v >= 0 && v <= 1);
        QCOMPARE(m_charts->steps.size(), m_document.analysis->stepSet().list.size());
        QCOMPARE(m_charts->medianStepNs, m_document.analysis->stepSet().medianNs.value());
    }

    void timeChartFollowsTheView()
    {
        ViewState view;
        view.reset({0, 80'000'000});
        TimeChart chart(TimeChart::Content::DeviceUtilisation);
        chart.setData(m_charts);
        chart.setViewState(&view);
        chart.resize(600, 150);
        chart.show();
        QCOMPARE(chart.emptyText(), QString());
        QCOMPARE(chart.plot()->graphCount(), 1);
        view.setRange({10'000'000, 20'000'000});
        QCOMPARE(chart.plot()->xAxis->range().lower, 10e6);
        QCOMPARE(chart.plot()->xAxis->range().upper, 20e6);
        chart.plot()->replot();
        const QPoint at(400, 60);
        QWheelEvent wheel(at, chart.plot()->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(chart.plot(), &wheel);
        QCOMPARE(view.range().length(), std::int64_t{8'000'000});
    }

    void emptyChartsSayWhy()
    {
        RunShape shape;
        shape.device = false;
        const Document cpuOnly = makeDocument(shape);
        const ChartDataPtr charts = chartsOf(cpuOnly);
        TimeChart device(TimeChart::Content::DeviceUtilisation), memory(TimeChart::Content::Memory),
            cpu(TimeChart::Content::CpuUtilisation);
        QVERIFY(!device.emptyText().isEmpty()); // no trace at all
        for (TimeChart *chart : {&device, &memory, &cpu})
            chart->setData(charts);
        QVERIFY2(device.emptyText().contains(QStringLiteral("CPU side only")), qPrintable(device.emptyText()));
        QVERIFY(memory.emptyText().contains(QStringLiteral("memory")));
        QCOMPARE(cpu.emptyText(), QString());
        StepChart steps;
        steps.setData(buildChartData(*cpuOnly.trace, nullptr, Progress()));
        QVERIFY(!steps.emptyText().isEmpty());
        BeforeAfterChart bars;
        bars.setBars({});
        QVERIFY(!bars.emptyText().isEmpty());
    }

    void stepChartPicksAStep()
    {
        ViewState view;
        view.reset({m_document.trace->spanBegin, m_document.trace->spanEnd});
        StepChart chart;
        chart.resize(700, 200);
        chart.setData(m_charts);
        chart.setViewState(&view);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        chart.plot()->replot();
        QSignalSpy activated(&chart, &StepChart::stepActivated);
        const QPoint at(static_cast<int>(chart.plot()->xAxis->coordToPixel(3)), chart.plot()->height() / 2);
        QTest::mouseClick(chart.plot(), Qt::LeftButton, {}, at);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.first().first().toInt(), 3);
        QVERIFY(view.range().contains(m_charts->steps[3].start));
        QVERIFY(view.range().length() < 2 * m_charts->steps[3].duration);
    }

    void beforeAfterBars()
    {
        BeforeAfterChart chart;
        chart.resize(500, 200);
        chart.setBars(
            {{QStringLiteral("step time"), 200, 100, QStringLiteral("200 ms"), QStringLiteral("100 ms"), -0.52, -0.48,
              true},
             {QStringLiteral("nothing before"), 0, 5, QStringLiteral("0"), QStringLiteral("5"), {}, {}, true}});
        QCOMPARE(chart.emptyText(), QString());
        chart.plot()->replot();
        int bars = 0;
        for (int i = 0; i < chart.plot()->plottableCount(); ++i)
            bars += qobject_cast<QCPBars *>(chart.plot()->plottable(i)) ? 1 : 0;
        QCOMPARE(bars, 4);
        chart.setBars({});
        chart.setBars({{QStringLiteral("x"), 1, 1, {}, {}, {}, {}, true}});
        QVERIFY(!chart.grab().isNull());
    }

    void chartsFollowThePalette()
    {
        TimeChart chart(TimeChart::Content::CpuUtilisation);
        chart.setData(m_charts);
        chart.resize(400, 150);
        QPalette dark(QColor(43, 45, 48));
        dark.setColor(QPalette::Base, QColor(30, 31, 34));
        dark.setColor(QPalette::Text, Qt::white);
        chart.setPalette(dark);
        chart.plot()->replot();
        QCOMPARE(chart.plot()->xAxis->tickLabelColor(), QColor(Qt::white));
        QVERIFY(qGray(chart.plot()->toPixmap(200, 100).toImage().pixel(2, 2)) < 60);
    }

    void cancelledDataIsNull()
    {
        Progress progress;
        progress.cancel = true;
        QVERIFY(!buildChartData(*m_document.trace, m_document.analysis.get(), progress));
    }

private:
    Document m_document;
    ChartDataPtr m_charts;
};

GUI_TEST_MAIN(TestCharts)
#include "tst_charts.moc"
