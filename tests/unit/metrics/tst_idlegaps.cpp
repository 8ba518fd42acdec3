// SPDX-License-Identifier: GPL-3.0-or-later
// Idle causes by DESIGN section 4. Every test also holds the sum: the causes add up to idle exactly.
#include "tests/unit/metrics/tracemaker.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = TraceMaker::kUs;

std::int64_t cause(const DeviceMetrics &d, IdleCause c)
{
    return d.idle.of(c) / kUs;
}

void verifySums(const DeviceMetrics &d)
{
    QCOMPARE(d.idle.total(), d.idleNs);
    QCOMPARE(d.busyNs + d.idleNs, d.window.length());
    for (const IdleGap &gap : d.gaps) {
        std::int64_t at = gap.start;
        for (std::uint32_t i = gap.firstPiece; i < gap.firstPiece + gap.pieces; ++i) {
            QCOMPARE(d.pieces[i].start, at);
            at = d.pieces[i].end;
        }
        QCOMPARE(at, gap.end);
    }
}

// A kernel 0…100 and one that starts at 200, launched by a call at 180…190: what the thread does in 100…180 is the
// test's.
TraceMaker gapMaker()
{
    TraceMaker m;
    m.step(1, 0, 300);
    m.call("cudaLaunchKernel", 0, 5, 1);
    m.kernel("a", 5, 95, 1);
    m.call("cudaLaunchKernel", 180, 10, 2);
    m.kernel("b", 200, 100, 2);
    return m;
}

} // namespace

class TestIdleGaps : public QObject
{
    Q_OBJECT

private slots:
    void launchedInTimeIsDeviceWait()
    {
        TraceMaker m;
        m.step(1, 0, 300);
        m.call("cudaLaunchKernel", 0, 5, 1);
        m.call("cudaLaunchKernel", 6, 5, 2);
        m.kernel("a", 5, 95, 1);
        m.kernel("b", 200, 100, 2, 8);
        const auto a = m.analysis();
        verifySums(*a->device());
        QCOMPARE(cause(*a->device(), IdleCause::DeviceWait), 100);
        QCOMPARE(cause(*a->device(), IdleCause::LaunchCalls), 5); // 0…5, before the first kernel
    }

    void operatorsLaunchAndHostCode()
    {
        TraceMaker m = gapMaker();
        m.op("aten::mm", 110, 40); // 100…110 and 150…180: host code
        const auto a = m.analysis();
        const DeviceMetrics &d = *a->device();
        verifySums(d);
        QCOMPARE(cause(d, IdleCause::HostOperators), 40);
        QCOMPARE(cause(d, IdleCause::HostCode), 40);
        QCOMPARE(cause(d, IdleCause::LaunchCalls), 10 + 5);
        QCOMPARE(cause(d, IdleCause::DeviceWait), 10);
    }

    void precedenceFirstMatchWins()
    {
        TraceMaker m = gapMaker();
        m.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, 20);
        m.op("aten::stack", 105, 5); // inside the data scope: still input
        m.range("save_checkpoint", 120, 20);
        m.call("cudaStreamSynchronize", 125, 5); // inside the checkpoint: still checkpoint
        m.host(EventKind::Compile, "nvrtc", 140, 10);
        m.op("aten::empty", 150, 20);
        m.call("cudaMalloc", 152, 8);
        m.call("cudaDeviceSynchronize", 160, 6);
        const auto a = m.analysis();
        const DeviceMetrics &d = *a->device();
        verifySums(d);
        QCOMPARE(cause(d, IdleCause::InputWait), 20);
        QCOMPARE(cause(d, IdleCause::Checkpoint), 20);
        QCOMPARE(cause(d, IdleCause::Compilation), 10);
        QCOMPARE(cause(d, IdleCause::Allocation), 8);
        QCOMPARE(cause(d, IdleCause::Synchronisation), 6);
        QCOMPARE(cause(d, IdleCause::HostOperators), 6);
        QCOMPARE(cause(d, IdleCause::HostCode), 10);
    }

    void backwardThreadWaitsForTheTrainingThread()
    {
        TraceMaker m;
        m.step(1, 0, 300);
        m.call("cudaLaunchKernel", 0, 5, 1);
        m.kernel("a", 5, 95, 1);
        m.op("aten::loss", 100, 60); // the training thread, while the backward thread has nothing to do
        m.op("AddBackward0", 170, 30, "2");
        m.call("cudaLaunchKernel", 180, 10, 2, "2");
        m.kernel("b", 200, 100, 2);
        const auto a = m.analysis();
        const DeviceMetrics &d = *a->device();
        verifySums(d);
        QCOMPARE(cause(d, IdleCause::HostOperators), 60 + 10);
        QCOMPARE(cause(d, IdleCause::HostCode), 10);
        QCOMPARE(cause(d, IdleCause::Unknown), 0);
    }

    void blockingCopyIsASynchronisation()
    {
        TraceMaker m = gapMaker();
        m.call("cudaMemcpyAsync", 90, 40, 3); // returns at 130, its copy ended at 110
        m.copy(CopyKind::DeviceToHost, MemoryKind::Pageable, 4, 100, 10, 3);
        const auto a = m.analysis();
        const DeviceMetrics &d = *a->device();
        verifySums(d);
        QCOMPARE(cause(d, IdleCause::Synchronisation), 20);
        QVERIFY(d.gaps[1].insideBlocking.valid());
        QCOMPARE(a->syncs.callsPerStep, 1.0);
    }

    void graphWithoutKernelsIsNotMeasurable()
    {
        TraceMaker m = gapMaker();
        m.call("cudaGraphLaunch", 120, 10, 77);
        const auto a = m.analysis();
        const DeviceMetrics &d = *a->device();
        verifySums(d);
        QCOMPARE(cause(d, IdleCause::NotMeasurable), 100);
        QVERIFY(!d.reliable);
        QVERIFY(!a->steps.front().reliable);
    }

    void unlinkedIsUnknown()
    {
        TraceMaker m;
        m.step(1, 0, 300);
        m.kernel("a", 0, 100);
        m.kernel("b", 200, 100);
        const auto a = m.analysis();
        verifySums(*a->device());
        QCOMPARE(cause(*a->device(), IdleCause::Unknown), 100);
    }

    void replayMovesTheRefillToSynchronisation()
    {
        TraceMaker m = gapMaker();
        m.op("aten::mm", 110, 40);
        AnalysisOptions options;
        options.replay = [](const Analysis &before) {
            ReplayAnswers answers;
            answers.vanishingNs.assign(before.device()->gaps.size(), 0);
            answers.vanishingNs[1] = 30 * kUs;
            answers.trueSyncCostNsPerStep = 30 * kUs;
            return answers;
        };
        const auto a = m.analysis(options);
        verifySums(*a->device());
        QCOMPARE(cause(*a->device(), IdleCause::Synchronisation), 30);
        QCOMPARE(a->breakdown.idle.of(IdleCause::Synchronisation), 30 * kUs);
        QCOMPARE(a->syncs.trueCostNsPerStep.value(), 30 * kUs);
        QCOMPARE(a->breakdown.total(), a->stepSet().medianNs.value());
    }
};

QTEST_GUILESS_MAIN(TestIdleGaps)
#include "tst_idlegaps.moc"
