// SPDX-License-Identifier: MIT
// The step tracker, stepped by hand: phases, patience, what counts as a step.
#include "capture/agent/clock.h"
#include "capture/agent/hot.h"
#include "capture/agent/marks.h"
#include "capture/agent/steptracker.h"

#include <QTest>

using namespace tuneline;
using namespace tuneline::agent;

namespace {

constexpr std::int64_t kMs = kMillisecond;

// A tracker that the test steps by hand.
struct Steps
{
    StepTracker tracker;
    std::int64_t now = hostNow();
    int changes = 0;

    void arm(std::int64_t warmup, std::int64_t window, std::int64_t windowNs, std::int64_t baseline,
             bool marksSeen = true)
    {
        format::ArmMessage plan;
        plan.warmupSteps = warmup;
        plan.windowSteps = window;
        plan.windowNs = windowNs;
        plan.baselineSteps = baseline;
        tracker.arm(
            plan, marksSeen, [](void *self) noexcept { ++static_cast<Steps *>(self)->changes; }, this);
    }
    std::int64_t step(std::int64_t length = 10 * kMs, StepSource source = StepSource::Marks, const char *name = nullptr)
    {
        now += length;
        return tracker.onStep(source, name, now);
    }
};

} // namespace

class TestStepTracker : public QObject
{
    Q_OBJECT

private slots:
    void stepsGoThroughThePhases();
    void stepEndClosesTheWindow();
    void missingStepsAreNotWaitedForForever();
    void expectedStepsAreWaitedForLonger();
    void aProgramThatTellsFactsIsWaitedFor();
    void noWindowBeforeTheTraining();
    void markedProgramsAreWaitedForLonger();
    void betterStepSourcesTakeOver();
    void onlyTheFirstOptimizerCounts();
    void stopWorksInEachPhase();
};

void TestStepTracker::stepsGoThroughThePhases()
{
    Steps steps;
    steps.arm(3, 4, 0, 2);
    QCOMPARE(steps.tracker.phase(), Phase::WarmingUp);
    for (int i = 0; i < 3; ++i)
        steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::WarmingUp); // two whole steps so far
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Baseline);
    steps.step();
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Preparing);
    steps.step(); // while the control thread works
    QCOMPARE(steps.tracker.phase(), Phase::Preparing);
    steps.tracker.recordingIsOn(true);
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Ready); // one step to settle
    QCOMPARE(g_hot.recording.load(), false);
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Open);
    QCOMPARE(steps.tracker.windowBegin(), steps.now);
    QCOMPARE(g_hot.recording.load(), true);
    for (int i = 0; i < 4; ++i)
        steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Closing);
    QCOMPARE(steps.tracker.windowEnd() - steps.tracker.windowBegin(), 40 * kMs);
    QCOMPARE(steps.tracker.stepsInside(), std::int64_t(4));
    QCOMPARE(g_hot.recording.load(), false);
    steps.tracker.recordingIsOff();
    QCOMPARE(steps.tracker.phase(), Phase::Settling);
    steps.step();
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::After);
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Done);
    QCOMPARE(steps.tracker.endReason(), EndReason::Steps);
    QCOMPARE(steps.step(), std::int64_t(0));
}

void TestStepTracker::stepEndClosesTheWindow()
{
    Steps steps;
    steps.arm(0, 2, 0, 0);
    steps.step();
    steps.tracker.recordingIsOn(false);
    steps.step();
    steps.step();
    QCOMPARE(steps.tracker.stepsInside(), std::int64_t(1));
    steps.now += 5 * kMs;
    steps.tracker.onStepEnd(StepSource::Marks, steps.now);
    QCOMPARE(steps.tracker.phase(), Phase::Closing);
    QCOMPARE(steps.tracker.windowEnd(), steps.now);
    steps.tracker.recordingIsOff();
    QCOMPARE(steps.tracker.phase(), Phase::Done); // no plain steps were asked for
}

