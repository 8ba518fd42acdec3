// SPDX-License-Identifier: GPL-3.0-or-later
// Real runs with one planted fault each, or none (tests/data/planted): the fault is named among the first findings, and
// what was not planted isn't claimed.
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "tests/unit/findings/scene.h"

#include <QTest>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;
using nlohmann::json;

namespace {

const std::string kFolder = TUNELINE_SOURCE_DIR "/tests/data/planted/";
constexpr double kShown = 0.02, kClaim = 0.05; // of the step

json runs()
{
    std::ifstream file(kFolder + "planted.json");
    return json::parse(file)["runs"];
}

bool names(const json &run, const char *list, const std::string &rule)
{
    const auto found = run.find(list);
    return found != run.end() && std::find(found->begin(), found->end(), rule) != found->end();
}

} // namespace

class TestPlanted : public QObject
{
    Q_OBJECT
private slots:
    void advice_data();
    void advice();
};

void TestPlanted::advice_data()
{
    QTest::addColumn<QString>("name");
    const json all = runs();
    QVERIFY(all.size() >= 12);
    for (const auto &[name, run] : all.items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestPlanted::advice()
{
    QFETCH(QString, name);
    const json run = runs()[name.toStdString()];
    Progress progress;
    const auto trace = openTrace({kFolder + name.toStdString() + ".json.gz"}, progress);
    QVERIFY(trace);
    const auto analysis = analyse(*trace, {}, progress);
    QVERIFY(analysis);
    const Advice advice = advise(**analysis);
    const auto step = static_cast<double>(advice.step.timeNs);
    bool found = run["must"].empty();
    const std::size_t top = run.value("top", advice.findings.size());
    for (std::size_t i = 0; i < advice.findings.size(); ++i) {
        const Finding &f = advice.findings[i];
        const bool risk = f.severity == FindingSeverity::Risk;
        const double low = static_cast<double>(f.gain.lowNs) / step, high = static_cast<double>(f.gain.highNs) / step;
        const std::string said = f.rule + " claims " + std::to_string(low) + " to " + std::to_string(high);
        found = found || (i < top && names(run, "must", f.rule) && (risk || high >= kShown));
        QVERIFY2(!names(run, "never", f.rule) || high <= kClaim, said.c_str());
        if (run.contains("may"))
            QVERIFY2(risk || names(run, "may", f.rule) || low <= kClaim, said.c_str());
    }
    QVERIFY2(found, run["planted"].get<std::string>().c_str());
}

QTEST_GUILESS_MAIN(TestPlanted)
#include "tst_planted.moc"
