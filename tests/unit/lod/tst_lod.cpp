// SPDX-License-Identifier: GPL-3.0-or-later
// The level-of-detail pyramid against brute force.
#include "tests/unit/timeline/sampletrace.h"

#include <QTest>
#include <map>
#include <numeric>

using namespace tuneline::analysis;
using namespace tuneline::test;

class TestLod : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_trace = bigTrace(20000);
        QVERIFY(m_trace);
        m_lod = lodOf(*m_trace);
        QVERIFY(m_lod);
    }

    void rowsHoldEachEventOnce()
    {
        std::size_t total = 0;
        for (std::uint32_t lane = 0; lane < m_trace->lanes.size(); ++lane) {
            const auto rows = m_lod->rows(LaneId{lane});
            for (std::uint32_t depth = 0; depth < rows.size(); ++depth) {
                const auto events = m_lod->events(rows[depth]);
                total += events.size();
                for (std::size_t i = 0; i < events.size(); ++i) {
                    QCOMPARE(m_trace->events.lane[events[i].value], LaneId{lane});
                    QCOMPARE(std::uint32_t{m_trace->events.depth[events[i].value]}, depth);
                    if (i > 0)
                        QVERIFY(m_trace->start(events[i - 1]) <= m_trace->start(events[i]));
                }
            }
        }
        QCOMPARE(total, m_trace->events.size());
    }

    void nodesMatchBruteForce()
    {
        std::size_t checked = 0;
        for (std::uint32_t lane = 0; lane < m_trace->lanes.size(); ++lane) {
            for (const LodRow &row : m_lod->rows(LaneId{lane})) {
                std::size_t span = 1;
                for (std::uint32_t level = 1; level <= row.levels; ++level) {
                    span *= Lod::kFanOut;
                    const auto nodes = m_lod->level(row, level);
                    QCOMPARE(nodes.size(), (row.count + span - 1) / span);
                    checked += checkLevel(row, level, span) ? nodes.size() : 0;
                }
                if (row.count > 1)
                    QCOMPARE(m_lod->level(row, row.levels).size(), std::size_t{1});
            }
        }
        QVERIFY2(checked > 1000, "the sample must have enough nodes to mean something");
    }

    void overlapsCountOnceInBusyTime()
    {
        SampleTrace sample;
        const LaneId lane = sample.cpu("1");
        for (int i = 0; i < 40; ++i)
            sample.add(lane, {1 + i * 10, 10});
        const TracePtr trace = sample.finish();
        const LodPtr lod = lodOf(*trace);
        const LodRow &row = lod->rows(lane).front();
        QCOMPARE(lod->level(row, row.levels).front().busyNs, std::int64_t{400});
        QCOMPARE(lod->level(row, row.levels).front().count, 40U);
    }

    void dominantIsTheNameWithMostTime()
    {
        SampleTrace sample;
        const LaneId lane = sample.cpu("1");
        std::int64_t at = 1;
        for (int i = 0; i < 10; ++i, at += 10)
            sample.add(lane, {at, 10, "often"}); // 100 ns in all, though each is short
        sample.add(lane, {at, 60, "long"});
        const TracePtr trace = sample.finish();
        const LodPtr lod = lodOf(*trace);
        const LodNode &node = lod->level(lod->rows(lane).front(), 1).front();
        QCOMPARE(trace->name(node.dominant), std::string_view("often"));
        QCOMPARE(node.dominantNs, std::int64_t{100});
    }

    void emptyTraceAndCancel()
    {
        const Trace empty;
        const LodPtr lod = lodOf(empty);
        QVERIFY(lod);
        QVERIFY(lod->rows(LaneId{0U}).empty());
        Progress progress;
        progress.cancel = true;
        const auto cancelled = Lod::build(*m_trace, progress);
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().code, Error::Code::Cancelled);
    }

    void sizeIsAFewBytesAnEvent() { QVERIFY(m_lod->bytes() < m_trace->events.size() * 9); }

private:
    // Compares each node with its events; on level 1 the dominant name too, which is exact there.
    bool checkLevel(const LodRow &row, std::uint32_t level, std::size_t span) const
    {
        const auto nodes = m_lod->level(row, level);
        const auto events = m_lod->events(row);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            const auto own = events.subspan(n * span, std::min(span, events.size() - n * span));
            std::int64_t busy = 0, end = 0;
            std::map<std::string_view, std::int64_t> byName;
            for (const EventId e : own) {
                busy += m_trace->duration(e);
                end = std::max(end, m_trace->end(e));
                byName[m_trace->name(e)] += m_trace->duration(e);
            }
            const auto most = std::ranges::max_element(byName, {}, [](const auto &p) { return p.second; });
            const LodNode &node = nodes[n];
            const bool same = node.count == own.size() && node.busyNs == busy && node.end == end
                && node.start == m_trace->start(own.front()) && node.dominantNs <= most->second
                && (level > 1 || node.dominantNs == most->second);
            if (!same)
                QTest::qFail(qPrintable(QStringLiteral("level %1, node %2").arg(level).arg(n)), __FILE__, __LINE__);
        }
        return true;
    }

    TracePtr m_trace;
    LodPtr m_lod;
};

QTEST_GUILESS_MAIN(TestLod)
#include "tst_lod.moc"
