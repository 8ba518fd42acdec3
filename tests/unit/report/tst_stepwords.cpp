// SPDX-License-Identifier: GPL-3.0-or-later
// What every report says about a step: its parts, both of its times, and which steps the gains come from.
#include "analysis/findings/stepparts.h"
#include "analysis/report/advisereport.h"
#include "analysis/report/htmlpage.h"
#include "analysis/report/htmlreport.h"
#include "tests/unit/findings/scene.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace tuneline::analysis;

namespace {

struct Reports
{
    Advice advice;
    std::string text, html;
    nlohmann::ordered_json json;

    [[nodiscard]] bool say(const std::string &words) const
    {
        return flat(text).find(flat(words)) != std::string::npos && html.find(htmlText(words)) != std::string::npos;
    }
    // Words without how the lines were broken.
    static std::string flat(const std::string &text) { return QString::fromStdString(text).simplified().toStdString(); }
};

Reports reportsOf(Scene scene, std::size_t mostEvents)
{
    AnalysisOptions options;
    options.replay = [mostEvents](const Analysis &a) {
        ReplayAnswers answers;
        answers.whatIf = std::make_shared<const WhatIf>(a, WhatIfOptions{.batch = {}, .mostEvents = mostEvents});
        return answers;
    };
    Progress progress;
    const AnalysisPtr analysis = analyse(scene.builder().finish(progress).value(), options, progress).value();
    const Advice advice = advise(*analysis);
    return {advice, adviceToText(advice, 100), htmlReport(*analysis, advice), adviceToJson(advice)};
}

// Five events a step: its range, an operator, its launch, its kernel, and the wait for it.
Scene steps(int count)
{
    Scene s;
    s.steps(count, 1'000, [&](double t) {
        s.opKernel("aten::relu", {}, "relu", t + 30, t + 60, 800);
        s.call("cudaDeviceSynchronize", t + 50, 820);
    });
    return s;
}

// The recording doubles the host's 400 µs; the device works for 100 µs only.
Scene recorded()
{
    Scene s;
    s.steps(12, 400, [&](double t) {
        for (int i = 0; i < 40; ++i)
            s.op("aten::relu", t + 10 * i, 9);
        s.kernel("work", t + 2, 5, t + 20, 100);
    });
    s.builder().source(s.source()).capture.slowdown = 2;
    return s;
}

} // namespace

class StepWordsTest : public QObject
{
    Q_OBJECT

private slots:
    void partsAddUpAndHaveTheirWords();
    void bothTimesAreSaid();
    void oneTimeWhereTheyAgree();
    void middleStepsAreSaid();
    void wholeWindowsSayNothing();
};

void StepWordsTest::partsAddUpAndHaveTheirWords()
{
    StepSummary s;
    s.computeNs = 1;
    s.exposedCopyNs = 2;
    s.exposedCommNs = 4;
    s.idle = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    s.notMeasurableNs = 8192;
    std::int64_t sum = 0;
    std::set<std::string> names;
    for (const StepPart &part : stepParts(s)) {
        sum += part.ns;
        names.insert(part.name);
    }
    QCOMPARE(sum, std::int64_t{16383}); // each part once
    QCOMPARE(names.size(), std::size_t{14});
    QCOMPARE(stepParts(s)[3].cause, IdleCause::InputWait);
    QCOMPARE(stepParts(s)[3].ns, std::int64_t{8});
    QCOMPARE(std::string(stepParts(s)[8].name), std::string("host operators"));
    QCOMPARE(stepParts(s)[8].ns, std::int64_t{256});
    s.exposedCopyNs = 0;
    QCOMPARE(stepParts(s).size(), std::size_t{13});
    QVERIFY(!names.contains("")); // and none is nameless
}

void StepWordsTest::bothTimesAreSaid()
{
    const Reports r = reportsOf(recorded(), kMostEvents);
    QCOMPARE(r.advice.step.capturedNs, 400'000);
    QVERIFY(r.advice.step.timeNs > 150'000 && r.advice.step.timeNs < 300'000);
    QVERIFY(r.say("400 µs captured, about " + QString::number(double(r.advice.step.timeNs) / 1e3, 'f', 0).toStdString()
                  + " µs without the capture's own cost"));
    QVERIFY(r.html.find("a step as captured") != std::string::npos);
    QCOMPARE(r.json["step"]["captured_ns"].get<int>(), 400'000);
}

void StepWordsTest::oneTimeWhereTheyAgree()
{
    const Reports r = reportsOf(steps(20), kMostEvents);
    QVERIFY(!showsBothTimes(r.advice.step));
    QCOMPARE(stepTimesText(r.advice.step), std::string("1.00 ms"));
    QVERIFY(r.html.find("as captured") == std::string::npos);
    QVERIFY(r.text.find("captured") == std::string::npos);
}

// 400 steps of 5 events, of which the graph takes 1,000: half of them.
void StepWordsTest::middleStepsAreSaid()
{
    const Reports r = reportsOf(steps(400), 1'000);
    QVERIFY(r.advice.replay);
    const auto &replayed = r.json["replay"]["steps"];
    QCOMPARE(replayed["of"].get<int>(), 400);
    const int count = replayed["count"].get<int>(), first = replayed["first"].get<int>();
    QVERIFY(count >= 16 && count < 300);
    QVERIFY(std::abs(first - (400 - count) / 2) <= 1);
    QVERIFY(r.say("Gains come from replaying the middle " + std::to_string(count) + " of 400 steps ("
                  + std::to_string(first) + " to " + std::to_string(first + count - 1) + ", counted from 0)"));
}

void StepWordsTest::wholeWindowsSayNothing()
{
    const Reports r = reportsOf(steps(40), kMostEvents);
    QCOMPARE(r.json["replay"]["steps"]["count"].get<int>(), 40);
    QCOMPARE(r.json["replay"]["steps"]["first"].get<int>(), 0);
    QVERIFY(replayedStepsText(r.advice).empty());
    QVERIFY(r.text.find("replaying the middle") == std::string::npos);
    QVERIFY(r.html.find("replaying the middle") == std::string::npos);
}

QTEST_GUILESS_MAIN(StepWordsTest)
#include "tst_stepwords.moc"
