// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline draws from: lanes and their layout, pyramids of spans and curves, search, links.
#include "tests/unit/timeline/sampletrace.h"
#include "ui/timeline/eventcolours.h"
#include "ui/timeline/extras.h"
#include "ui/timeline/layout.h"
#include "ui/timeline/links.h"
#include "ui/timeline/matches.h"

#include <QTest>
#include <cmath>

using namespace tuneline::analysis;
using namespace tuneline::test;
using namespace tuneline::ui;

namespace {

constexpr int kRow = 18;

Layout layoutOf(const TracePtr &trace, const FoldState &folds = {})
{
    return layOut(*trace, *lodOf(*trace), nullptr, folds, kRow);
}

std::size_t countOf(const Layout &layout, LayoutRow::Kind kind)
{
    return static_cast<std::size_t>(std::ranges::count(layout.rows, kind, &LayoutRow::kind));
}

TracePtr deepTrace(int depth)
{
    SampleTrace sample;
    const LaneId lane = sample.cpu("1");
    for (int i = 0; i < depth; ++i)
        sample.add(lane, {1 + i, 2 * (depth - i), "frame", EventKind::Python});
    return sample.finish();
}

} // namespace

class TestTimelineData : public QObject
{
    Q_OBJECT

private slots:
    void rowsAreGapless()
    {
        const TracePtr trace = bigTrace(4000);
        const Layout layout = layoutOf(trace);
        QVERIFY(!layout.rows.empty());
        int y = 0;
        for (const LayoutRow &row : layout.rows) {
            QCOMPARE(row.y, y);
            QVERIFY(row.height > 0);
            QCOMPARE(layout.rowAt(y), &row);
            QCOMPARE(layout.rowAt(y + row.height - 1), &row);
            y += row.height;
        }
        QCOMPARE(layout.height, y);
        QVERIFY(!layout.rowAt(y));
        QVERIFY(!layout.rowAt(-1));
    }

    void streamsComeBeforeThreads()
    {
        const TracePtr trace = bigTrace(4000);
        const Layout layout = layoutOf(trace);
        QCOMPARE(layout.rows.size(), std::size_t{8});
        for (std::size_t i = 0; i < 8; ++i) {
            const LaneKind kind = trace->lanes[layout.rows[i].index].kind;
            QCOMPARE(kind, i < 4 ? LaneKind::Stream : LaneKind::Cpu);
        }
        QCOMPARE(layout.rows[0].label, QStringLiteral("GPU 0 · stream 7"));
    }

    void deepLanesAreCut()
    {
        const TracePtr trace = deepTrace(3000);
        const Layout cut = layoutOf(trace);
        QCOMPARE(countOf(cut, LayoutRow::Kind::More), std::size_t{1});
        QCOMPARE(cut.rows[0].rows, FoldState::kCpuRows);
        QCOMPARE(cut.rows[1].hidden, 3000 - FoldState::kCpuRows);
        QVERIFY(cut.height < 400);

        FoldState all;
        all.limits[cut.rows[0].index] = Id<LaneTag>::kNone;
        const Layout full = layoutOf(trace, all);
        QCOMPARE(full.rows[0].rows, 3000U);
        QCOMPARE(full.rows[1].hidden, 0U); // offers to show fewer

        FoldState folded;
        folded.lanes.insert(cut.rows[0].index);
        const Layout one = layoutOf(trace, folded);
        QCOMPARE(one.rows.size(), std::size_t{1});
        QCOMPARE(one.rows[0].rows, 1U);
        QVERIFY(one.rows[0].folded);
    }

    // One row more than the limit is shown: "1 deeper row" would need as much room.
    void noMoreRowForOne()
    {
        const Layout layout = layoutOf(deepTrace(FoldState::kCpuRows + 1));
        QCOMPARE(countOf(layout, LayoutRow::Kind::More), std::size_t{0});
        QCOMPARE(layout.rows[0].rows, FoldState::kCpuRows + 1);
    }

