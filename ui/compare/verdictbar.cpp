// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/verdictbar.h"

#include "ui/compare/metricsmodel.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace tuneline::ui {

using analysis::Comparison;
using analysis::Verdict;

namespace {

struct Look
{
    QString text;
    const char *tone; // of the strip
    const char *icon;
    IconTone iconTone;
};

Look lookOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Confirmed:
        return {VerdictBar::tr("Confirmed"), "good", "check", IconTone::Good};
    case Verdict::Regressed:
        return {VerdictBar::tr("Regressed"), "bad", "error", IconTone::Bad};
    case Verdict::NotComparable:
        return {VerdictBar::tr("Not comparable"), "warn", "warning", IconTone::Warn};
    case Verdict::NotConfirmed:
        break;
    }
    return {VerdictBar::tr("Not confirmed"), "info", "info", IconTone::Accent};
}

QString headlineOf(const Comparison &comparison)
{
    if (comparison.metrics.empty())
        return {};
    if (comparison.scaling) // the step times of one device and of several would mislead here
        return VerdictBar::tr("%1 devices against one: %2 of their throughput reached")
            .arg(comparison.scaling->devices)
            .arg(percentText(comparison.scaling->efficiency));
    const analysis::MetricChange &step = comparison.metrics.front();
    QString text = VerdictBar::tr("step %1 → %2").arg(metricText(step, step.before), metricText(step, step.after));
    if (step.change)
        text += "  " + changeText(*step.change);
    return text;
}

} // namespace

VerdictBar::VerdictBar(QWidget *parent)
    : QFrame(parent)
    , m_icon(new QLabel)
    , m_verdict(makeLabel({}, TextRole::Figure))
    , m_headline(makeLabel({}, TextRole::Strong))
    , m_why(makeWrapped({}))
    , m_notes(makeWrapped({}, TextRole::Caption, "muted"))
    , m_keep(makeButton(tr("Keep")))
    , m_discard(makeButton(tr("Discard")))
    , m_decision(makePill({}))
{
    setProperty("role", "banner");
    m_keep->setToolTip(tr("Note in the ledger that the change stays"));
    m_discard->setToolTip(tr("Note in the ledger that the change is taken back"));
    auto *head = new QHBoxLayout;
    head->setSpacing(kSpace);
    head->addWidget(m_icon);
    head->addWidget(m_verdict);
    head->addSpacing(kSpace);
    head->addWidget(m_headline);
    head->addStretch();
    head->addWidget(m_decision);
    head->addWidget(m_keep);
    head->addWidget(m_discard);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(kSpace + 4, kSpace - 2, kSpace + 4, kSpace - 2);
    column->setSpacing(2);
    column->addLayout(head);
    column->addWidget(m_why);
    column->addWidget(m_notes);
    connect(m_keep, &QPushButton::clicked, this, &VerdictBar::kept);
    connect(m_discard, &QPushButton::clicked, this, &VerdictBar::discarded);
}

void VerdictBar::setComparison(const Comparison &comparison)
{
    const Look look = lookOf(comparison.verdict);
    m_icon->setPixmap(iconPixmap(look.icon, look.iconTone, 20, devicePixelRatioF()));
    m_verdict->setText(look.text);
    m_headline->setText(headlineOf(comparison));
    m_why->setText(QString::fromStdString(comparison.why));
    QStringList notes;
    for (const std::string &note : comparison.notes)
        notes << QString::fromStdString(note);
    if (comparison.scaling)
        notes << QString::fromStdString(analysis::scalingText(*comparison.scaling));
    if (!comparison.bottleneckAfter.empty())
        notes << tr("bottleneck: %1 → %2")
                     .arg(QString::fromStdString(comparison.bottleneckBefore),
                          QString::fromStdString(comparison.bottleneckAfter));
    m_notes->setText(notes.join(" · "));
    m_notes->setVisible(!notes.isEmpty());
    setAccessibleName(look.text);
    setAccessibleDescription(m_why->text());
    setTone(this, look.tone);
}

void VerdictBar::setDecision(bool decided, bool kept)
{
    m_decision->setVisible(decided);
    m_decision->setText(kept ? tr("kept") : tr("discarded"));
    setTone(m_decision, kept ? "good" : "muted");
}

QString VerdictBar::verdictText() const
{
    return m_verdict->text();
}

} // namespace tuneline::ui
