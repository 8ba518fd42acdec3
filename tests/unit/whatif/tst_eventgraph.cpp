// SPDX-License-Identifier: GPL-3.0-or-later
// Small graphs whose replay can be worked out on paper.
#include "analysis/trace/eventwaits.h"
#include "analysis/whatif/replay.h"
#include "analysis/whatif/runfacts.h"
#include "analysis/whatif/whatif.h"
#include "tests/unit/findings/scene.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = 1000;

// Host: launch 10 µs, 90 µs of its own. Device: 20 µs a step.
Scene hostBound()
{
    Scene s;
    s.steps(5, 100, [&](double t) {
        s.op("aten::relu", t, 100);
        s.kernel("relu", t, 10, t + 5, 20);
    });
    return s;
}

// Two kernels of 100 µs, each followed by a read that drains the queue: 220 µs a step.
Scene drained(int reads)
{
    Scene s;
    s.steps(6, 110 * reads, [&](double t) {
        for (int i = 0; i < reads; ++i, t += 110) {
            s.kernel("work", t, 10, t + 5, 100);
            s.op("aten::item", t + 10, 100);
            s.op("aten::_local_scalar_dense", t + 10, 100);
            s.call("cudaStreamSynchronize", t + 10, 100);
        }
    });
    return s;
}

// Launches of 2 µs, 3 µs apart, until the queue holds 1,024; from then on each ends when a kernel does.
Scene queueLimited()
{
    constexpr int kKernels = 1100, kSteps = 6;
    Scene s;
    const auto deviceEnd = [](int n) { return 110.0 + 10 * (n + 1); };
    double now = 100;
    int n = 0;
    for (int step = 0; step < kSteps; ++step) {
        const double begin = now;
        for (int i = 0; i < kKernels; ++i, ++n) {
            double end = now + 2;
            if (n >= 1024)
                end = std::max(end, deviceEnd(n - 1024));
            s.kernel("work", now, end - now, deviceEnd(n) - 10, 10);
            now = end + 1;
        }
        s.range("ProfilerStep#" + std::to_string(step + 3), begin, now - begin);
    }
    return s;
}

// All that the changes look for in its good form: products on tensor cores, fused attention and optimizer, a pinned
// copy on a stream of its own, a loader that keeps up, no wait but the one at the end of the run.
Scene fixedRun()
{
    Scene s;
    s.steps(6, 2000, [&](double t) {
        s.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t, 4);
        for (int i = 0; i < 4; ++i)
            s.opKernel("aten::mm", "[[4096, 4096], [4096, 4096]]", "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
                       t + 5 + 10 * i, t + 20 + 401 * i, 400);
        s.opKernel("aten::_scaled_dot_product_flash_attention", "", "void pytorch_flash::flash_fwd_kernel<bf16>",
                   t + 50, t + 1624, 300);
        s.range("Optimizer.step#AdamW.step", t + 60, 30);
        s.opKernel("aten::_fused_adamw_", "", "void multi_tensor_apply_kernel<FusedAdamMathFunctor>", t + 62, t + 1925,
                   74);
    });
    return s;
}

std::int64_t predicted(Scene scene, const char *changes)
{
    const auto analysis = scene.analysis();
    const WhatIf whatIf(*analysis);
    return whatIf.predict(parseChanges(changes).value()).stepNs;
}

} // namespace

class TestEventGraph : public QObject
{
    Q_OBJECT

private slots:
    void hostBoundStepIsHostTime()
    {
        const auto analysis = hostBound().analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(whatIf.replayedStepNs(), 100 * kUs);
        QCOMPARE(whatIf.undisturbedStepNs(), whatIf.measuredStepNs()); // no profiler whose cost were known
        QVERIFY(!replay(whatIf.graph(), stateOf(whatIf.graph())).hostRunsAhead);
    }

    void factorOneChangesNothing()
    {
        const auto analysis = hostBound().analysis();
        const WhatIf whatIf(*analysis);
        Change same;
        same.kind = ChangeKind::ScaleKernels;
        same.text = "relu";
        same.factor = 1.0;
        const WhatIfResult r = whatIf.predict({same});
        QCOMPARE(r.stepNs, 100 * kUs);
        QCOMPARE(r.lowNs, r.highNs);
    }

    // 20 µs kernels × 10 = 200 µs a step: now the device decides.
    void slowerKernelsMakeItDeviceBound()
    {
        const auto analysis = hostBound().analysis();
        const WhatIf whatIf(*analysis);
        Change slower;
        slower.kind = ChangeKind::ScaleKernels;
        slower.text = "relu";
        slower.factor = 10;
        // One kernel a step, and the typical gap of 1 µs between them.
        QCOMPARE(whatIf.predict({slower}).stepNs, 201 * kUs);
    }

    void drainedQueueReplaysAsMeasured()
    {
        const auto analysis = drained(2).analysis();
        QCOMPARE(WhatIf(*analysis).replayedStepNs(), 220 * kUs);
    }

