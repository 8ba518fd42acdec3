// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison: two timelines that move together, metrics, verdict, ledger.
#include "tests/gui/support/guitest.h"
#include "tests/gui/support/syntheticrun.h"
#include "ui/compare/compareloader.h"
#include "ui/compare/comparepage.h"
#include "ui/compare/ledgermodel.h"
#include "ui/compare/metricsmodel.h"
#include "ui/compare/opchangemodel.h"
#include "ui/compare/stepaligner.h"
#include "ui/compare/verdictbar.h"
#include "ui/timeline/timelinewidget.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolButton>

using namespace tuneline;
using namespace tuneline::ui;

class ComparePageTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup() { m_page.reset(); }
    void bothTimelinesMoveTogether();
    void stepsStayAboveEachOther();
    void pairsDontSendEachOtherBack();
    void theLinkCanBeSwitchedOff();
    void theVerdictIsShown();
    void modelsBehave();
    void decisionsReachTheLedger();
    void metricTexts();

private:
    void press(const QString &text) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ComparePage> m_page;
    CompareDocument m_document;
};

void ComparePageTest::initTestCase()
{
    Document before = test::makeDocument();
    test::RunShape shape;
    shape.inputNs = 1'000'000;
    Document after = test::makeDocument(shape);
    before.files = {"before.json"};
    after.files = {"after.json"};
    CompareLoader loader;
    QSignalSpy finished(&loader, &CompareLoader::finished);
    loader.compare(before, after);
    QTRY_COMPARE(finished.count(), 1);
    m_document = loader.document();
}

void ComparePageTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_page = std::make_unique<ComparePage>();
    m_page->setLedger(analysis::Ledger(m_folder->filePath("ledger.jsonl").toStdString()));
    m_page->resize(1280, 720);
    m_page->setDocument(m_document);
    m_page->show();
    m_page->activateWindow(); // keys go to the active window only
    QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
}

void ComparePageTest::press(const QString &text) const
{
    for (QPushButton *button : m_page->findChildren<QPushButton *>()) {
        if (button->text() == text) {
            QTest::mouseClick(button, Qt::LeftButton);
            return;
        }
    }
    QFAIL(qPrintable("no button " + text));
}

void ComparePageTest::bothTimelinesMoveTogether()
{
    ViewState *before = m_page->beforeState();
    ViewState *after = m_page->afterState();
    const std::int64_t length = before->range().length();
    QCOMPARE(after->range().length(), length);
    // A real key on the upper timeline: D pans to the right.
    const TimeRange upper = before->range();
    const TimeRange lower = after->range();
    m_page->beforeTimeline()->setFocus();
    QVERIFY(QApplication::focusWidget());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_D);
    QTRY_VERIFY(before->range() != upper);
    QCOMPARE(after->range().length(), before->range().length());
    QVERIFY(after->range() != lower);
}

void ComparePageTest::stepsStayAboveEachOther()
{
    const auto &steps = m_document.result->alignment;
    QVERIFY(steps.size() >= 3);
    QToolButton *next = nullptr;
    for (QToolButton *button : m_page->findChildren<QToolButton *>()) {
        if (button->accessibleName().startsWith("Next pair"))
            next = button;
    }
    QVERIFY(next);
    QTest::mouseClick(next, Qt::LeftButton);
    QTest::mouseClick(next, Qt::LeftButton);
    const auto &beforeStep = m_document.before.analysis->stepSet().list[steps[2].before];
    const auto &afterStep = m_document.after.analysis->stepSet().list[steps[2].after];
    const std::int64_t fromEdgeBefore = beforeStep.start - m_page->beforeState()->range().from;
    const std::int64_t fromEdgeAfter = afterStep.start - m_page->afterState()->range().from;
    QCOMPARE(fromEdgeAfter, fromEdgeBefore);
}

