// SPDX-License-Identifier: GPL-3.0-or-later
// The advice as a whole: its parts add up, its order and plan make sense, its reports say the same.
#include "analysis/report/advisereport.h"
#include "tests/unit/findings/scene.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

// Waiting for input, reads that drain the queue, FP32 products: three findings. loading: us that the loader is waited
// for in each step.
Scene threeFaults(double loading = 3000)
{
    Scene s;
    s.config("workers", "2");
    s.steps(6, 12'000, [&](double t) {
        s.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t, loading);
        t += 3000;
        for (int i = 0; i < 8; ++i, t += 1100) {
            s.opKernel("aten::mm", "[[2048, 2048], [2048, 2048]]", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_ffma", t,
                       t + 10, 1000);
            s.op("aten::item", t + 10, 1010);
            s.call("cudaStreamSynchronize", t + 12, 1005);
        }
    });
    return s;
}

std::int64_t sumOf(const StepSummary &s)
{
    const IdleSummary &i = s.idle;
    return s.computeNs + s.exposedCopyNs + s.exposedCommNs + i.inputWaitNs + i.synchronisationNs + i.allocationNs
        + i.compilationNs + i.checkpointNs + i.hostOperatorsNs + i.hostCodeNs + i.launchCallsNs + i.deviceWaitNs
        + i.unknownNs + s.notMeasurableNs;
}

} // namespace

class TestAdvise : public QObject
{
    Q_OBJECT

private slots:
    void breakdownAddsUp()
    {
        const Advice advice = threeFaults().advice();
        QVERIFY(advice.step.timeNs > 0);
        QCOMPARE(sumOf(advice.step), advice.step.timeNs);
        QVERIFY(advice.replay.has_value());
        QVERIFY(std::abs(advice.replay->error) < 0.03);
    }

    // Kineto traces carry their profiler's cost: it comes out of the host's part, and the rest still adds up.
    void breakdownWithoutTheProfilerAddsUp()
    {
        Scene s = threeFaults(100); // where loaders set the pace, recording lengthens no step
        s.builder().source(s.source()).format = SourceFormat::KinetoJson;
        const auto analysis = s.analysis();
        const Advice advice = advise(*analysis, {});
        QVERIFY(advice.step.timeNs < *analysis->stepSet().medianNs);
        QCOMPARE(sumOf(advice.step), advice.step.timeNs);
        QVERIFY(advice.capture.slowdown && *advice.capture.slowdown > 1);
    }

    void findingsAreRankedByGain()
    {
        const Advice advice = threeFaults().advice();
        QVERIFY(findingOf(advice, "input-wait"));
        QVERIFY(findingOf(advice, "tf32-off"));
        for (std::size_t i = 1; i < advice.findings.size(); ++i) {
            const Finding &a = advice.findings[i - 1], &b = advice.findings[i];
            if (a.severity == FindingSeverity::Time && b.severity == FindingSeverity::Risk)
                continue;
            QVERIFY2(a.severity == b.severity, "risks come last");
        }
        QCOMPARE(advice.findings.front().rule,
                 std::string("input-wait")); // the loader sets the pace: nothing else counts yet
    }

    void planGetsFasterStepByStep()
    {
        const Advice advice = threeFaults().advice();
        QVERIFY(!advice.plan.empty());
        std::int64_t step = advice.step.timeNs;
        for (const PlanItem &p : advice.plan) {
            QVERIFY(p.stepNsAfter < step);
            step = p.stepNsAfter;
        }
    }

    // Together no more than there is.
    void planNeverSavesMoreThanTheStep()
    {
        const Advice advice = threeFaults().advice();
        QVERIFY(advice.plan.back().stepNsAfter > 0);
        QVERIFY(advice.plan.back().stepNsAfter >= advice.step.timeNs / 20);
    }

    void jsonHasEveryKeyOfTheContract()
    {
        Scene s = threeFaults();
        AdviseOptions options;
        options.whatIf = parseChanges("tf32-off").value();
        const auto analysis = s.analysis();
        const auto json = adviceToJson(advise(*analysis, options));
        for (const char *key : {"capture", "step", "findings", "plan", "checked", "replay", "what_if", "straggler"})
            QVERIFY2(json.contains(key), key);
        for (const char *key : {"slowdown", "dropped", "steady_steps", "verdict", "why"})
            QVERIFY2(json["capture"].contains(key), key);
        for (const char *key : {"time_ns", "bound", "units_per_s", "breakdown", "recurring"})
            QVERIFY2(json["step"].contains(key), key);
        for (const char *key :
             {"input_wait_ns", "synchronisation_ns", "allocation_ns", "compilation_ns", "checkpoint_ns",
              "host_operators_ns", "host_code_ns", "launch_calls_ns", "device_wait_ns", "unknown_ns"})
            QVERIFY2(json["step"]["breakdown"]["idle"].contains(key), key);
        for (const char *key : {"rule", "severity", "title", "share", "gain", "confidence", "evidence", "explanation",
                                "fix", "verify", "caveats", "makes_useless"})
            QVERIFY2(json["findings"][0].contains(key), key);
        for (const char *key : {"step_ns", "low_ns", "high_ns"})
            QVERIFY2(json["what_if"].contains(key), key);
        QVERIFY(json["what_if"]["low_ns"] <= json["what_if"]["step_ns"]);
        QVERIFY(json["step"]["units_per_s"].is_null()); // not known, so not 0
    }

    void textNamesFindingsPlanAndChecks()
    {
        const std::string text = adviceToText(threeFaults().advice());
        for (const char *part :
             {"Step:", "[input-wait]", "Python:", "C++:", "Plan, one change at a time:", "Checked, fine:", "Verify:"})
            QVERIFY2(text.find(part) != std::string::npos, part);
        QVERIFY(text.find("{") == std::string::npos || text.find("{step}") == std::string::npos);
    }

    void withoutStepsItAbstains()
    {
        Scene s;
        s.op("aten::relu", 0, 10);
        const Advice advice = s.advice();
        QCOMPARE(advice.capture.verdict, CaptureVerdict::Unusable);
        QCOMPARE(advice.findings.size(), 1U);
        QCOMPARE(advice.findings.front().rule, std::string("capture-quality"));
        QVERIFY(advice.plan.empty());
        QVERIFY(!adviceToText(advice).empty());
    }

    void twoStepsAreALimit()
    {
        Scene s;
        s.steps(2, 2000, [&](double t) {
            s.op("aten::relu", t, 20);
            s.kernel("relu", t + 2, 5, t + 10, 1900);
        });
        const Advice advice = s.advice();
        QCOMPARE(advice.capture.verdict, CaptureVerdict::Limited);
        QVERIFY(findingOf(advice, "capture-quality"));
    }

    // What nobody recorded is listed as not measurable, never as fine.
    void unknownIsNotFine()
    {
        const Advice advice = threeFaults().advice();
        for (const char *rule : {"memory-limit", "memory-growth", "padding", "numerics", "clocks"})
            QCOMPARE(checkOf(advice, rule)->result, CheckResult::NotMeasurable);
    }
};

QTEST_GUILESS_MAIN(TestAdvise)
#include "tst_advise.moc"
