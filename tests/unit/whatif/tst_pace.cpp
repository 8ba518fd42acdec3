// SPDX-License-Identifier: GPL-3.0-or-later
// Whose pace a run keeps: its loader threads', its training thread's without the recording, its device's.
#include "analysis/whatif/inputmodel.h"
#include "analysis/whatif/loaderthreads.h"
#include "analysis/whatif/whatif.h"
#include "tests/unit/findings/scene.h"

#include <QTest>
#include <cmath>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = 1000, kMs = 1000 * kUs;

// Steps of 10 ms, each takes a batch that is ready, and one loader thread that begins a batch at the given times.
Scene loaded(const std::vector<double> &begins)
{
    Scene s;
    s.steps(8, 10'000, [&](double t) {
        s.range("data", t, 20);
        s.opKernel("aten::relu", {}, "relu", t + 30, t + 60, 9'000);
        s.call("cudaDeviceSynchronize", t + 50, 9'020);
    });
    for (const double begin : begins) {
        s.host(EventKind::Op, "aten::empty", begin, 5, {}, "2 (data-loader)");
        s.host(EventKind::Op, "aten::empty", begin + 6, 5, {}, "2 (data-loader)");
    }
    return s;
}

// Loading takes 30 ms, three times as long as a step: the steps ran on batches that were there before.
Scene behind()
{
    return loaded({5'000, 35'000, 65'000});
}

// The same 30 ms between two begins, but each right after a batch was taken: the loader waited until there was room.
Scene waiting()
{
    return loaded({300, 30'300, 60'300});
}

double ratio(const WhatIf &whatIf, const char *change)
{
    return static_cast<double>(whatIf.predict(parseChanges(change).value()).stepNs)
        / static_cast<double>(whatIf.undisturbedStepNs());
}

// Host: 50 µs a step with what recording adds. Device: 100 µs, behind it.
Scene recordedAhead(double slowdown)
{
    Scene s;
    s.steps(12, 50, [&](double t) {
        const double step = std::round((t - 100) / 50);
        s.op("aten::relu", t, 49);
        s.kernel("work", t + 5, 6, 112 + step * 101, 100);
    });
    s.builder().source(s.source()).capture.slowdown = slowdown;
    return s;
}

} // namespace

class TestPace : public QObject
{
    Q_OBJECT

private slots:
    void loadersThatFallBehindSetThePace()
    {
        const auto analysis = behind().analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(loaderThreads(whatIf.facts()).loadNs, 30.0 * kMs);
        QCOMPARE(whatIf.loaderPaceNs().value_or(0), 30 * kMs);
        QCOMPARE(whatIf.measuredStepNs(), 10 * kMs);
        QVERIFY(std::abs(whatIf.undisturbedStepNs() - 30 * kMs) <= kUs);
        QVERIFY(whatIf.inputPaced());
    }

    // One worker more: 30 / 1.9 ms. Many: the step as it was in the window. A faster kernel: nothing.
    void onlyLoadersChangeIt()
    {
        const auto analysis = behind().analysis();
        const WhatIf whatIf(*analysis);
        QVERIFY(std::abs(ratio(whatIf, "input-wait:workers=2") - 1 / 1.9) < 0.01);
        QVERIFY(std::abs(ratio(whatIf, "input-wait:workers=8") - 10.0 / 30) < 0.01);
        QVERIFY(std::abs(ratio(whatIf, "input-wait:synthetic") - 10.0 / 30) < 0.01);
        Change faster;
        faster.kind = ChangeKind::ScaleKernels;
        faster.text = "relu";
        faster.factor = 0.5;
        QCOMPARE(whatIf.predict({faster}).stepNs, whatIf.undisturbedStepNs());
    }

    void adviceSaysBothSteps()
    {
        const Advice advice = behind().advice();
        QCOMPARE(advice.step.capturedNs, 10 * kMs);
        QVERIFY(std::abs(advice.step.timeNs - 30 * kMs) <= kUs);
        QVERIFY(advice.step.idle.inputWaitNs >= 19 * kMs);
        QVERIFY(advice.capture.why.find("loaded before") != std::string::npos);
        QVERIFY(findingOf(advice, "input-wait"));
    }

    void loadersThatWaitForRoomKeepUp()
    {
        const auto analysis = waiting().analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(loaderThreads(whatIf.facts()).count, 1);
        QCOMPARE(loaderThreads(whatIf.facts()).loadNs, 0.0);
        QVERIFY(!whatIf.loaderPaceNs());
        QCOMPARE(whatIf.undisturbedStepNs(), 10 * kMs);
        QVERIFY(!findingOf(waiting().advice(), "input-wait"));
    }

    // The agent's slow-down is one of the training thread: 50 / 1.25 µs. The device's 101 µs stay, and once the device
    // is fast the thread decides.
    void slowdownIsTheHostsOwn()
    {
        const auto analysis = recordedAhead(1.25).analysis();
        const WhatIf whatIf(*analysis);
        QCOMPARE(whatIf.replayedStepNs(), 101 * kUs);
        QVERIFY(std::abs(whatIf.undisturbedStepNs() - 101 * kUs) <= kUs);
        Change faster;
        faster.kind = ChangeKind::ScaleKernels;
        faster.text = "work";
        faster.factor = 0.1;
        QVERIFY(std::abs(whatIf.predict({faster}).stepNs - 40 * kUs) <= kUs);
    }

    // A thread that its device holds back is as fast with the recording as without it. What recording costs it shows
    // once the device is fast: 0.38 of a launch of 10 µs for each of four events in 60 µs.
    void heldBackHostsHideTheirCost()
    {
        const auto step = [](double slowdown) {
            Scene s;
            s.steps(6, 3'000, [&](double t) {
                s.op("aten::relu", t, 59);
                s.kernel("work", t + 5, 10, t + 17, 2'980);
                s.call("cudaDeviceSynchronize", t + 60, 2'939);
            });
            s.builder().source(s.source()).capture.slowdown = slowdown;
            const auto analysis = s.analysis();
            Change faster;
            faster.kind = ChangeKind::ScaleKernels;
            faster.text = "work";
            faster.factor = 0.001;
            return static_cast<double>(WhatIf(*analysis).predict({faster}).stepNs);
        };
        const double without = step(1.0), with = step(1.001);
        QVERIFY2(without - with > 0.7 * 4 * 3'800 && without - with < 1.1 * 4 * 3'800,
                 qPrintable(QString::number(without - with)));
    }

    // A record that starts just after the one before it ended, while its launch call was still running: the launch held
    // it, and its 3 µs behind the other record say nothing of the stream.
    void lateLaunchesAreNoGaps()
    {
        Scene s;
        s.steps(6, 400, [&](double t) {
            s.kernel("a", t, 10, t + 12, 100);
            s.kernel("b", t + 10, 10, t + 113, 50); // queued long before: 1 µs between records
            s.kernel("c", t + 158, 6, t + 166, 20); // b ends at 163, within the call; launches take 2 µs to get there
            s.call("cudaDeviceSynchronize", t + 170, 20);
        });
        const auto analysis = s.analysis();
        const WhatIf whatIf(*analysis);
        std::size_t seen = 0;
        for (std::uint32_t i = 0; i < whatIf.graph().nodes.size(); ++i) {
            const GraphNode &n = whatIf.graph().nodes[i];
            if (n.kind != NodeKind::Device || analysis->trace->name(n.event) != "c")
                continue;
            for (const GraphEdge &e : whatIf.graph().incoming(i)) {
                if (e.kind == EdgeKind::StreamOrder)
                    QCOMPARE(e.lag, 1 * kUs);
                if (e.kind == EdgeKind::Launch)
                    QCOMPARE(e.lag, 2 * kUs);
                ++seen;
            }
        }
        QCOMPARE(seen, std::size_t{12});
        QCOMPARE(whatIf.replayedStepNs(), 400 * kUs);
    }
};

QTEST_GUILESS_MAIN(TestPace)
#include "tst_pace.moc"