    void ranksAreGroupsAndFold()
    {
        SampleTrace sample;
        for (int rank = 0; rank < 8; ++rank) {
            sample.add(sample.cpu("1", rank), {1 + rank, 100, "op"});
            sample.add(sample.stream(rank, 7, rank), {50, 100, "kernel", EventKind::Kernel});
        }
        const TracePtr trace = sample.finish();
        const auto groups = laneGroups(*trace, nullptr);
        QCOMPARE(groups.size(), std::size_t{8});
        for (std::size_t i = 0; i < 8; ++i) {
            QCOMPARE(groups[i].rank, std::optional<int>(static_cast<int>(i)));
            QCOMPARE(groups[i].streams.size(), std::size_t{1});
            QCOMPARE(groups[i].threads.size(), std::size_t{1});
        }
        const FoldState folds = initialFolds(groups);
        QCOMPARE(folds.groups.size(), std::size_t{7}); // the first one stays open
        const Layout layout = layoutOf(trace, folds);
        QCOMPARE(countOf(layout, LayoutRow::Kind::Group), std::size_t{8});
        QCOMPARE(countOf(layout, LayoutRow::Kind::Events), std::size_t{2});
        QVERIFY(layout.rowOfLane(groups[0].streams[0]));
        QVERIFY(!layout.rowOfLane(groups[3].streams[0]));
        QCOMPARE(layout.groupOfLane(groups[3].streams[0]), 3);
        QCOMPARE(layout.groupOfLane(LaneId{}), -1);
        QVERIFY(initialFolds({groups[0], groups[1]}).groups.empty());
    }

    void curveMaximaMatchBruteForce()
    {
        std::vector<std::int64_t> time;
        std::vector<double> value;
        for (int i = 0; i < 3000; ++i) {
            time.push_back(i * 10 + i % 3);
            value.push_back(static_cast<double>((i * 7919) % 1009));
        }
        const CurvePyramid curve(time, value);
        for (int from = 0; from < 30000; from += 977) {
            for (const int length : {1, 9, 160, 2560, 25000}) {
                double best = -1;
                for (std::size_t i = 0; i < time.size(); ++i) {
                    const bool holds = time[i] <= from && (i + 1 == time.size() || time[i + 1] > from);
                    if (holds || (time[i] > from && time[i] < from + length))
                        best = std::max(best, value[i]);
                }
                QCOMPARE(curve.maximum(from, from + length), best);
            }
        }
        QVERIFY(std::isnan(curve.maximum(-50, -10)));
        QVERIFY(std::isnan(CurvePyramid().maximum(0, 10)));
    }

    void spanPyramidSums()
    {
        std::vector<Span> spans;
        for (std::uint32_t i = 0; i < 1000; ++i)
            spans.push_back({i * 10, i * 10 + 1 + i % 9, i});
        const SpanPyramid pyramid(spans);
        QCOMPARE(pyramid.levels(), 3U);
        std::int64_t busy = 0;
        for (const Span &span : spans)
            busy += span.end - span.start;
        for (std::uint32_t level = 1; level <= pyramid.levels(); ++level) {
            std::int64_t sum = 0;
            std::uint32_t count = 0;
            for (const auto &node : pyramid.level(level)) {
                sum += node.busyNs;
                count += node.count;
                QCOMPARE(node.dominantNs, std::int64_t{9});
            }
            QCOMPARE(sum, busy);
            QCOMPARE(count, 1000U);
        }
        QCOMPARE(SpanPyramid().levels(), 0U);
    }

    void searchFindsByAnyForm()
    {
        const TracePtr trace = bigTrace(4000);
        Progress progress;
        const auto count = [&](const QString &text) {
            const auto found = Matches::find(*trace, text, progress);
            return found ? static_cast<int>((*found)->byTime().size()) : -1;
        };
        QCOMPARE(count(QStringLiteral("CUDALAUNCH")), 1000); // no case
        QCOMPARE(count(QStringLiteral("no such thing")), 0);
        QVERIFY(count(QStringLiteral("vectorized")) > 200);
        const MatchesPtr found = *Matches::find(*trace, QStringLiteral("aten::"), progress);
        QCOMPARE(found->byTime().size(), std::size_t{2000});
        std::size_t inRows = 0;
        for (std::uint32_t lane = 0; lane < trace->lanes.size(); ++lane) {
            for (std::uint32_t depth = 0; depth < 3; ++depth)
                inRows += found->ofRow(LaneId{lane}, depth).size();
        }
        QCOMPARE(inRows, std::size_t{2000});
        for (std::size_t i = 1; i < found->byTime().size(); ++i)
            QVERIFY(trace->start(found->byTime()[i - 1]) <= trace->start(found->byTime()[i]));
        progress.cancel = true;
        QVERIFY(!Matches::find(*trace, QStringLiteral("aten"), progress));
    }