void TestStepTracker::missingStepsAreNotWaitedForForever()
{
    Steps steps;
    steps.arm(-1, 5, 100 * kMs, 4, false);
    steps.tracker.tick(steps.now + 1900 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::WarmingUp);
    steps.tracker.tick(steps.now + 2100 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::Preparing);
    steps.tracker.recordingIsOn(true);
    steps.tracker.tick(steps.now + 2200 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::Open);
    steps.tracker.tick(steps.now + 2250 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::Open);
    steps.tracker.tick(steps.now + 2301 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::Closing);
    QCOMPARE(steps.tracker.endReason(), EndReason::Time);
    steps.tracker.recordingIsOff();
    QCOMPARE(steps.tracker.phase(), Phase::Done);
    QVERIFY(steps.tracker.byTime());
}

void TestStepTracker::expectedStepsAreWaitedForLonger()
{
    format::ArmMessage plan;
    plan.warmupSteps = 3;
    plan.windowSteps = 5;
    StepTracker tracker;
    tracker.arm(plan, false, nullptr, nullptr, true);
    const std::int64_t now = hostNow();
    tracker.tick(now + 25'000 * kMs); // a Python program that builds its model
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    QCOMPARE(tracker.onStep(StepSource::Optimizer, "Optimizer.step#SGD.step", now + 26'000 * kMs), 1);
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    tracker.arm(plan, false, nullptr, nullptr, true);
    tracker.tick(hostNow() + 31'000 * kMs); // no training loop at all
    QCOMPARE(tracker.phase(), Phase::Preparing);
    plan.warmupSteps = plan.windowSteps = 0;
    plan.windowNs = 1000 * kMs;
    tracker.arm(plan, false, nullptr, nullptr, true);
    tracker.tick(hostNow() + 2100 * kMs); // at once was asked for
    QCOMPARE(tracker.phase(), Phase::Preparing);
    tracker.arm(plan, false, nullptr, nullptr);
    tracker.expectSteps();
    tracker.tick(hostNow() + 2100 * kMs);
    QCOMPARE(tracker.phase(), Phase::Preparing);
}

// Libraries, a model and a data set from a cold disk took a C++ program more than the two seconds that a run without
// steps gets: its window opened before the first step.
void TestStepTracker::aProgramThatTellsFactsIsWaitedFor()
{
    format::ArmMessage plan;
    plan.warmupSteps = 3;
    plan.windowSteps = 5;
    StepTracker tracker;
    tracker.arm(plan, false, nullptr, nullptr, false, true);
    onMark(tracker, static_cast<std::uint32_t>(format::MarkKind::Config), "model", "gpt", 0); // dormant: kept only
    tracker.tick(hostNow() + 1'900 * kMs);
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    QVERIFY(programTellsFacts());
    g_hot.armed = true;
    onMark(tracker, static_cast<std::uint32_t>(format::MarkKind::Config), "model", "gpt", 0);
    g_hot.armed = false;
    tracker.tick(hostNow() + 110'000 * kMs); // started a moment ago: minutes
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    tracker.tick(hostNow() + 121'000 * kMs);
    QCOMPARE(tracker.phase(), Phase::Preparing);
    tracker.arm(plan, false, nullptr, nullptr); // attached to
    tracker.expectSteps();
    tracker.tick(hostNow() + 29'000 * kMs);
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    tracker.tick(hostNow() + 31'000 * kMs);
    QCOMPARE(tracker.phase(), Phase::Preparing);
}

void TestStepTracker::noWindowBeforeTheTraining()
{
    format::ArmMessage plan;
    plan.warmupSteps = -1;
    plan.windowSteps = 5;
    StepTracker tracker;
    tracker.arm(plan, false, nullptr, nullptr);
    tracker.awaitTraining();
    const std::int64_t armed = hostNow();
    tracker.tick(armed + 20'000 * kMs);
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    tracker.trainingBegan(armed + 20'000 * kMs);
    tracker.tick(armed + 21'900 * kMs);
    QCOMPARE(tracker.phase(), Phase::WarmingUp);
    tracker.tick(armed + 22'100 * kMs);
    QCOMPARE(tracker.phase(), Phase::Preparing);
    tracker.arm(plan, false, nullptr, nullptr); // only inference
    tracker.awaitTraining();
    tracker.tick(hostNow() + 31'000 * kMs);
    QCOMPARE(tracker.phase(), Phase::Preparing);
    plan.warmupSteps = plan.windowSteps = 0; // at once
    tracker.arm(plan, false, nullptr, nullptr);
    tracker.awaitTraining();
    tracker.tick(hostNow() + 2'100 * kMs);
    QCOMPARE(tracker.phase(), Phase::Preparing);
}

void TestStepTracker::markedProgramsAreWaitedForLonger()
{
    Steps steps;
    steps.arm(-1, 5, 0, 4, true);
    steps.tracker.tick(steps.now + 20'000 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::WarmingUp);
    // Steps of 5 s: a pause of 12 s is nothing special.
    steps.arm(1, 5, 0, 0, true);
    for (int i = 0; i < 2; ++i)
        steps.step(5000 * kMs);
    steps.tracker.recordingIsOn(false);
    steps.step(5000 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::Open);
    steps.tracker.tick(steps.now + 12'000 * kMs);
    QCOMPARE(steps.tracker.phase(), Phase::Open);
    steps.tracker.tick(steps.now + 21'000 * kMs);
    QCOMPARE(steps.tracker.endReason(), EndReason::NoSteps);
}

void TestStepTracker::betterStepSourcesTakeOver()
{
    Steps steps;
    steps.arm(2, 3, 0, 2, false);
    steps.step(10 * kMs, StepSource::Optimizer, "Optimizer.step#SGD.step");
    steps.step(10 * kMs, StepSource::Optimizer, "Optimizer.step#SGD.step");
    QCOMPARE(steps.tracker.warmupSteps(), std::int64_t(1));
    QVERIFY(steps.step(10 * kMs, StepSource::ProfilerStep) != 0);
    QCOMPARE(steps.tracker.source(), StepSource::ProfilerStep);
    QCOMPARE(steps.tracker.warmupSteps(), std::int64_t(0)); // counted anew
    QCOMPARE(steps.step(10 * kMs, StepSource::Optimizer, "Optimizer.step#SGD.step"), std::int64_t(0));
    QVERIFY(steps.step(10 * kMs, StepSource::Marks) != 0);
    QCOMPARE(steps.tracker.source(), StepSource::Marks);
}

void TestStepTracker::onlyTheFirstOptimizerCounts()
{
    Steps steps;
    steps.arm(50, 3, 0, 2, false);
    QVERIFY(steps.step(10 * kMs, StepSource::Optimizer, "Optimizer.step#Adam.step") != 0);
    QCOMPARE(steps.step(1 * kMs, StepSource::Optimizer, "Optimizer.step#SGD.step"), std::int64_t(0));
    QVERIFY(steps.step(10 * kMs, StepSource::Optimizer, "Optimizer.step#Adam.step") != 0);
    QCOMPARE(steps.tracker.stepsSeen(), std::int64_t(2));
}

void TestStepTracker::stopWorksInEachPhase()
{
    Steps steps;
    steps.arm(5, 5, 0, 2);
    steps.tracker.stop(EndReason::Stopped);
    QCOMPARE(steps.tracker.phase(), Phase::Done);
    steps.arm(0, 50, 0, 0);
    steps.step();
    steps.tracker.recordingIsOn(false);
    steps.step();
    QCOMPARE(steps.tracker.phase(), Phase::Open);
    steps.tracker.stop(EndReason::Stopped);
    QCOMPARE(steps.tracker.phase(), Phase::Closing);
    QCOMPARE(steps.tracker.endReason(), EndReason::Stopped);
    steps.tracker.stop(EndReason::Stopped); // a second time changes nothing
    QCOMPARE(steps.tracker.phase(), Phase::Closing);
    steps.tracker.finish(EndReason::Exit);
    QCOMPARE(steps.tracker.phase(), Phase::Done);
    QCOMPARE(steps.tracker.endReason(), EndReason::Stopped);
}

QTEST_GUILESS_MAIN(TestStepTracker)
#include "tst_steptracker.moc"
