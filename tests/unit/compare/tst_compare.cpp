// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts on hand-made CPU runs whose step times, knobs and losses are known.
#include "analysis/compare/compare.h"

#include "analysis/analysis.h"
#include "analysis/compare/alignment.h"
#include "analysis/findings/advice.h"
#include "analysis/report/comparereport.h"
#include "analysis/trace/tracebuilder.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kMs = 1'000'000;

struct RunSpec
{
    std::vector<std::int64_t> stepsMs{100, 101, 99, 100, 102, 100, 98, 100};
    std::int64_t dataMs = 0; // of each step, in a "data" scope
    std::map<std::string, std::string> config{{"batch_size", "32"}, {"workers", "0"}, {"model", "cnn"}};
    double units = 32; // marked at each step, 0 = not marked
    double loss = std::numeric_limits<double>::quiet_NaN();
    bool markLoss = false;
};

// Steps of one operator each, with the data scope in front of it.
ComparedRun makeRun(const RunSpec &spec)
{
    TraceBuilder b;
    Source source;
    source.label = "run";
    source.format = SourceFormat::Tuneline;
    source.config = spec.config;
    const SourceId s = b.addSource(source);
    const LaneId lane = b.lane({LaneKind::Cpu, s, "1", "1", {}, {}});
    std::int64_t t = 1'700'000'000LL * 1'000'000'000LL;
    for (std::size_t i = 0; i < spec.stepsMs.size(); ++i) {
        const std::int64_t length = spec.stepsMs[i] * kMs, data = spec.dataMs * kMs;
        b.add({t, length, b.strings().intern("TunelineStep#" + std::to_string(i)), lane, EventKind::Range});
        if (data > 0)
            b.add({t + 1000, data, b.strings().intern("data"), lane, EventKind::Range});
        b.add({t + data + 2000, length - data - 4000, b.strings().intern("aten::conv2d"), lane, EventKind::Op});
        if (spec.units > 0)
            b.addMark({t + 1500, MarkKind::Units, b.strings().intern("samples"), spec.units, s});
        if (spec.markLoss)
            b.addMark({t + 1600, MarkKind::Loss, StringId{0U}, spec.loss, s});
        t += length;
    }
    Progress progress;
    const TracePtr trace = *b.finish(progress);
    const AnalysisPtr analysis = *analyse(trace, {}, progress);
    return {analysis, std::make_shared<const Advice>(advise(*analysis))};
}

RunSpec scaled(RunSpec spec, double factor)
{
    for (auto &ms : spec.stepsMs)
        ms = std::llround(static_cast<double>(ms) * factor);
    return spec;
}

RunSpec withKnob(RunSpec spec, const char *key, const char *value)
{
    spec.config[key] = value;
    return spec;
}

} // namespace

class CompareTest : public QObject
{
    Q_OBJECT

private slots:
    void sameConfigurationIsNeverAVerdict_data();
    void sameConfigurationIsNeverAVerdict();
    void starvedInputFixed();
    void slowerIsRegressed();
    void littleIsNotConfirmed();
    void anotherModelIsNotComparable();
    void perUnitOfWork();
    void lossThatMovedFailsTheGuard();
    void nonFiniteLossFailsTheGuard();
    void importedTracesAreJudgedByTheirTimes();
    void noSteps();
    void alignsSteadySteps();
    void json();
};

void CompareTest::sameConfigurationIsNeverAVerdict_data()
{
    QTest::addColumn<double>("factor");
    for (const double factor : {0.6, 0.85, 1.0, 1.2, 1.7})
        QTest::addRow("times %.2f", factor) << factor;
}

void CompareTest::sameConfigurationIsNeverAVerdict()
{
    QFETCH(double, factor);
    const Comparison c = compare({makeRun({})}, {makeRun(scaled({}, factor))});
    QCOMPARE(toText(c.verdict), "not-confirmed");
    QVERIFY(c.differences.empty());
    QVERIFY(!c.oneVariable);
}

void CompareTest::starvedInputFixed()
{
    RunSpec starved;
    starved.dataMs = 40;
    RunSpec fixed = withKnob(scaled({}, 0.6), "workers", "2");
    const Comparison c = compare({makeRun(starved)}, {makeRun(fixed)});
    QCOMPARE(toText(c.verdict), "confirmed");
    QVERIFY(c.oneVariable);
    QCOMPARE(c.metrics.front().name, std::string("step_time"));
    QVERIFY(std::abs(*c.metrics.front().change + 0.4) < 0.02);
    QVERIFY(c.prediction);
    QCOMPARE(c.prediction->rule, std::string("input-wait:workers=2"));
    QVERIFY2(c.prediction->hit, qPrintable(QString("%1 to %2").arg(c.prediction->low).arg(c.prediction->high)));
    QVERIFY2(c.bottleneckBefore == "input-wait", c.bottleneckBefore.c_str());
    const auto it = std::find_if(c.findings.begin(), c.findings.end(),
                                 [](const FindingChange &f) { return f.rule == "input-wait"; });
    QVERIFY(it != c.findings.end());
    QVERIFY(it->state == FindingState::Resolved);
}

