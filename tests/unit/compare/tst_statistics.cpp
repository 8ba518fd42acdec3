// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/statistics.h"

#include <QTest>
#include <cmath>
#include <random>

using namespace tuneline::analysis;

namespace {

// Runs of steps whose run centres scatter by `between` and whose steps scatter by `within`.
std::vector<Samples> runs(std::mt19937 &random, int count, double centre, double between, double within)
{
    std::normal_distribution<double> normal;
    std::vector<Samples> result;
    for (int r = 0; r < count; ++r) {
        const double runCentre = centre * std::exp(between * normal(random));
        Samples steps;
        for (int s = 0; s < 8; ++s)
            steps.push_back(runCentre * std::exp(within * normal(random)));
        result.push_back(steps);
    }
    return result;
}

} // namespace

class StatisticsTest : public QObject
{
    Q_OBJECT

private slots:
    void medians();
    void spreadIgnoresOneOutlier();
    void knownChange();
    void tooLittleData();
    void sameConfigurationIsRarelySignificant();
    void singlePairNeedsMoreThanRunNoise();
    void repeatsSeeSmallChanges();
    void intervalCoversTheTruth();
};

void StatisticsTest::medians()
{
    QCOMPARE(median({3, 1, 2}), 2.0);
    QCOMPARE(median({4, 1, 3, 2}), 2.5);
    QVERIFY(std::isnan(median({})));
}

void StatisticsTest::spreadIgnoresOneOutlier()
{
    QCOMPARE(robustSpread({10, 10, 10, 10, 1000}), 0.0);
    QVERIFY(std::abs(robustSpread({9, 10, 11}) - 1.4826) < 1e-9);
}

void StatisticsTest::knownChange()
{
    const Samples before{100, 101, 99, 100, 100, 101, 99, 100}, after{70, 71, 69, 70, 70, 71, 69, 70};
    const auto r = compareSamples({before}, {after});
    QVERIFY(r);
    QVERIFY(std::abs(r->change + 0.3) < 1e-3);
    QVERIFY(r->significant);
    QVERIFY(r->low < -0.3 && -0.3 < r->high && r->high < 0);
}

void StatisticsTest::tooLittleData()
{
    QVERIFY(!compareSamples({}, {{1, 2, 3}}));
    QVERIFY(!compareSamples({{1}}, {{1, 2, 3}}));
    QVERIFY(!compareSamples({{0, -1, 0}}, {{1, 2, 3}}));
}

void StatisticsTest::sameConfigurationIsRarelySignificant()
{
    std::mt19937 random(1);
    int alarms = 0;
    for (int i = 0; i < 400; ++i) {
        const auto r = compareSamples(runs(random, 1, 50, 0.03, 0.05), runs(random, 1, 50, 0.03, 0.05));
        alarms += r && r->significant;
    }
    QVERIFY2(alarms <= 20, qPrintable(QString::number(alarms))); // 5 %
}

void StatisticsTest::singlePairNeedsMoreThanRunNoise()
{
    const Samples before{100, 100.1, 99.9, 100, 100.05}, after{96, 96.1, 95.9, 96, 96.05};
    QVERIFY(!compareSamples({before}, {after})->significant); // 4 % may be the machine's mood
}

void StatisticsTest::repeatsSeeSmallChanges()
{
    std::mt19937 random(2);
    const auto before = runs(random, 6, 100, 0.005, 0.01), after = runs(random, 6, 95, 0.005, 0.01);
    QVERIFY(compareSamples(before, after)->significant);
}

void StatisticsTest::intervalCoversTheTruth()
{
    std::mt19937 random(3);
    int covered = 0;
    constexpr int kTrials = 400;
    for (int i = 0; i < kTrials; ++i) {
        const auto r = compareSamples(runs(random, 5, 100, 0.04, 0.03), runs(random, 5, 80, 0.04, 0.03));
        covered += r->low <= -0.2 && -0.2 <= r->high;
    }
    QVERIFY2(covered >= kTrials * 92 / 100, qPrintable(QString::number(covered)));
}

QTEST_GUILESS_MAIN(StatisticsTest)
#include "tst_statistics.moc"
