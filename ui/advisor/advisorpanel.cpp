// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/advisorpanel.h"

#include "analysis/findings/stepparts.h"
#include "ui/advisor/checkedlist.h"
#include "ui/advisor/evidencestepper.h"
#include "ui/advisor/findingcard.h"
#include "ui/advisor/planview.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/collapsible.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/pieces.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace tuneline::ui {

using analysis::CaptureVerdict;
using analysis::CheckResult;

AdvisorPanel::AdvisorPanel(QWidget *parent)
    : QWidget(parent)
    , m_scroll(new QScrollArea)
    , m_column(new QVBoxLayout)
{
    auto *body = new QWidget;
    m_column->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    m_column->setSpacing(kSpace);
    body->setLayout(m_column);
    m_scroll->setWidget(body);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setProperty("role", "page");
    m_scroll->setFrameShape(QFrame::NoFrame);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_scroll);
    setAccessibleName(tr("Advisor"));
}

void AdvisorPanel::clear()
{
    m_cards.clear();
    m_current = nullptr;
    while (QLayoutItem *item = m_column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

void AdvisorPanel::showWaiting(const QString &text)
{
    clear();
    m_column->addWidget(makeWrapped(text, TextRole::Body, "muted"));
    m_column->addStretch();
}

void AdvisorPanel::setDocument(const Document &document)
{
    clear();
    const analysis::Advice &advice = *document.advice;
    addCapture(advice.capture);
    addNote(QString::fromStdString(analysis::replayedStepsText(advice)));
    addFindings(advice);
    if (m_cards.isEmpty())
        addCleanBill(document);
    addPlan(advice);
    addChecked(advice);
    m_column->addStretch();
    m_scroll->verticalScrollBar()->setValue(0);
}

void AdvisorPanel::addCapture(const analysis::CaptureQuality &capture)
{
    QStringList facts;
    if (capture.slowdown)
        facts << tr("capture slow-down %1").arg(changeText(*capture.slowdown - 1));
    if (capture.dropped > 0)
        facts << tr("%1 dropped").arg(plural(static_cast<qint64>(capture.dropped), tr("record"), tr("records")));
    const QString why = QString::fromStdString(capture.why);
    if (capture.verdict == CaptureVerdict::Good) {
        if (!facts.isEmpty())
            addNote(tr("Good capture: %1").arg(facts.join(", ")));
        return;
    }
    auto *banner = new Banner;
    const bool unusable = capture.verdict == CaptureVerdict::Unusable;
    facts.prepend(why);
    facts.removeAll(QString());
    banner->show(unusable ? BannerKind::Error : BannerKind::Warning,
                 unusable ? tr("This capture can't carry a verdict")
                          : tr("Limited capture: read the figures with care"),
                 facts.join(" · "));
    m_column->addWidget(banner);
}

void AdvisorPanel::addNote(const QString &text)
{
    if (!text.isEmpty())
        m_column->addWidget(makeWrapped(text, TextRole::Caption, "muted"));
}

void AdvisorPanel::addFindings(const analysis::Advice &advice)
{
    int rank = 1;
    for (const analysis::Finding &finding : advice.findings) {
        if (finding.rule == "capture-quality" && advice.capture.verdict != CaptureVerdict::Good)
            continue; // the banner above says the same
        auto *card = new FindingCard(finding, rank++, advice.step.timeNs);
        card->setCanRecapture(m_canRecapture);
        connect(card, &FindingCard::opened, this, [this, card] { setCurrent(card); });
        connect(card, &FindingCard::recaptureRequested, this, &AdvisorPanel::recaptureRequested);
        connect(card, &FindingCard::evidenceShown, this, [this, card](const analysis::Evidence &evidence) {
            setCurrent(card);
            emit evidenceShown(evidence);
        });
        m_cards.append(card);
        m_column->addWidget(card);
    }
    if (m_cards.isEmpty())
        return;
    setCurrent(m_cards.front());
    m_current->setOpen(true);
}

void AdvisorPanel::addCleanBill(const Document &document)
{
    const analysis::Advice &advice = *document.advice;
    if (advice.capture.verdict == CaptureVerdict::Unusable)
        return; // nothing was found because nothing could be
    auto *banner = new Banner;
    const auto fine = std::count_if(advice.checked.begin(), advice.checked.end(),
                                    [](const analysis::CheckedRule &rule) { return rule.result == CheckResult::Fine; });
    if (document.analysis->stepSet().empty())
        banner->show(BannerKind::Info, tr("No steps, so no advice on step time"),
                     tr("%1 Mark steps with tuneline/marks.h or the profiler's step() and capture again.")
                         .arg(QString::fromStdString(document.analysis->stepSet().why)));
    else
        banner->show(BannerKind::Good, tr("Nothing to fix was found"),
                     tr("%1 and found fine; the list below says what. The step is limited by: %2.")
                         .arg(plural(fine, tr("thing was checked"), tr("things were checked")),
                              QString::fromStdString(advice.step.bound)));
    m_column->addWidget(banner);
}

void AdvisorPanel::addPlan(const analysis::Advice &advice)
{
    if (advice.plan.empty() || advice.step.timeNs <= 0)
        return;
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(kSpace / 2, 0, kSpace / 2, 0);
    column->addWidget(makeWrapped(tr("Step time after each fix, applied one after another on the replayed run. Gains "
                                     "overlap: they don't add up. Make one change, then Capture again: the comparison "
                                     "says whether it worked."),
                                  TextRole::Caption, "muted"));
    column->addWidget(new PlanView(advice));
    m_column->addWidget(new Collapsible(tr("Plan"), content, true));
}

void AdvisorPanel::addChecked(const analysis::Advice &advice)
{
    if (advice.checked.empty())
        return;
    const auto fine = std::count_if(advice.checked.begin(), advice.checked.end(),
                                    [](const analysis::CheckedRule &rule) { return rule.result == CheckResult::Fine; });
    const QString title = tr("Checked: %1 of %2 fine").arg(fine).arg(advice.checked.size());
    m_column->addWidget(new Collapsible(title, new CheckedList(advice.checked), advice.findings.empty()));
}

void AdvisorPanel::setCanRecapture(bool can)
{
    m_canRecapture = can;
    for (FindingCard *card : m_cards)
        card->setCanRecapture(can);
}

void AdvisorPanel::setCurrent(FindingCard *card)
{
    if (m_current == card)
        return;
    if (m_current)
        m_current->setCurrent(false);
    m_current = card;
    m_current->setCurrent(true);
}

void AdvisorPanel::nextEvidence()
{
    if (!m_current)
        return;
    m_current->evidence()->next();
    reveal(m_current);
}

void AdvisorPanel::previousEvidence()
{
    if (!m_current)
        return;
    m_current->evidence()->previous();
    reveal(m_current);
}

void AdvisorPanel::reveal(FindingCard *card)
{
    m_scroll->ensureWidgetVisible(card->evidence(), 0, kSpace * 2);
}

} // namespace tuneline::ui