    // Without the reads the kernels follow each other: 2 × (100 + 1) µs.
    void withoutReadsTheDeviceDecides() { QCOMPARE(predicted(drained(2), "sync-item"), 202 * kUs); }

    void halfTheReadsHalfTheGain()
    {
        const std::int64_t eight = 8 * 110 * kUs - predicted(drained(8), "sync-item");
        const std::int64_t four = 4 * 110 * kUs - predicted(drained(4), "sync-item");
        QVERIFY(four > 0);
        QVERIFY(std::abs(static_cast<double>(eight) / static_cast<double>(four) - 2) < 0.1);
    }

    // A launch-bound loop gains nothing from a read that never waits.
    void readThatNeverWaitsCostsItsCallOnly()
    {
        Scene s;
        s.steps(5, 200, [&](double t) {
            s.op("aten::relu", t, 150);
            s.kernel("relu", t, 10, t + 12, 5);
            s.op("aten::item", t + 160, 10);
            s.call("cudaStreamSynchronize", t + 162, 4);
        });
        const std::int64_t step = predicted(std::move(s), "sync-item");
        QVERIFY(step >= 190 * kUs && step <= 200 * kUs);
    }

    // The main thread waits while another one runs backward: halving that halves the wait.
    void otherThreadHoldsTheMainOne()
    {
        Scene s;
        s.steps(5, 300, [&](double t) {
            s.op("aten::relu", t, 100);
            s.kernel("relu", t, 10, t + 12, 5);
            s.host(EventKind::Op, "ReluBackward0", t + 102, 196, {}, "2");
            s.kernel("relu_backward", t + 110, 100, t + 205, 5, 7, 64, "2");
        });
        const auto analysis = s.analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(whatIf.replayedStepNs(), 300 * kUs);
        const EventGraph &g = whatIf.graph();
        GraphState state = stateOf(g);
        std::int64_t taken = 0;
        for (std::uint32_t i = 0; i < g.nodes.size(); ++i)
            if (g.nodes[i].row == 1 && g.nodes[i].step == 2) {
                taken += state.duration[i];
                state.duration[i] = 0;
            }
        QCOMPARE(taken, 196 * kUs);
        QCOMPARE(replay(g, state).steps[2], 104 * kUs);
    }

    // A kernel on a side stream that the main stream waits for.
    void streamsWaitForEachOther()
    {
        Scene s;
        s.steps(5, 400, [&](double t) {
            s.kernel("main_a", t, 10, t + 12, 50, 7);
            s.call("cudaEventRecord", t + 11, 1);
            s.call("cudaStreamWaitEvent", t + 13, 1);
            s.kernel("side", t + 15, 10, t + 63, 200, 20);
            s.call("cudaEventRecord", t + 26, 1);
            s.call("cudaStreamWaitEvent", t + 28, 1);
            s.kernel("main_b", t + 30, 10, t + 264, 50, 7);
            s.call("cudaDeviceSynchronize", t + 45, 272);
        });
        const auto analysis = s.analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(whatIf.replayedStepNs(), 400 * kUs);
        Change faster;
        faster.kind = ChangeKind::ScaleKernels;
        faster.text = "side";
        faster.factor = 0.5;
        QCOMPARE(whatIf.predict({faster}).stepNs, 300 * kUs); // the main stream no longer waits for 100 µs of it
    }

    // The event is recorded on the side stream after something was launched on the main one, and main_b starts too long
    // after `side` for its end to explain it: only the file's word tells what it waited for.
    void statedWaitsNeedNoGuess()
    {
        Scene s;
        std::uint64_t correlation = 1000;
        s.steps(5, 400, [&](double t) {
            s.kernel("side", t, 10, t + 12, 200, 20);
            s.kernel("main_a", t + 11, 10, t + 23, 50, 7);
            s.call("cudaEventRecord", t + 22, 1, ++correlation);
            s.builder().addEventUse({s.source(), correlation, 3, 0, 20, CudaEventUse::Kind::Recorded});
            s.call("cudaStreamWaitEvent", t + 24, 1, ++correlation);
            s.builder().addEventUse({s.source(), correlation, 3, 0, 7, CudaEventUse::Kind::AwaitedByStream});
            s.kernel("main_b", t + 30, 10, t + 232, 50, 7);
            s.call("cudaDeviceSynchronize", t + 45, 240);
        });
        const auto analysis = s.analysis();
        QCOMPARE(eventWaits(*analysis->trace).size(), std::size_t{5});
        const WhatIf whatIf(*analysis);
        QCOMPARE(whatIf.replayedStepNs(), 400 * kUs);
        Change faster;
        faster.kind = ChangeKind::ScaleKernels;
        faster.text = "side";
        faster.factor = 0.5;
        QCOMPARE(whatIf.predict({faster}).stepNs, 300 * kUs);
    }

