// SPDX-License-Identifier: GPL-3.0-or-later
// Device figures, tables, memory, ranks.
#include "tests/unit/metrics/tracemaker.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = TraceMaker::kUs;

const NameRow *row(const Trace &trace, const std::vector<NameRow> &rows, std::string_view name)
{
    for (const NameRow &r : rows) {
        if (trace.strings.view(r.name) == name)
            return &r;
    }
    return nullptr;
}

} // namespace

class TestDevices : public QObject
{
    Q_OBJECT

private slots:
    void busyIsAUnionOverStreams()
    {
        TraceMaker m;
        m.step(1, 0, 200);
        m.kernel("a", 0, 100, 0, 7);
        m.kernel("b", 0, 100, 0, 8);
        m.kernel("c", 50, 100, 0, 9);
        const auto a = m.analysis();
        const DeviceMetrics &d = *a->device();
        QCOMPARE(d.busyNs, 150 * kUs);
        QCOMPARE(d.kernelSumNs, 300 * kUs);
        QCOMPARE(d.util.value(), 0.75);
    }

    void exposedIsWhatComputeDoesNotHide()
    {
        TraceMaker m;
        m.kernel("gemm", 0, 100);
        m.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 60, 80, 0, 20);
        m.copy(CopyKind::HostToDevice, MemoryKind::Pinned, 1 << 20, 90, 60, 0, 21);
        const auto a = m.analysis();
        const DeviceMetrics &d = a->devices.front();
        QCOMPARE(d.computeNs, 100 * kUs);
        QCOMPARE(d.commNs, 80 * kUs);
        QCOMPARE(d.exposedCommNs, 40 * kUs);
        QCOMPARE(d.copyNs, 60 * kUs);
        QCOMPARE(d.exposedCopyNs, 50 * kUs);
        QCOMPARE(d.busyNs, 150 * kUs);
    }

    void breakdownOfAStepAddsUp()
    {
        TraceMaker m;
        for (int i = 0; i < 3; ++i) {
            const double t = 1000 * i;
            m.step(i, t, 1000);
            m.call("cudaLaunchKernel", t + 10, 5, static_cast<std::uint64_t>(3 * i + 1));
            m.kernel("gemm", t + 20, 400, static_cast<std::uint64_t>(3 * i + 1));
            m.call("cudaLaunchKernel", t + 30, 5, static_cast<std::uint64_t>(3 * i + 2));
            m.kernel("ncclDevKernel_AllReduce", t + 300, 301, static_cast<std::uint64_t>(3 * i + 2), 20);
            m.call("cudaMemcpyAsync", t + 40, 5, static_cast<std::uint64_t>(3 * i + 3));
            m.copy(CopyKind::HostToDevice, MemoryKind::Pinned, 100, t + 500, 202, static_cast<std::uint64_t>(3 * i + 3),
                   21);
        }
        const auto a = m.analysis();
        QVERIFY(!a->stepSet().hostRunsAhead);
        QCOMPARE(a->stepSet().medianNs.value(), 1000 * kUs);
        QCOMPARE(a->breakdown.total(), 1000 * kUs);
        QCOMPARE(a->breakdown.computeNs, 400 * kUs);
        QCOMPARE(a->breakdown.exposedCopyNs, 202 * kUs); // copies first, then what is left of communication
        QCOMPARE(a->breakdown.exposedCommNs, 80 * kUs);
    }

    void tensorCoreShare()
    {
        TraceMaker m;
        m.kernel("nvjet_tst_192x192_64x3_2x1_v_bz_coopB_NTN", 0, 30);
        m.kernel("volta_sgemm_128x64_nn", 30, 90);
        QCOMPARE(m.analysis()->devices.front().tensorCoreShare.value(), 0.25);
    }

    void deviceTimeOfNestedOperatorsCountsOnce()
    {
        TraceMaker m;
        m.op("aten::conv2d", 0, 100);
        m.op("aten::convolution", 3, 95);
        m.op("aten::conv2d", 5, 90); // recursion: its time is inside the outer one
        m.call("cudaLaunchKernel", 20, 5, 9);
        m.kernel("implicit_gemm", 40, 50, 9);
        const auto a = m.analysis();
        const NameRow *conv2d = row(*a->trace, a->tables.ops, "aten::conv2d");
        const NameRow *convolution = row(*a->trace, a->tables.ops, "aten::convolution");
        QVERIFY(conv2d && convolution);
        QCOMPARE(conv2d->calls, 2U);
        QCOMPARE(conv2d->totalNs, 100 * kUs);
        QCOMPARE(conv2d->selfNs, (5 + 85) * kUs);
        QCOMPARE(conv2d->deviceTotalNs, 50 * kUs);
        QCOMPARE(conv2d->deviceSelfNs, 50 * kUs);
        QCOMPARE(convolution->deviceTotalNs, 50 * kUs);
        QCOMPARE(convolution->deviceSelfNs, 0);
        QCOMPARE(convolution->selfNs, 5 * kUs);
    }

    void memoryCurveStartsWithWhatIsFreedLater()
    {
        TraceMaker m;
        m.op("aten::empty", 0, 100);
        MemoryTrack &track = m.builder().memory(SourceId{0U}, 0);
        const std::pair<std::int64_t, std::uint64_t> events[]{{-100, 1}, {50, 2}, {-50, 2}, {70, 3}};
        std::int64_t time = 10 * kUs;
        for (const auto &[bytes, address] : events) {
            track.time.push_back(time += kUs);
            track.bytes.push_back(bytes);
            track.address.push_back(address);
            track.allocated.push_back(kUnknown);
            track.reserved.push_back(kUnknown);
        }
        const auto a = m.analysis();
        QCOMPARE(a->memory.size(), std::size_t{1});
        const MemoryCurve &c = a->memory.front();
        QCOMPARE(c.startBytes, 100);
        QCOMPARE(c.unmatchedFrees, 1U);
        QCOMPARE(c.peakBytes, 100);
        QCOMPARE(c.endBytes, 70);
        QCOMPARE(c.allocated, (std::vector<std::int64_t>{0, 50, 0, 70}));
    }

    // Rank 1 computes longer, so rank 0 waits for it; rank 1's clock is 5 ms off, which must not matter.
    void stragglerArrivesLastWhateverItsClockSays()
    {
        TraceMaker m;
        m.nextRank(0);
        for (int i = 0; i < 3; ++i) {
            m.kernel("gemm", 1000 * i, 100);
            m.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000 * i + 100, 300, 0, 20);
        }
        m.nextRank(1);
        for (int i = 0; i < 3; ++i) {
            m.kernel("gemm", 5000 + 1000 * i, 300);
            m.kernel("ncclDevKernel_AllReduce_Sum_f32_TREE_LL", 5000 + 1000 * i + 300, 100, 0, 20);
        }
        const auto a = m.analysis();
        QCOMPARE(a->ranks.collectives.size(), std::size_t{3});
        QCOMPARE(a->ranks.straggler.value(), 1);
        QCOMPARE(a->ranks.ranks[0].commWaitNs, 600 * kUs);
        QCOMPARE(a->ranks.ranks[0].commTransferNs, 300 * kUs);
        QCOMPARE(a->ranks.ranks[1].commWaitNs, 0);
        QCOMPARE(a->ranks.ranks[1].lateNs, 600 * kUs);
    }

    void equalRanksHaveNoStraggler()
    {
        TraceMaker m;
        for (int rank = 0; rank < 2; ++rank) {
            m.nextRank(rank);
            for (int i = 0; i < 4; ++i) // each is late every second time
                m.kernel("ncclKernel_AllReduce", 1000 * i + (i % 2 == rank ? 100 : 0), 300 - (i % 2 == rank ? 100 : 0));
        }
        QVERIFY(!m.analysis()->ranks.straggler);
    }

    void unmarkedInputWaitOfACppLoop()
    {
        for (const bool python : {false, true}) {
            TraceMaker m;
            m.process(python ? "python3 (100)" : "trainer (100)");
            for (int i = 0; i < 4; ++i) {
                const double t = 1000 * i;
                m.host(EventKind::Range, "TunelineStep#" + std::to_string(i), t, 1000);
                m.op("aten::conv2d", t + 600, 300); // 0…600: decoding, nothing recorded
                m.op("aten::sgd", t + 900, 100);
            }
            const auto a = m.analysis();
            QVERIFY(!a->device());
            QVERIFY(!a->input.fromMarks);
            QCOMPARE(a->breakdown.total(), 1000 * kUs);
            for (const StepMetrics &step : a->steps)
                QCOMPARE(step.inputWaitNs, python ? 0 : 600 * kUs);
            QCOMPARE(a->stepSet().bound == StepBound::Input, !python);
        }
    }
};

QTEST_GUILESS_MAIN(TestDevices)
#include "tst_devices.moc"