// A range longer than either trace: aligned by the first pair its middle is in the second, and the other way round.
void ComparePageTest::pairsDontSendEachOtherBack()
{
    constexpr std::int64_t kMs = 1'000'000;
    ViewState before, after;
    before.reset({0, 1000 * kMs});
    after.reset({0, 1000 * kMs});
    analysis::StepSet steps;
    for (const std::int64_t start : {std::int64_t{0}, std::int64_t{600}}) {
        analysis::Step step;
        step.start = start * kMs;
        step.end = (start + 100) * kMs;
        steps.list.push_back(step);
    }
    std::vector<analysis::AlignedStep> pairs(2);
    pairs[0].offsetNs = 500 * kMs;
    pairs[1].before = 1;
    pairs[1].offsetNs = -500 * kMs;
    StepAligner aligner(&before, &after);
    aligner.setSteps(steps, pairs);
    QCOMPARE(aligner.current(), 0);
    before.setRange({0, 1400 * kMs});
    QCOMPARE(aligner.current(), 1);
    QVERIFY(before.range() == (TimeRange{-400 * kMs, 1000 * kMs}));
    QVERIFY(after.range() == before.range().shifted(500 * kMs));
}

void ComparePageTest::theLinkCanBeSwitchedOff()
{
    auto *together = m_page->findChild<QCheckBox *>();
    QVERIFY(together->isChecked());
    QTest::mouseClick(together, Qt::LeftButton, {}, QPoint(8, together->height() / 2));
    QVERIFY(!together->isChecked());
    const TimeRange lower = m_page->afterState()->range();
    m_page->beforeState()->panBy(1'000'000);
    QCOMPARE(m_page->afterState()->range(), lower);
}

void ComparePageTest::theVerdictIsShown()
{
    const QStringList words{"Confirmed", "Not confirmed", "Regressed", "Not comparable"};
    const auto verdict = static_cast<int>(m_document.result->comparison.verdict);
    QCOMPARE(m_page->verdict()->verdictText(), words.at(verdict));
}

void ComparePageTest::modelsBehave()
{
    MetricsModel metrics;
    const QAbstractItemModelTester a(&metrics, QAbstractItemModelTester::FailureReportingMode::QtTest);
    OpChangeModel ops;
    const QAbstractItemModelTester b(&ops, QAbstractItemModelTester::FailureReportingMode::QtTest);
    LedgerModel ledger;
    const QAbstractItemModelTester c(&ledger, QAbstractItemModelTester::FailureReportingMode::QtTest);
    metrics.setResult(m_document.result);
    ops.setResult(m_document.result);
    ledger.setEntries({analysis::LedgerEntry{}, analysis::LedgerEntry{}});
    QCOMPARE(metrics.rowCount(), static_cast<int>(m_document.result->comparison.metrics.size()));
    QVERIFY(metrics.rowCount() > 0);
    QCOMPARE(ledger.rowCount(), 2);
    metrics.setResult({});
    QCOMPARE(metrics.rowCount(), 0);
}

void ComparePageTest::decisionsReachTheLedger()
{
    const analysis::Ledger ledger(m_folder->filePath("ledger.jsonl").toStdString());
    QCOMPARE(ledger.read()->size(), std::size_t(1));
    QCOMPARE(ledger.read()->front().decision, analysis::Decision::Open);
    press("Keep");
    QCOMPARE(ledger.read()->size(), std::size_t(1));
    QCOMPARE(ledger.read()->front().decision, analysis::Decision::Kept);
    m_page->setDocument(m_document); // the same pair again adds nothing
    QCOMPARE(ledger.read()->size(), std::size_t(1));
}

void ComparePageTest::metricTexts()
{
    analysis::MetricChange metric;
    metric.unit = "ns";
    QCOMPARE(metricText(metric, std::nullopt), QString("not known"));
    metric.change = -0.2;
    metric.significant = true;
    QCOMPARE(directionOf(metric), Direction::Better);
    metric.lowerIsBetter = false;
    QCOMPARE(directionOf(metric), Direction::Worse);
    metric.significant = false;
    QCOMPARE(directionOf(metric), Direction::None);
}

GUI_TEST_MAIN(ComparePageTest)
#include "tst_comparepage.moc"
