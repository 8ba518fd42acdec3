// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/ledger.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tuneline::analysis;

class LedgerTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void emptyAtFirst();
    void roundTrip();
    void lastDecisionWins();
    void damagedLinesAreCounted();
    void cannotWrite();
    void entryOfAComparison();

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_file;
};

namespace {

LedgerEntry entry(std::string after)
{
    LedgerEntry e;
    e.unixMs = 1;
    e.before = "a.tlc";
    e.after = std::move(after);
    e.change = "workers 0 → 2";
    e.rule = "input-wait";
    e.predictedLow = 0.2;
    e.predictedHigh = 0.4;
    e.measured = 0.3;
    e.verdict = Verdict::Confirmed;
    return e;
}

} // namespace

void LedgerTest::init()
{
    m_file = (m_folder.path() + "/sub/ledger.jsonl").toStdString();
    QFile::remove(QString::fromStdString(m_file.string()));
}

void LedgerTest::emptyAtFirst()
{
    QVERIFY(Ledger(m_file).read()->empty());
}

void LedgerTest::roundTrip()
{
    const Ledger ledger(m_file);
    QVERIFY(ledger.append(entry("b.tlc")));
    LedgerEntry unknown = entry("c.tlc");
    unknown.measured.reset();
    QVERIFY(ledger.append(unknown));
    const auto entries = ledger.read();
    QCOMPARE(entries->size(), std::size_t(2));
    QCOMPARE(entries->at(0).change, std::string("workers 0 → 2"));
    QCOMPARE(entries->at(0).measured, std::optional<double>(0.3));
    QVERIFY(entries->at(0).verdict == Verdict::Confirmed);
    QVERIFY(!entries->at(1).measured);
}

void LedgerTest::lastDecisionWins()
{
    const Ledger ledger(m_file);
    QVERIFY(ledger.append(entry("b.tlc")));
    QVERIFY(ledger.decide(entry("b.tlc"), Decision::Kept));
    const auto entries = ledger.read();
    QCOMPARE(entries->size(), std::size_t(1));
    QVERIFY(entries->at(0).decision == Decision::Kept);
}

void LedgerTest::damagedLinesAreCounted()
{
    const Ledger ledger(m_file);
    QVERIFY(ledger.append(entry("b.tlc")));
    QFile file(QString::fromStdString(m_file.string()));
    QVERIFY(file.open(QIODevice::Append));
    file.write("{\"before\": 3, \"after\": []}\n{\"before\": \"x\", \"af"); // a wrong type; a line cut by a kill
    file.close();
    std::size_t damaged = 0;
    QCOMPARE(ledger.read(&damaged)->size(), std::size_t(1));
    QCOMPARE(damaged, std::size_t(2));
}

void LedgerTest::cannotWrite()
{
    const auto result = Ledger("/proc/nowhere/ledger.jsonl").append(entry("b.tlc"));
    QVERIFY(!result);
    QVERIFY(result.error().code == Error::Code::CannotWrite);
}

void LedgerTest::entryOfAComparison()
{
    Comparison c;
    c.differences = {{"workers", "0", "2", false}};
    c.prediction = PredictionOutcome{"input-wait", 0.1, 0.3, 0.25, true};
    MetricChange step;
    step.change = -0.25;
    c.metrics.push_back(step);
    const LedgerEntry e = ledgerEntry(c, "a", "b");
    QCOMPARE(e.change, std::string("workers 0 → 2"));
    QCOMPARE(e.measured, std::optional<double>(0.25));
    QCOMPARE(e.rule, std::string("input-wait"));
}

QTEST_GUILESS_MAIN(LedgerTest)
#include "tst_ledger.moc"
