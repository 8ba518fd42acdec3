// SPDX-License-Identifier: GPL-3.0-or-later
// The advisor panel beside its timeline, with real clicks and keys.
#include "tests/gui/support/guitest.h"
#include "tests/gui/support/syntheticrun.h"
#include "ui/advisor/advisorpanel.h"
#include "ui/advisor/codeview.h"
#include "ui/advisor/evidencestepper.h"
#include "ui/advisor/findingcard.h"
#include "ui/advisor/whatifpanel.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/breakdown.h"
#include "ui/widgets/tracepage.h"

#include <QClipboard>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QToolButton>

using namespace tuneline;
using namespace tuneline::ui;

namespace {

QToolButton *toolButton(QWidget &parent, const QString &name)
{
    for (QToolButton *button : parent.findChildren<QToolButton *>()) {
        if (button->accessibleName().startsWith(name))
            return button;
    }
    return nullptr;
}

QStringList texts(QWidget &parent)
{
    QStringList all;
    for (QLabel *label : parent.findChildren<QLabel *>())
        all << label->text();
    return all;
}

} // namespace

class AdvisorTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup() { m_page.reset(); }
    void steppingMovesTheTimeline();
    void steppingWrapsAround();
    void cardsOpenAndClose();
    void codeIsCopied();
    void recaptureAsksForTheKnob();
    void healthyRunsGetACleanBill();
    void limitedCapturesAreSaid();
    void breakdownAddsUp();
    void bothStepTimesAreShown();
    void whereAndWhichStepsAreSaid();
    void noDeviceIsSaidInWords();
    void slidersAnswerAtOnce();
    void selectionStartsAStep();

private:
    std::unique_ptr<TracePage> m_page;
    Document m_document;
};

void AdvisorTest::init()
{
    m_page = std::make_unique<TracePage>();
    m_page->resize(1280, 720);
    m_document = test::makeDocument();
    m_page->setDocument(m_document);
    m_page->setAnalysed(m_document);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void AdvisorTest::steppingMovesTheTimeline()
{
    FindingCard *card = m_page->advisor()->cards().front();
    const auto &evidence = m_document.advice->findings.front().evidence;
    QCOMPARE(evidence.size(), std::size_t(3));
    for (const analysis::Evidence &place : evidence) {
        QTest::mouseClick(toolButton(*card, "Next evidence"), Qt::LeftButton);
        const TimeRange shown = m_page->viewState()->range();
        QVERIFY(shown.contains(place.start));
        QVERIFY(shown.contains(place.start + place.duration - 1));
        QVERIFY(shown.length() < m_page->viewState()->bounds().length());
        QCOMPARE(m_page->viewState()->selection(), place.event);
    }
    QVERIFY(texts(*card).contains("3 of 3"));
}

void AdvisorTest::steppingWrapsAround()
{
    m_page->advisor()->previousEvidence();
    EvidenceStepper *stepper = m_page->advisor()->cards().front()->evidence();
    QVERIFY(stepper->current() >= 0);
    for (int i = 0; i < 3; ++i)
        m_page->advisor()->nextEvidence();
    const int before = stepper->current();
    for (int i = 0; i < 3; ++i)
        m_page->advisor()->nextEvidence();
    QCOMPARE(stepper->current(), before);
}

void AdvisorTest::cardsOpenAndClose()
{
    FindingCard *second = m_page->advisor()->cards().at(1);
    QVERIFY(!second->isOpen());
    QTest::mouseClick(toolButton(*second, "Show or hide"), Qt::LeftButton);
    QVERIFY(second->isOpen());
    QVERIFY(texts(*second).join('\n').contains("More workers need more memory."));
    QTest::mouseClick(toolButton(*second, "Show or hide"), Qt::LeftButton);
    QVERIFY(!second->isOpen());
}

void AdvisorTest::codeIsCopied()
{
    auto *code = m_page->advisor()->cards().front()->findChild<CodeView *>();
    QVERIFY(code);
    code->setCurrentIndex(1);
    QSignalSpy copied(code, &CodeView::copied);
    QTest::mouseClick(toolButton(*code, "Copy the code"), Qt::LeftButton);
    QCOMPARE(copied.count(), 1);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("DataLoader(dataset, num_workers=4)"));
}

void AdvisorTest::recaptureAsksForTheKnob()
{
    QSignalSpy asked(m_page.get(), &TracePage::recaptureRequested);
    QPushButton *button = nullptr;
    for (QPushButton *b : m_page->advisor()->findChildren<QPushButton *>()) {
        if (b->text().contains("workers=4"))
            button = b;
    }
    QVERIFY(button);
    QVERIFY(!button->isVisible()); // nobody knows how this run was started
    m_page->advisor()->setCanRecapture(true);
    QVERIFY(button->isVisible());
    button->setFocus();
    QTest::keyClick(button, Qt::Key_Space);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.first().first().toString(), QString("workers=4"));
}

void AdvisorTest::healthyRunsGetACleanBill()
{
    const Document healthy = test::makeHealthyDocument();
    m_page->setDocument(healthy);
    m_page->setAnalysed(healthy);
    QVERIFY(m_page->advisor()->cards().isEmpty());
    const auto banners = m_page->advisor()->findChildren<Banner *>();
    QCOMPARE(banners.size(), 1);
    QCOMPARE(banners.front()->kind(), BannerKind::Good);
    m_page->advisor()->nextEvidence(); // nothing to step through: nothing happens
}

