// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions against measurements: our own before/after pairs of tuneline-train on an H200 (tests/data/pairs, made by
// tests/bench/gpu/pairs.py). Step times were measured without any capture, in three alternating rounds.
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "analysis/whatif/change.h"
#include "analysis/whatif/whatif.h"

#include <QDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;

namespace {

const QString kFolder = TUNELINE_SOURCE_DIR "/tests/data/pairs/";

AnalysisPtr analysed(const QString &name)
{
    Progress progress;
    const auto trace = openTrace({(kFolder + name + ".tlc.gz").toStdString()}, progress);
    if (!trace)
        return nullptr;
    const auto analysis = analyse(*trace, {}, progress);
    return analysis ? *analysis : nullptr;
}

// What is missed, and why. A prediction that gets better shows as XPASS: take its line out.
const char *knownMiss(const QString &before, const QString &change)
{
    if (before == "gpt_bf16" && change == "attention-unfused")
        return "host-bound at 15.5 ms before its window, 18 to 20 ms in the runs that were measured: the spread of "
               "hosts";
    return nullptr;
}

} // namespace

class TestPairs : public QObject
{
    Q_OBJECT
private slots:
    void predictions_data();
    void predictions();
    void fixedSideGainsNothing_data();
    void fixedSideGainsNothing();
    void unchangedReplay_data();
    void unchangedReplay();
};

void TestPairs::predictions_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("change");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("median");
    QTest::addColumn<double>("high");
    std::ifstream file((kFolder + "truth.json").toStdString());
    const auto truth = nlohmann::json::parse(file);
    for (const auto &pair : truth["pairs"]) {
        const auto before = QString::fromStdString(pair["before"]);
        const auto change = QString::fromStdString(pair["what_if"]);
        const auto &ratio = pair["time_ratio_per_unit"];
        QTest::newRow(qPrintable(before + ' ' + change))
            << before << change << ratio[0].get<double>() << ratio[1].get<double>() << ratio[2].get<double>();
    }
}

// A hit: as near as 0.05 of the step, 30 % of the change or half the rounds' own spread, inside the predicted range.
void TestPairs::predictions()
{
    QFETCH(QString, before);
    QFETCH(QString, change);
    QFETCH(double, low);
    QFETCH(double, median);
    QFETCH(double, high);
    const AnalysisPtr analysis = analysed(before);
    QVERIFY(analysis && analysis->whatIf && analysis->whatIf->usable());
    const auto changes = parseChanges(change.toStdString());
    QVERIFY(changes);
    const auto base = static_cast<double>(analysis->whatIf->undisturbedStepNs());
    const WhatIfResult result = analysis->whatIf->predict(*changes);
    const double predicted = static_cast<double>(result.stepNs) / base;
    const double tolerance = std::max({0.05, 0.3 * std::fabs(1 - median), (high - low) / 2});
    const bool hit = std::fabs(predicted - median) <= tolerance
        && static_cast<double>(result.lowNs) / base - 0.03 <= median
        && median <= static_cast<double>(result.highNs) / base + 0.03;
    if (const char *why = knownMiss(before, change))
        QEXPECT_FAIL("", why, Continue);
    QVERIFY2(hit, qPrintable(QString("predicted %1, measured %2").arg(predicted).arg(median)));
}

void TestPairs::fixedSideGainsNothing_data()
{
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("change");
    std::ifstream file((kFolder + "truth.json").toStdString());
    const auto truth = nlohmann::json::parse(file);
    for (const auto &pair : truth["pairs"]) {
        const auto after = QString::fromStdString(pair["after"]);
        const auto change = QString::fromStdString(pair["what_if"]);
        QTest::newRow(qPrintable(after + ' ' + change)) << after << change;
    }
}

// What was done can't be done again.
void TestPairs::fixedSideGainsNothing()
{
    QFETCH(QString, after);
    QFETCH(QString, change);
    const AnalysisPtr analysis = analysed(after);
    QVERIFY(analysis && analysis->whatIf && analysis->whatIf->usable());
    const auto changes = parseChanges(change.toStdString());
    QVERIFY(changes);
    const auto base = static_cast<double>(analysis->whatIf->undisturbedStepNs());
    const double predicted = static_cast<double>(analysis->whatIf->predict(*changes).stepNs) / base;
    QVERIFY2(std::fabs(1 - predicted) < 0.03, qPrintable(QString::number(predicted)));
}

void TestPairs::unchangedReplay_data()
{
    QTest::addColumn<QString>("name");
    const auto files = QDir(kFolder).entryList({"*.tlc.gz"});
    QVERIFY(files.size() >= 18);
    for (const QString &file : files)
        QTest::newRow(qPrintable(file)) << file.chopped(7);
}

void TestPairs::unchangedReplay()
{
    QFETCH(QString, name);
    const AnalysisPtr analysis = analysed(name);
    QVERIFY(analysis && analysis->whatIf && analysis->whatIf->usable());
    QVERIFY2(std::fabs(analysis->whatIf->replayError()) <= 0.03,
             qPrintable(QString::number(analysis->whatIf->replayError())));
}

QTEST_GUILESS_MAIN(TestPairs)
#include "tst_pairs.moc"
