// SPDX-License-Identifier: GPL-3.0-or-later
// What was fixed is not advised again: the measured pairs (tests/data/pairs), the rule of each on both sides.
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "tests/unit/findings/scene.h"

#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;

namespace {

const std::string kFolder = TUNELINE_SOURCE_DIR "/tests/data/pairs/";
constexpr double kClaim = 0.05; // of the step

struct Claim
{
    bool opened = false;
    double highest = 0; // gain that the rule promises, of the step; 0 = no finding
};

Claim claimOf(const std::string &capture, const std::string &rule)
{
    Progress progress;
    const auto trace = openTrace({kFolder + capture + ".tlc.gz"}, progress);
    if (!trace)
        return {};
    const auto analysis = analyse(*trace, {}, progress);
    if (!analysis)
        return {};
    const Advice advice = advise(**analysis);
    const Finding *f = findingOf(advice, rule);
    return {true, f ? static_cast<double>(f->gain.highNs) / static_cast<double>(advice.step.timeNs) : 0};
}

} // namespace

class TestRefuted : public QObject
{
    Q_OBJECT
private slots:
    void fixIsNotAdvisedAgain_data();
    void fixIsNotAdvisedAgain();
    void someAreAdvisedBefore();

private:
    static nlohmann::json pairs()
    {
        std::ifstream file(kFolder + "truth.json");
        return nlohmann::json::parse(file)["pairs"];
    }
    static std::string ruleOf(const nlohmann::json &pair)
    {
        const std::string change = pair["what_if"];
        return change.substr(0, change.find(':'));
    }
};

void TestRefuted::fixIsNotAdvisedAgain_data()
{
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("rule");
    for (const auto &pair : pairs()) {
        const auto after = QString::fromStdString(pair["after"]), rule = QString::fromStdString(ruleOf(pair));
        QTest::newRow(qPrintable(after + ' ' + rule)) << after << rule;
    }
}

void TestRefuted::fixIsNotAdvisedAgain()
{
    QFETCH(QString, after);
    QFETCH(QString, rule);
    const Claim claim = claimOf(after.toStdString(), rule.toStdString());
    QVERIFY(claim.opened);
    QVERIFY2(claim.highest <= kClaim, qPrintable(QString("claims %1 %").arg(100 * claim.highest)));
}

// Rules that never speak would pass the test above.
void TestRefuted::someAreAdvisedBefore()
{
    int spoken = 0, all = 0;
    for (const auto &pair : pairs()) {
        ++all;
        spoken += claimOf(pair["before"], ruleOf(pair)).highest > kClaim;
    }
    QVERIFY2(2 * spoken > all, qPrintable(QString("%1 of %2").arg(spoken).arg(all)));
}

QTEST_GUILESS_MAIN(TestRefuted)
#include "tst_refuted.moc"