void AdvisorTest::limitedCapturesAreSaid()
{
    Document limited = m_document;
    auto advice = std::make_shared<analysis::Advice>(*m_document.advice);
    advice->capture.verdict = analysis::CaptureVerdict::Limited;
    advice->capture.why = "Only two steady steps.";
    advice->capture.slowdown = 1.25;
    limited.advice = advice;
    m_page->setAnalysed(limited);
    const auto banners = m_page->advisor()->findChildren<Banner *>();
    QCOMPARE(banners.size(), 1);
    QCOMPARE(banners.front()->kind(), BannerKind::Warning);
    QVERIFY(banners.front()->text().contains("Only two steady steps."));
    QVERIFY(banners.front()->text().contains("+25"));
}

void AdvisorTest::bothStepTimesAreShown()
{
    QVERIFY(!texts(*m_page).join('\n').contains("as captured"));
    auto advice = std::make_shared<analysis::Advice>(*m_document.advice);
    advice->step.capturedNs = 2 * advice->step.timeNs;
    m_document.advice = advice;
    m_page->setAnalysed(m_document);
    const QString all = texts(*m_page).join('\n').replace(QChar(0xA0), ' ').replace(QChar(0x202F), ' ');
    QVERIFY2(all.contains("20.0 ms as captured"), qPrintable(all));
    QVERIFY(all.contains("≈ 10.0 ms"));
}

void AdvisorTest::whereAndWhichStepsAreSaid()
{
    QVERIFY(texts(*m_page->advisor()).join('\n').contains("Where the data loader is made."));
    QVERIFY(!texts(*m_page->advisor()).join('\n').contains("replaying"));
    auto advice = std::make_shared<analysis::Advice>(*m_document.advice);
    advice->replay = analysis::ReplayCheck{9'000'000, 0.01, 120, 61, 300};
    m_document.advice = advice;
    m_page->setAnalysed(m_document);
    QVERIFY(texts(*m_page->advisor()).join('\n').contains("the middle 61 of 300 steps (120 to 180, counted from 0)"));
}

void AdvisorTest::breakdownAddsUp()
{
    std::int64_t sum = 0;
    for (const BreakdownPart &part : breakdownParts(m_document.advice->step))
        sum += part.ns;
    QCOMPARE(sum, m_document.advice->step.timeNs);
}

void AdvisorTest::noDeviceIsSaidInWords()
{
    test::RunShape shape;
    shape.device = false;
    const Document cpu = test::makeDocument(shape);
    m_page->setDocument(cpu);
    m_page->setAnalysed(cpu);
    const QStringList all = texts(*m_page);
    QVERIFY(all.contains("no device in this trace"));
    QVERIFY(!all.join('\n').contains("0 % saturated"));
}

GUI_TEST_MAIN(AdvisorTest)
void AdvisorTest::slidersAnswerAtOnce()
{
    WhatIfPanel *panel = m_page->whatIf();
    m_page->tabs()->setCurrentWidget(panel);
    QVERIFY(panel->changes().empty());
    const auto answer = [panel] { return panel->findChild<QLabel *>(QStringLiteral("whatIfAnswer"))->text(); };
    const auto limits = [panel] { return panel->findChild<QLabel *>(QStringLiteral("whatIfLimits"))->text(); };
    const QString before = answer();
    QVERIFY2(before.contains(QStringLiteral("Step now")), qPrintable(before));
    QVERIFY2(limits().contains(QStringLiteral("waiting for input")), qPrintable(limits()));
    QSlider *input = nullptr;
    for (QSlider *slider : panel->findChildren<QSlider *>())
        if (slider->accessibleName().contains(QStringLiteral("batch")))
            input = slider;
    QVERIFY(input && input->isEnabled());
    input->setFocus();
    QTest::keyClick(input, Qt::Key_Home); // no time at all to load a batch
    QCOMPARE(panel->changes().size(), std::size_t{1});
    QVERIFY2(answer().contains(QStringLiteral("→")) && answer().contains(QStringLiteral("-")), qPrintable(answer()));
    QVERIFY2(!limits().contains(QStringLiteral("waiting for input")), qPrintable(limits()));
    for (QPushButton *button : panel->findChildren<QPushButton *>())
        if (button->text() == QStringLiteral("Reset"))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(answer(), before);
}

void AdvisorTest::selectionStartsAStep()
{
    WhatIfPanel *panel = m_page->whatIf();
    m_page->tabs()->setCurrentWidget(panel);
    QPushButton *starts = nullptr;
    for (QPushButton *button : panel->findChildren<QPushButton *>())
        if (button->text().contains(QStringLiteral("starts a step")))
            starts = button;
    QVERIFY(starts && !starts->isEnabled());
    const analysis::EventId event = m_document.advice->findings.front().evidence.front().event.valid()
        ? m_document.advice->findings.front().evidence.front().event
        : analysis::EventId{0U};
    m_page->viewState()->select(event);
    m_page->tabs()->setCurrentWidget(panel); // selecting shows the selection's own tab
    QVERIFY(starts->isEnabled());
    QSignalSpy chosen(m_page.get(), &TracePage::stepStartChosen);
    QTest::mouseClick(starts, Qt::LeftButton);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().value<analysis::EventId>().value, event.value);
}

#include "tst_advisor.moc"
