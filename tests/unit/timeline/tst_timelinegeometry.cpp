// SPDX-License-Identifier: GPL-3.0-or-later
// Time to pixels and back, rectangles of a row, ruler, raster.
#include "tests/unit/timeline/sampletrace.h"
#include "ui/timeline/raster.h"
#include "ui/timeline/rowgeometry.h"
#include "ui/timeline/ruler.h"

#include <QTest>

using namespace tuneline::analysis;
using namespace tuneline::test;
using namespace tuneline::ui;

namespace {

std::vector<RowRect> rectsOf(const Trace &trace, const Lod &lod, const LodRow &row, TimeRange range, double width)
{
    std::vector<RowRect> rects;
    collectRow(trace, lod, row, {range, width}, rects);
    return rects;
}

std::uint64_t eventsIn(const std::vector<RowRect> &rects)
{
    std::uint64_t count = 0;
    for (const RowRect &rect : rects)
        count += rect.count;
    return count;
}

} // namespace

class TestTimelineGeometry : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        SampleTrace sample;
        m_lane = sample.cpu("1");
        // 0…100 | gap | 300…400 with a child | 400…500 touching
        sample.add(m_lane, {{1, 99, "first"}, {300, 100, "second"}, {320, 40, "child"}, {400, 100, "third"}});
        m_trace = sample.finish();
        m_lod = lodOf(*m_trace);
        QCOMPARE(m_lod->rows(m_lane).size(), std::size_t{2});
    }

    void degenerateAxis()
    {
        for (const TimeAxis &axis :
             {TimeAxis{{5, 5}, 100}, TimeAxis{{9, 5}, 100}, TimeAxis{{0, 10}, 0}, TimeAxis{{0, 10}, -3}}) {
            QVERIFY(axis.degenerate());
            QCOMPARE(axis.x(7), 0.0);
            QCOMPARE(axis.timeAt(50), axis.range.from);
            std::vector<RowRect> rects;
            collectRow(*m_trace, *m_lod, m_lod->rows(m_lane).front(), axis, rects);
            QVERIFY(rects.empty());
            QVERIFY(!eventAt(*m_trace, *m_lod, m_lod->rows(m_lane).front(), axis, 10).valid());
        }
    }

    void roundTrip_data()
    {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("length");
        QTest::newRow("20 ns") << qint64{0} << qint64{20};
        QTest::newRow("1 ms, an hour in") << qint64{3'600'000'000'000} << qint64{1'000'000};
        QTest::newRow("ten minutes") << qint64{-5} << qint64{600'000'000'000};
        QTest::newRow("a day") << qint64{17} << qint64{86'400'000'000'000};
    }
    void roundTrip()
    {
        QFETCH(qint64, from);
        QFETCH(qint64, length);
        const TimeAxis axis{{from, from + length}, 1733};
        for (qint64 i = 0; i <= 1000; ++i) {
            const std::int64_t time = from + length / 1000 * i + i % 7;
            QVERIFY(std::abs(axis.timeAt(axis.x(time)) - time) <= 1);
        }
    }

    void eventsBecomeRectangles()
    {
        // Zero is the first event: 1 → 0.
        const auto rects = rectsOf(*m_trace, *m_lod, m_lod->rows(m_lane)[0], {0, 499}, 499);
        QCOMPARE(rects.size(), std::size_t{3});
        QCOMPARE(rects[0].left, 0);
        QCOMPARE(rects[0].right, 99);
        QCOMPARE(rects[1].left, 299);
        QCOMPARE(rects[1].right, 399);
        QCOMPARE(rects[2].left, 399); // touches its neighbour: no pixel between, none twice
        QCOMPARE(m_trace->name(EventId{rects[2].item}), std::string_view("third"));
        const auto children = rectsOf(*m_trace, *m_lod, m_lod->rows(m_lane)[1], {0, 499}, 499);
        QCOMPARE(children.size(), std::size_t{1});
        QCOMPARE(children[0].right - children[0].left, 40);
    }

    void outsideIsNotCollected()
    {
        const LodRow &row = m_lod->rows(m_lane)[0];
        QVERIFY(rectsOf(*m_trace, *m_lod, row, {99, 299}, 100).empty()); // exactly the gap
        QVERIFY(rectsOf(*m_trace, *m_lod, row, {600, 700}, 100).empty());
        QVERIFY(rectsOf(*m_trace, *m_lod, row, {-100, 0}, 100).empty());
        const auto inside = rectsOf(*m_trace, *m_lod, row, {310, 320}, 100); // within one event
        QCOMPARE(inside.size(), std::size_t{1});
        QVERIFY(inside[0].left <= 0 && inside[0].right >= 100);
    }

    void gapsStay_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {2000, 500, 333, 125, 64})
            QTest::newRow(qPrintable(QString::number(width))) << width;
    }
    // 50 events of 70 ns, 30 ns apart: a gap of two pixels or more is never painted over.
    void gapsStay()
    {
        QFETCH(int, width);
        SampleTrace sample;
        const LaneId lane = sample.cpu("1");
        for (int i = 0; i < 50; ++i)
            sample.add(lane, {1 + i * 100, 70});
        const TracePtr trace = sample.finish();
        const LodPtr lod = lodOf(*trace);
        const auto rects = rectsOf(*trace, *lod, lod->rows(lane).front(), {0, 5000}, width);
        QCOMPARE(eventsIn(rects), std::uint64_t{50});
        const double gap = 30.0 * width / 5000;
        for (std::size_t i = 1; i < rects.size(); ++i) {
            QVERIFY(rects[i].left >= rects[i - 1].right - 1);
            if (gap >= 2)
                QVERIFY(rects[i].left - rects[i - 1].right >= 1);
        }
    }

    void narrowEventsShareAPixelColumn()
    {
        const TracePtr trace = bigTrace(200000);
        const LodPtr lod = lodOf(*trace);
        constexpr int kWidth = 800;
        for (std::uint32_t lane = 0; lane < trace->lanes.size(); ++lane) {
            for (const LodRow &row : lod->rows(LaneId{lane})) {
                const auto rects = rectsOf(*trace, *lod, row, {trace->spanBegin, trace->spanEnd}, kWidth);
                QCOMPARE(eventsIn(rects), std::uint64_t{row.count}); // nothing left out
                QVERIFY(rects.size() <= kWidth + 2);
                for (std::size_t i = 1; i < rects.size(); ++i)
                    QVERIFY(rects[i].left >= rects[i - 1].left);
            }
        }
    }

    // Half busy, half idle, far below a pixel: the column says so.
    void coverageIsTheShareOfBusyTime()
    {
        SampleTrace sample;
        const LaneId lane = sample.cpu("1");
        for (int i = 0; i < 100000; ++i)
            sample.add(lane, {1 + i * 10, 5});
        const TracePtr trace = sample.finish();
        const LodPtr lod = lodOf(*trace);
        const auto rects = rectsOf(*trace, *lod, lod->rows(lane).front(), {0, 1000000}, 100);
        QVERIFY(rects.size() >= 100);
        for (std::size_t i = 1; i + 1 < rects.size(); ++i)
            QVERIFY2(std::abs(rects[i].coverage - 128) <= 8, qPrintable(QString::number(rects[i].coverage)));
    }

    void overlapsGetRowsOfTheirOwn()
    {
        SampleTrace sample;
        const LaneId lane = sample.stream(0, 7);
        sample.add(
            lane,
            {{1, 100, "a", EventKind::Kernel}, {50, 100, "b", EventKind::Kernel}, {120, 50, "c", EventKind::Kernel}});
        const TracePtr trace = sample.finish();
        const LodPtr lod = lodOf(*trace);
        QCOMPARE(lod->rows(lane).size(), std::size_t{2});
        std::uint64_t shown = 0;
        for (const LodRow &row : lod->rows(lane)) {
            const auto rects = rectsOf(*trace, *lod, row, {0, 200}, 200);
            shown += eventsIn(rects);
            for (std::size_t i = 1; i < rects.size(); ++i)
                QVERIFY(rects[i].left >= rects[i - 1].right);
        }
        QCOMPARE(shown, std::uint64_t{3});
    }

    void hitTesting()
    {
        const LodRow &row = m_lod->rows(m_lane)[0];
        const TimeAxis axis{{0, 499}, 499};
        const auto nameAt = [&](double x) {
            const EventId e = eventAt(*m_trace, *m_lod, row, axis, x);
            return e.valid() ? std::string(m_trace->name(e)) : std::string("none");
        };
        QCOMPARE(nameAt(50), std::string("first"));
        QCOMPARE(nameAt(101), std::string("first")); // 2 px beside it
        QCOMPARE(nameAt(200), std::string("none"));
        QCOMPARE(nameAt(297), std::string("second"));
        QCOMPARE(nameAt(398.4), std::string("second"));
        QCOMPARE(nameAt(399.6), std::string("third"));
        QCOMPARE(nameAt(10000), std::string("none"));
    }

    void spansCollectLikeEvents()
    {
        const SpanPyramid spans({{0, 10, 1}, {10, 50, 2}, {80, 100, 3}});
        std::vector<RowRect> rects;
        collectSpans(spans, {{0, 100}, 200}, rects);
        QCOMPARE(rects.size(), std::size_t{3});
        QCOMPARE(rects[1].right, 100);
        QCOMPARE(spanAt(spans, {{0, 100}, 200}, 60), 1);
        QCOMPARE(spanAt(spans, {{0, 100}, 200}, 130), -1);
        rects.clear();
        collectSpans(spans, {{0, 100000}, 10}, rects); // all in one pixel
        QCOMPARE(rects.size(), std::size_t{1});
        QCOMPARE(rects[0].item, 1U); // the longest lends the colour
        QCOMPARE(rects[0].count, 3U);
    }

    void rulerSteps_data()
    {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::addColumn<QString>("label"); // of the first tick
        QTest::addColumn<QString>("base");
        const QString nbsp(QChar(0x00A0));
        QTest::newRow("start") << qint64{0} << qint64{1000} << "0" + nbsp + "ns"
                               << "";
        QTest::newRow("ms") << qint64{1'000'000} << qint64{11'000'000} << "1" + nbsp + "ms"
                            << "";
        QTest::newRow("far and close") << qint64{3'000'000'123} << qint64{3'000'001'123}
                                       << "+0.2" + nbsp + QString::fromUtf8("µs") << "3.0000000" + nbsp + "s +";
    }
    void rulerSteps()
    {
        QFETCH(qint64, from);
        QFETCH(qint64, to);
        const TimeAxis axis{{from, to}, 1000};
        const RulerScale scale = rulerScale(axis, 90);
        QVERIFY(static_cast<double>(scale.step) / axis.nsPerPixel() >= 90);
        QVERIFY(static_cast<double>(scale.step) / axis.nsPerPixel() <= 90 * 2.5);
        const auto ticks = rulerTicks(axis.range, scale.step);
        QVERIFY(!ticks.empty());
        for (const std::int64_t t : ticks)
            QVERIFY(t >= from && t < to && t % scale.step == 0);
        QTEST(tickText(scale, ticks.front()), "label");
        QTEST(baseText(scale), "base");
    }

    void rulerTicksAreBounded() { QVERIFY(rulerTicks({0, 1'000'000'000}, 1).size() <= 4000); }

    void rasterClips()
    {
        QImage image(10, 10, QImage::Format_RGB32);
        Raster raster(image);
        raster.clear(qRgb(1, 2, 3));
        raster.fill(-5, -5, 3, 2, qRgb(255, 0, 0));
        raster.fill(8, 8, 100, 100, qRgb(0, 255, 0));
        raster.fill(5, 5, 5, 9, qRgb(0, 0, 255)); // empty
        raster.clipRows(4, 6);
        raster.fill(0, 0, 10, 10, qRgb(9, 9, 9));
        QCOMPARE(image.pixel(0, 0), qRgb(255, 0, 0));
        QCOMPARE(image.pixel(3, 0), qRgb(1, 2, 3));
        QCOMPARE(image.pixel(9, 9), qRgb(0, 255, 0));
        QCOMPARE(image.pixel(5, 7), qRgb(1, 2, 3));
        QCOMPARE(image.pixel(5, 5), qRgb(9, 9, 9));
        QCOMPARE(image.pixel(5, 6), qRgb(1, 2, 3));
    }

private:
    TracePtr m_trace;
    LodPtr m_lod;
    LaneId m_lane;
};

QTEST_GUILESS_MAIN(TestTimelineGeometry)
#include "tst_timelinegeometry.moc"