    // A launch that finds 1,024 before it waits until one of them has ended. Device: 1,100 kernels of 10 µs a step.
    // Host: 1,100 launches of 2 µs, of which all beyond the first 1,024 wait: the device decides, and with kernels of 1
    // µs (and the gap of 1 µs that the trace shows nowhere, so none) the host does.
    void fullQueueHoldsTheHost()
    {
        const auto analysis = queueLimited().analysis();
        const WhatIf whatIf(*analysis);
        std::size_t waits = 0;
        for (const GraphEdge &e : whatIf.graph().edges)
            waits += e.kind == EdgeKind::QueueLimit ? 1 : 0;
        QVERIFY(waits > 1000);
        QVERIFY(std::abs(whatIf.replayError()) < 0.03);
        Change faster;
        faster.kind = ChangeKind::ScaleKernels;
        faster.text = "work";
        faster.factor = 0.1;
        const auto step = static_cast<double>(whatIf.predict({faster}).stepNs);
        QVERIFY2(step < 1100 * 3 * 1.15 * kUs, qPrintable(QString::number(step)));
    }

    // What a file says nothing about is in no graph: neither its time nor its place in the stream.
    void recordsWithoutATimeAreLeftOut()
    {
        Scene s = hostBound();
        s.lostKernel("relu", 450, 10);
        const auto analysis = s.analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(whatIf.replayedStepNs(), 100 * kUs);
        for (const GraphNode &n : whatIf.graph().nodes)
            QVERIFY(n.kind != NodeKind::Device || !analysis->trace->hasFlag(n.event, EventFlag::kNoTimestamp));
    }

    // What is fixed already can't be fixed again: less than 3 % of the step, whatever is asked.
    void fixedRunGainsNothing_data()
    {
        QTest::addColumn<QString>("change");
        for (const char *change :
             {"sync-item", "sync-explicit", "copy-pageable", "tf32-off", "channels-last", "attention-unfused",
              "optimizer-unfused", "zero-grad-memset", "sync-allocation", "input-wait:synthetic",
              "input-wait:workers=8", "launch-blocking", "checkpointing-unneeded", "alignment"})
            QTest::newRow(change) << change;
    }
    void fixedRunGainsNothing()
    {
        QFETCH(QString, change);
        const auto analysis = fixedRun().analysis();
        const WhatIf whatIf(*analysis);
        const auto step = static_cast<double>(whatIf.predict(parseChanges(change.toStdString()).value()).stepNs);
        QVERIFY(std::abs(step / static_cast<double>(whatIf.undisturbedStepNs()) - 1) < 0.03);
    }

    // TF32 is on for matmuls (three of four use it, the library's choice) and off for convolutions.
    void aSwitchThatIsOnGainsNothing()
    {
        const auto run = [](const char *op, const char *shapes, const char *plain) {
            Scene s;
            s.steps(6, 1700, [&](double t) {
                for (int i = 0; i < 3; ++i)
                    s.opKernel("aten::mm", "[[4096, 4096], [4096, 4096]]",
                               "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_cublas", t + 5 + 10 * i,
                               t + 20 + 401 * i, 400);
                s.opKernel(op, shapes, plain, t + 40, t + 1223, 450);
                s.call("cudaDeviceSynchronize", t + 50, 1625);
            });
            const auto analysis = s.analysis();
            const WhatIf whatIf(*analysis);
            return static_cast<double>(whatIf.predict(parseChanges("tf32-off").value()).stepNs)
                / static_cast<double>(whatIf.undisturbedStepNs());
        };
        QCOMPARE(run("aten::mm", "[[4096, 512], [512, 4096]]", "cutlass_80_simt_sgemm_128x128_8x4_nn_align1"), 1.0);
        QVERIFY(run("aten::cudnn_convolution", "[[64, 64, 56, 56], [64, 64, 3, 3]]",
                    "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize128x128x8_stage3_ffma")
                < 0.9);
    }

    void recordingCostComesOutOfHostTime()
    {
        const auto analysis = hostBound().analysis();
        const WhatIf whatIf(*analysis);
        GraphState state = stateOf(whatIf.graph());
        removeRecordingCost(whatIf.graph(), 5 * kUs, state);
        // Each step records a marker, an operator and a call: 3 events.
        const std::int64_t step = replay(whatIf.graph(), state).stepNs;
        QVERIFY(step <= 90 * kUs && step >= 84 * kUs);
    }

    void withoutStepsNothingIsPredicted()
    {
        Scene s;
        s.op("aten::relu", 0, 10);
        const auto analysis = s.analysis();
        const WhatIf whatIf(*analysis);
        QVERIFY(!whatIf.usable());
        QCOMPARE(whatIf.predict({}).stepNs, 0);
    }
};

QTEST_GUILESS_MAIN(TestEventGraph)
#include "tst_eventgraph.moc"
