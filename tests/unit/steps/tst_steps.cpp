// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that are marked: boundaries, the side that limits, grouping, what counts for the headline.
#include "tests/unit/metrics/tracemaker.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = TraceMaker::kUs;

} // namespace

class TestSteps : public QObject
{
    Q_OBJECT

private slots:
    void hostBoundariesWhenTheHostWaits()
    {
        TraceMaker m;
        for (int i = 0; i < 4; ++i) {
            const auto c = static_cast<std::uint64_t>(i + 1);
            m.step(i, 1000 * i, 1000);
            m.call("cudaLaunchKernel", 1000 * i + 10, 5, c);
            m.kernel("k", 1000 * i + 20, 995, c); // ends 15 µs late: within 2 %
        }
        const auto set = m.analysis()->stepSet();
        QVERIFY(!set.hostRunsAhead);
        QCOMPARE(set.list[1].start, 1000 * kUs);
        QCOMPARE(set.medianNs.value(), 1000 * kUs);
        QCOMPARE(set.steadyCount(), std::size_t{4});
    }

    void deviceBoundariesWhenTheHostRunsAhead()
    {
        TraceMaker m;
        for (int i = 0; i < 4; ++i) {
            const auto c = static_cast<std::uint64_t>(2 * i + 1);
            m.step(i, 100 * i, 100);
            m.call("cudaLaunchKernel", 100 * i + 10, 5, c);
            m.call("cudaLaunchKernel", 100 * i + 20, 5, c + 1);
            m.kernel("a", 1000 * i + 50, 300, c);
            m.kernel("b", 1000 * i + 350, 600, c + 1);
        }
        const auto a = m.analysis();
        const StepSet &set = a->stepSet();
        QVERIFY(set.hostRunsAhead);
        QCOMPARE(set.list[0].start, 50 * kUs);
        QCOMPARE(set.list[1].timeNs(), 1000 * kUs);
        QCOMPARE(set.list[3].timeNs(), 900 * kUs); // the last ends with its last record
        QCOMPARE(set.list[3].records, 2U);
        QCOMPARE(set.bound, StepBound::Device);
    }

    void recordsBelongToTheStepThatLaunchedThem()
    {
        TraceMaker m;
        m.step(0, 0, 100);
        m.step(1, 100, 100);
        m.call("cudaLaunchKernel", 90, 5, 1);
        m.kernel("a", 120, 10, 1);
        m.call("cudaLaunchKernel", 130, 5, 2);
        m.kernel("b", 140, 50, 2);
        m.kernel("before the window", 10, 5, 99); // an orphan: starts first and nobody launched it
        const auto a = m.analysis();
        QCOMPARE(a->stepSet().list[0].records, 1U);
        QCOMPARE(a->stepSet().list[1].records, 1U);
        QCOMPARE(a->links.counts.orphans, 1U);
        QCOMPARE(a->device()->busyNs, 60 * kUs);
    }

    void markersOfOneUpdateAreOneStep()
    {
        TraceMaker m;
        for (int i = 0; i < 10; ++i) {
            m.step(i, 50 * i, 50);
            m.op("aten::linear", 50 * i + 2, 20);
            if (i % 4 == 3)
                m.range("Optimizer.step#AdamW.step", 50 * i + 30, 15);
        }
        const auto set = m.analysis()->stepSet();
        QCOMPARE(set.list.size(), std::size_t{3});
        QCOMPARE(set.microPerStep, 4U);
        QCOMPARE(set.medianNs.value(), 200 * kUs);
        QVERIFY(set.list[2].has(StepFlag::kPartial));
    }

    void theFirstStepIsWarmUp()
    {
        TraceMaker m;
        double t = 0;
        for (const double length : {900.0, 100.0, 104.0, 98.0, 101.0}) {
            m.step(1, t, length);
            t += length;
        }
        const auto set = m.analysis()->stepSet();
        QVERIFY(set.list[0].has(StepFlag::kWarmUp));
        QCOMPARE(set.steadyCount(), std::size_t{4});
        QCOMPARE(set.medianNs.value(), 100'500);
    }

    void aLoneLongStepIsAnOutlier()
    {
        TraceMaker m;
        double t = 0;
        for (const double length : {100.0, 101.0, 99.0, 400.0, 100.0, 102.0}) {
            m.step(1, t, length);
            t += length;
        }
        const auto set = m.analysis()->stepSet();
        QVERIFY(set.list[3].has(StepFlag::kOutlier));
        QVERIFY(set.recurring.empty());
    }

    void checkpointsAreAStallNotOutliers()
    {
        TraceMaker m;
        double t = 0;
        for (int i = 0; i < 9; ++i) {
            const bool saves = i % 3 == 2;
            m.step(i, t, saves ? 400 : 100);
            if (saves)
                m.range("save_checkpoint", t + 95, 300);
            t += saves ? 400 : 100;
        }
        const auto set = m.analysis()->stepSet();
        QCOMPARE(set.medianNs.value(), 100 * kUs);
        QCOMPARE(set.recurring.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(set.recurring[0].what), QString("checkpoint"));
        QCOMPARE(set.recurring[0].nsPerStep, 100 * kUs); // 3 × 300 over 9 steps
        for (const Step &s : set.list)
            QVERIFY(!s.has(StepFlag::kOutlier));
    }

    void marksOfTheAgentWin()
    {
        TraceMaker m;
        for (int i = 0; i < 4; ++i) {
            m.host(EventKind::Range, "TunelineStep#" + std::to_string(i), 100 * i, 100);
            m.range("step", 100 * i + 10, 20);
            m.range("step", 100 * i + 50, 20);
        }
        const auto set = m.analysis()->stepSet();
        QCOMPARE(set.list.size(), std::size_t{4});
        QCOMPARE(set.list[3].number, 3);
    }

    void optimizerScopesEndSteps()
    {
        TraceMaker m;
        for (int i = 0; i < 4; ++i) {
            const double t = 1000 * i;
            m.op("aten::conv2d", t + 100, 500);
            m.range("Optimizer.step#SGD.step", t + 700, 100);
            m.op("aten::item", t + 810, 150); // loss.item(): still this step
        }
        const auto set = m.analysis()->stepSet();
        QCOMPARE(set.from, StepSource::Optimizer);
        QCOMPARE(set.list.size(), std::size_t{4});
        QCOMPARE(set.list[1].start, 860 * kUs); // the trace begins with the first operator, at 100
        QCOMPARE(set.list[1].end, 1860 * kUs);
    }

    void theUserChooses()
    {
        TraceMaker m;
        for (int i = 0; i < 5; ++i)
            m.op("aten::embedding", 100 * i, 10);
        m.step(0, 0, 500);
        const TracePtr trace = m.trace();
        AnalysisOptions options;
        options.steps.startsWith = trace->strings.find("aten::embedding");
        Progress progress;
        const auto a = analyse(trace, options, progress).value();
        QCOMPARE(a->stepSet().list.size(), std::size_t{5});
        QCOMPARE(a->stepSet().from, StepSource::User);
    }

    void cancelled()
    {
        TraceMaker m;
        m.step(0, 0, 500);
        Progress progress;
        const TracePtr trace = m.trace();
        progress.cancel = true;
        const auto result = analyse(trace, {}, progress);
        QVERIFY(!result);
        QCOMPARE(result.error().code, Error::Code::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestSteps)
#include "tst_steps.moc"
