// SPDX-License-Identifier: GPL-3.0-or-later
// Renders timeline and charts of a real trace into a picture, in either theme, and tells what each stage took.
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "analysis/trace/lod.h"
#include "ui/charts/beforeafterchart.h"
#include "ui/charts/stepchart.h"
#include "ui/charts/timechart.h"
#include "ui/models/eventtext.h"
#include "ui/timeline/timelinewidget.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QTest>
#include <QTextStream>
#include <QVBoxLayout>

using namespace tuneline;
using namespace tuneline::ui;

namespace {

QPalette darkPalette()
{
    QPalette p(QColor(0x2B, 0x2D, 0x30));
    p.setColor(QPalette::Base, QColor(0x1E, 0x1F, 0x22));
    p.setColor(QPalette::Text, QColor(0xDF, 0xE1, 0xE5));
    p.setColor(QPalette::WindowText, QColor(0xDF, 0xE1, 0xE5));
    p.setColor(QPalette::ButtonText, QColor(0xDF, 0xE1, 0xE5));
    p.setColor(QPalette::Highlight, QColor(0x35, 0x74, 0xF0));
    return p;
}

struct Opened
{
    analysis::TracePtr trace;
    analysis::LodPtr lod;
    analysis::AnalysisPtr analysis;
    ChartDataPtr charts;
};

Opened open(const QStringList &names, QTextStream &out)
{
    std::vector<std::filesystem::path> files;
    for (const QString &name : names)
        files.emplace_back(name.toStdString());
    analysis::Progress progress;
    QElapsedTimer clock;
    const auto lap = [&](const char *what) { out << what << ' ' << clock.restart() << " ms\n"; };
    clock.start();
    Opened opened;
    auto trace = analysis::openTrace(files, progress);
    if (!trace) {
        out << QString::fromStdString(trace.error().message) << '\n';
        return opened;
    }
    opened.trace = *trace;
    lap("open");
    opened.lod = *analysis::Lod::build(*opened.trace, progress);
    lap("lod");
    if (auto analysed = analysis::analyse(opened.trace, {}, progress))
        opened.analysis = *analysed;
    lap("analyse");
    opened.charts = buildChartData(*opened.trace, opened.analysis.get(), progress);
    lap("charts");
    out << opened.trace->events.size() << " events, " << opened.trace->lanes.size() << " lanes, lod "
        << opened.lod->bytes() / 1024 << " KiB\n";
    return opened;
}

std::vector<BeforeAfterBar> sampleBars()
{
    return {
        {QStringLiteral("step time"), 213, 114, QStringLiteral("213 ms"), QStringLiteral("114 ms"), -0.48, -0.44, true},
        {QStringLiteral("device utilisation"),
         0.47,
         0.9,
         QStringLiteral("47 %"),
         QStringLiteral("90 %"),
         {},
         {},
         false},
        {QStringLiteral("idle"), 113, 9, QStringLiteral("113 ms"), QStringLiteral("9 ms"), {}, {}, true}};
}

void addOptions(QCommandLineParser &parser)
{
    parser.addHelpOption();
    parser.addOptions(
        {{QStringLiteral("o"), QStringLiteral("picture"), QStringLiteral("png"), QStringLiteral("timeline.png")},
         {QStringLiteral("size"), QStringLiteral("WxH"), QStringLiteral("size"), QStringLiteral("1280x720")},
         {QStringLiteral("range"), QStringLiteral("shares of the trace"), QStringLiteral("from:to")},
         {QStringLiteral("select"), QStringLiteral("selects the first match in view"), QStringLiteral("text")},
         {QStringLiteral("find"), QStringLiteral("searches"), QStringLiteral("text")},
         {QStringLiteral("scroll"), QStringLiteral("rows"), QStringLiteral("n"), QStringLiteral("0")},
         {QStringLiteral("dark"), QStringLiteral("dark theme")},
         {QStringLiteral("charts"), QStringLiteral("charts instead of the timeline")}});
}

void addCharts(QVBoxLayout &layout, const Opened &opened, ViewState *state)
{
    auto *steps = new StepChart;
    steps->setData(opened.charts);
    steps->setViewState(state);
    layout.addWidget(steps);
    for (const auto content :
         {TimeChart::Content::DeviceUtilisation, TimeChart::Content::CpuUtilisation, TimeChart::Content::Memory}) {
        auto *chart = new TimeChart(content);
        chart->setData(opened.charts);
        chart->setViewState(state);
        layout.addWidget(chart);
    }
    auto *bars = new BeforeAfterChart;
    bars->setBars(sampleBars());
    layout.addWidget(bars);
}

void selectFirst(TimelineWidget &timeline, const analysis::Trace &trace, const QString &wanted, QTextStream &out)
{
    for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
        const analysis::EventId event{e};
        if (!timeline.viewState()->range().contains(trace.start(event))
            || !fullName(trace.name(event)).contains(wanted))
            continue;
        timeline.viewState()->select(event);
        timeline.ensureVisible(event);
        for (const EventField &field : eventFields(trace, event))
            out << "  " << field.first << ": " << field.second << '\n';
        return;
    }
}

void look(TimelineWidget &timeline, const analysis::Trace &trace, const QCommandLineParser &parser, QTextStream &out)
{
    const QStringList range = parser.value(QStringLiteral("range")).split(u':');
    const TimeRange all = timeline.viewState()->range();
    const auto at = [&](int i) {
        return all.from + static_cast<std::int64_t>(range[i].toDouble() * static_cast<double>(all.length()));
    };
    if (range.size() == 2)
        timeline.viewState()->setRange({at(0), at(1)});
    if (parser.isSet(QStringLiteral("select")))
        selectFirst(timeline, trace, parser.value(QStringLiteral("select")), out);
    if (parser.isSet(QStringLiteral("find"))) {
        timeline.showFindBar();
        timeline.find(parser.value(QStringLiteral("find")));
    }
    for (int i = 0; i < parser.value(QStringLiteral("scroll")).toInt(); ++i)
        QTest::keyClick(&timeline, Qt::Key_Down);
}

} // namespace

int main(int argc, char **argv)
{
    static constexpr int kSettleMs = 300; // jobs and queued repaints
    QApplication app(argc, argv);
    QCommandLineParser parser;
    addOptions(parser);
    parser.process(app);
    app.setStyle(QStringLiteral("Fusion"));
    if (parser.isSet(QStringLiteral("dark")))
        app.setPalette(darkPalette());
    QTextStream out(stdout);
    const Opened opened = open(parser.positionalArguments(), out);
    if (!opened.trace)
        return 1;

    QWidget window;
    auto *layout = new QVBoxLayout(&window);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *timeline = new TimelineWidget;
    layout->addWidget(timeline);
    timeline->setTrace(opened.trace, opened.lod, opened.analysis);
    if (parser.isSet(QStringLiteral("charts"))) {
        timeline->hide();
        addCharts(*layout, opened, timeline->viewState());
    }
    const QStringList size = parser.value(QStringLiteral("size")).split(u'x');
    window.resize(size.value(0).toInt(), size.value(1).toInt());
    window.show();
    QTest::qWait(kSettleMs);
    look(*timeline, *opened.trace, parser, out);
    QTest::qWait(kSettleMs);
    out << "frame " << timeline->lastFrameMs() << " ms\n";
    return window.grab().save(parser.value(QStringLiteral("o"))) ? 0 : 1;
}