void CompareTest::slowerIsRegressed()
{
    const Comparison c = compare({makeRun({})}, {makeRun(withKnob(scaled({}, 1.4), "workers", "9"))});
    QCOMPARE(toText(c.verdict), "regressed");
}

void CompareTest::littleIsNotConfirmed()
{
    const Comparison c = compare({makeRun({})}, {makeRun(withKnob(scaled({}, 0.97), "workers", "2"))});
    QCOMPARE(toText(c.verdict), "not-confirmed");
}

void CompareTest::anotherModelIsNotComparable()
{
    const Comparison c = compare({makeRun({})}, {makeRun(withKnob(scaled({}, 0.3), "model", "mlp"))});
    QCOMPARE(toText(c.verdict), "not-comparable");
    QVERIFY(!c.comparable);
    QVERIFY(c.why.find("model") != std::string::npos);
}

void CompareTest::perUnitOfWork()
{
    // Twice the batch in 1.5 times the time is a quarter less for each sample.
    RunSpec larger = withKnob(scaled({}, 1.5), "batch_size", "64");
    larger.units = 64;
    const Comparison c = compare({makeRun({})}, {makeRun(larger)});
    QCOMPARE(toText(c.verdict), "confirmed");
    const auto it = std::find_if(c.metrics.begin(), c.metrics.end(),
                                 [](const MetricChange &m) { return m.name == "time_per_unit"; });
    QVERIFY(it != c.metrics.end());
    QVERIFY(std::abs(*it->change + 0.25) < 0.02);
}

void CompareTest::lossThatMovedFailsTheGuard()
{
    RunSpec before, after = withKnob(scaled({}, 0.5), "precision", "bf16");
    before.markLoss = after.markLoss = true;
    before.loss = 2.0;
    after.loss = 2.9;
    const Comparison c = compare({makeRun(before)}, {makeRun(after)});
    QCOMPARE(toText(c.verdict), "not-confirmed");
    QVERIFY(c.why.find("loss_parity") != std::string::npos);

    after.loss = 2.05;
    QCOMPARE(toText(compare({makeRun(before)}, {makeRun(after)}).verdict), "confirmed");
}

void CompareTest::nonFiniteLossFailsTheGuard()
{
    RunSpec before, after = withKnob(scaled({}, 0.5), "precision", "fp16");
    before.markLoss = after.markLoss = true;
    before.loss = 2.0;
    const Comparison c = compare({makeRun(before)}, {makeRun(after)});
    QCOMPARE(toText(c.verdict), "not-confirmed");
    QVERIFY(c.why.find("finite") != std::string::npos);
}

void CompareTest::importedTracesAreJudgedByTheirTimes()
{
    RunSpec before, after = scaled({}, 0.7);
    before.config.clear();
    after.config.clear();
    before.units = after.units = 0;
    QCOMPARE(toText(compare({makeRun(before)}, {makeRun(after)}).verdict), "confirmed");
    QCOMPARE(toText(compare({makeRun(before)}, {makeRun(before)}).verdict), "not-confirmed");
}

void CompareTest::noSteps()
{
    RunSpec none;
    none.stepsMs.clear();
    const Comparison c = compare({makeRun(none)}, {makeRun({})});
    QCOMPARE(toText(c.verdict), "not-confirmed");
    QVERIFY(!c.why.empty());
}

void CompareTest::alignsSteadySteps()
{
    RunSpec slowStart;
    slowStart.stepsMs.insert(slowStart.stepsMs.begin(), 900);
    const ComparedRun a = makeRun({}), b = makeRun(slowStart);
    const auto pairs = alignSteps(*a.analysis, *b.analysis);
    QCOMPARE(pairs.size(), std::size_t(8));
    QCOMPARE(pairs[0].before, 0U);
    QCOMPARE(pairs[0].after, 1U); // the warm-up step is not shown above a steady one
    QCOMPARE(b.analysis->stepSet().list[1].start + pairs[0].offsetNs, a.analysis->stepSet().list[0].start);
}

void CompareTest::json()
{
    RunSpec starved;
    starved.dataMs = 40;
    const auto j = compareJson(compare({makeRun(starved)}, {makeRun(withKnob(scaled({}, 0.6), "workers", "2"))}));
    for (const char *key : {"comparable", "differences", "one_variable", "steps", "metrics", "findings", "ops",
                            "prediction", "guards", "verdict", "bottleneck"})
        QVERIFY2(j.contains(key), key);
    QCOMPARE(j["differences"][0]["key"].get<std::string>(), std::string("workers"));
    QCOMPARE(j["metrics"][0]["ci"].size(), std::size_t(2));
    QCOMPARE(j["steps"]["before"].get<int>(), 8);
}

QTEST_GUILESS_MAIN(CompareTest)
#include "tst_compare.moc"