    void linksFollowLaunches()
    {
        SampleTrace sample;
        const LaneId cpu = sample.cpu("1");
        sample.add(cpu, {{1, 100, "aten::mm"}, {10, 20, "cudaLaunchKernel", EventKind::Runtime, 5}});
        sample.add(sample.stream(0, 7), {200, 50, "gemm", EventKind::Kernel, 5});
        const TracePtr trace = sample.finish();
        const auto named = [&](std::string_view name) {
            for (std::uint32_t e = 0; e < trace->events.size(); ++e) {
                if (trace->name(EventId{e}) == name)
                    return EventId{e};
            }
            return EventId{};
        };
        for (const char *from : {"aten::mm", "cudaLaunchKernel", "gemm"}) {
            const auto links = linksOf(*trace, named(from));
            QCOMPARE(links.size(), std::size_t{1});
            QCOMPARE(links[0].from, named("cudaLaunchKernel"));
            QCOMPARE(links[0].to, named("gemm"));
        }
        QVERIFY(linksOf(*trace, EventId{}).empty());
        QCOMPARE(linksOf(*trace, named("aten::mm"), 0).size(), std::size_t{0});
    }

    void coloursSayWhatItIs()
    {
        SampleTrace sample;
        const LaneId cpu = sample.cpu("1");
        sample.add(cpu,
                   {{1, 10, "cudaStreamSynchronize", EventKind::Runtime},
                    {20, 10, "cudaLaunchKernel", EventKind::Runtime},
                    {40, 10, "aten::add"},
                    {60, 10, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", EventKind::Range}});
        sample.add(sample.stream(0, 7), {30, 10, "ncclDevKernel_AllReduce", EventKind::Kernel});
        const TracePtr trace = sample.finish();
        const EventColours colours(trace);
        std::map<std::string_view, ColourClass> of;
        for (std::uint32_t e = 0; e < trace->events.size(); ++e)
            of[trace->name(EventId{e})] = colours.of(EventId{e});
        QCOMPARE(of["cudaStreamSynchronize"], ColourClass::Blocking);
        QCOMPARE(of["cudaLaunchKernel"], ColourClass::Launch);
        QCOMPARE(of["aten::add"], ColourClass::Forward);
        QCOMPARE(of["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"], ColourClass::Input);
        QCOMPARE(of["ncclDevKernel_AllReduce"], ColourClass::Communication);
    }

    // Labels must be readable on every colour: WCAG asks for 4.5 : 1, 3 : 1 is the least we accept.
    void labelsContrastWithEveryColour()
    {
        const auto linear = [](int c) {
            const double v = c / 255.0;
            return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        };
        const auto luminance = [&](QRgb c) {
            return 0.2126 * linear(qRed(c)) + 0.7152 * linear(qGreen(c)) + 0.0722 * linear(qBlue(c));
        };
        for (const QColor &base : {QColor(Qt::white), QColor(30, 31, 34)}) {
            QPalette palette(base);
            palette.setColor(QPalette::Base, base);
            palette.setColor(QPalette::Text, base.lightness() < 128 ? Qt::white : Qt::black);
            const TimelineTheme theme(palette);
            QCOMPARE(theme.dark, base.lightness() < 128);
            for (std::size_t i = 0; i < kColourClasses; ++i) {
                const double fill = luminance(theme.fill[i]);
                const double ink = luminance(theme.darkText[i] ? qRgb(0x12, 0x12, 0x12) : qRgb(0xFA, 0xFA, 0xFA));
                const double contrast = (std::max(fill, ink) + 0.05) / (std::min(fill, ink) + 0.05);
                QVERIFY2(contrast >= 3.0,
                         qPrintable(colourName(static_cast<ColourClass>(i)) + QString::number(contrast)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTimelineData)
#include "tst_timelinedata.moc"
