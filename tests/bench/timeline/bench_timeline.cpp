// SPDX-License-Identifier: GPL-3.0-or-later
// Frame times of the timeline on a synthetic trace: pan, zoom and scroll as a user would, software rendering. The
// promise (DESIGN section 7): 10 million events, 95 % of the frames within 16 ms on one core. bench_timeline [EVENTS]
// [WIDTHxHEIGHT]
#include "tests/unit/timeline/sampletrace.h"
#include "ui/timeline/timelineview.h"
#include "ui/timeline/timelinewidget.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTextStream>
#include <algorithm>
#include <ctime>

using namespace tuneline;
using namespace tuneline::ui;

namespace {

class Frames
{
public:
    explicit Frames(TimelineWidget &timeline)
        : m_timeline(timeline)
        , m_view(*timeline.findChild<TimelineView *>())
    { }

    void take()
    {
        const std::clock_t before = std::clock();
        m_view.viewport()->repaint();
        m_cpu.push_back(static_cast<double>(std::clock() - before) * 1000 / CLOCKS_PER_SEC);
        m_times.push_back(m_timeline.lastFrameMs());
    }

    void report(QTextStream &out, const char *what)
    {
        out << QStringLiteral("%1 %2 frames, ").arg(QLatin1String(what), -22).arg(m_times.size(), 4);
        out << "wall " << percentiles(m_times) << ", processor " << percentiles(m_cpu) << '\n';
        out.flush();
        m_times.clear();
        m_cpu.clear();
    }

private:
    static QString percentiles(std::vector<double> &ms)
    {
        std::ranges::sort(ms);
        const auto at = [&ms](double share) {
            return QString::number(ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))], 'f', 1);
        };
        return QStringLiteral("median %1, 95 % %2, worst %3 ms").arg(at(0.5), at(0.95), at(1));
    }

    TimelineWidget &m_timeline;
    TimelineView &m_view;
    std::vector<double> m_times; // ms as the user waits
    std::vector<double> m_cpu; // ms of processor: says more on a busy machine
};

// Down to the closest zoom and back out, at a place in the middle.
void zoom(ViewState &state, Frames &frames)
{
    const std::int64_t anchor = state.bounds().from + state.bounds().length() / 3;
    for (const double factor : {0.85, 1 / 0.85}) {
        for (int i = 0; i < 120; ++i) {
            state.zoomAt(anchor, factor);
            frames.take();
        }
    }
}

void pan(ViewState &state, Frames &frames, double share)
{
    const TimeRange all = state.bounds();
    const auto length = static_cast<std::int64_t>(static_cast<double>(all.length()) * share);
    state.setRange({all.from + all.length() / 4, all.from + all.length() / 4 + length});
    for (int i = 0; i < 120; ++i) {
        state.panBy(length / 50);
        frames.take();
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QTextStream out(stdout);
    const std::size_t events = argc > 1 ? QString::fromLatin1(argv[1]).toULongLong() : 10'000'000;
    const QStringList size = QString::fromLatin1(argc > 2 ? argv[2] : "1920x1080").split(u'x');
    QElapsedTimer clock;
    clock.start();
    const analysis::TracePtr trace = test::bigTrace(events);
    out << trace->events.size() << " events built in " << clock.restart() << " ms\n";
    const analysis::LodPtr lod = test::lodOf(*trace);
    out << "pyramid in " << clock.restart() << " ms, " << lod->bytes() / (1 << 20) << " MiB\n";

    TimelineWidget timeline;
    timeline.resize(size.value(0).toInt(), size.value(1).toInt());
    timeline.setTrace(trace, lod);
    timeline.show();
    QApplication::processEvents();
    Frames frames(timeline);
    zoom(*timeline.viewState(), frames);
    frames.report(out, "zoom in and out");
    for (const double share : {0.9, 0.1, 0.01, 1e-4, 1e-6}) {
        pan(*timeline.viewState(), frames, share);
        frames.report(out, qPrintable(QStringLiteral("pan at %1 of all").arg(share)));
    }
    return 0;
}
