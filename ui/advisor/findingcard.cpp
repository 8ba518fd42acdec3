// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/findingcard.h"

#include "analysis/findings/catalogue.h"
#include "ui/advisor/codeview.h"
#include "ui/advisor/evidencestepper.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QVBoxLayout>

namespace tuneline::ui {

using analysis::Confidence;
using analysis::Finding;
using analysis::FindingSeverity;

namespace {

QString text(const std::string &s)
{
    return QString::fromStdString(s);
}

// Of the whole: 0.12 of the step. No percentages without steps.
double shareOf(std::int64_t ns, std::int64_t stepNs)
{
    return static_cast<double>(ns) / static_cast<double>(stepNs);
}

QString gainHeadline(const Finding &finding, std::int64_t stepNs)
{
    if (finding.severity == FindingSeverity::Risk && finding.gain.highNs <= 0)
        return FindingCard::tr("risk");
    if (stepNs <= 0)
        return durationRangeText(finding.gain.lowNs, finding.gain.highNs);
    return percentRangeText(shareOf(finding.gain.lowNs, stepNs), shareOf(finding.gain.highNs, stepNs));
}

QString gainDetail(const Finding &finding, std::int64_t stepNs)
{
    QStringList parts;
    if (finding.gain.highNs > 0)
        parts << FindingCard::tr("saves %1 a step").arg(durationRangeText(finding.gain.lowNs, finding.gain.highNs));
    if (finding.gain.predictedStepNs > 0 && stepNs > 0)
        parts << durationRangeText(stepNs, stepNs) + " → "
                + durationRangeText(finding.gain.predictedStepNs, finding.gain.predictedStepNs);
    if (finding.share > 0)
        parts << FindingCard::tr("concerns %1 of the step").arg(percentText(finding.share));
    return parts.join(" · ");
}

QLabel *confidencePill(Confidence confidence)
{
    switch (confidence) {
    case Confidence::High:
        return makePill(FindingCard::tr("high confidence"), "good");
    case Confidence::Medium:
        return makePill(FindingCard::tr("medium confidence"), "accent");
    case Confidence::Low:
        break;
    }
    return makePill(FindingCard::tr("low confidence"), "warn");
}

void addSection(QVBoxLayout *column, const QString &title, const QString &body)
{
    column->addWidget(makeLabel(title, TextRole::Strong));
    column->addWidget(makeWrapped(body));
}

QString bullets(const std::vector<std::string> &lines)
{
    QStringList list;
    for (const std::string &line : lines)
        list << "• " + text(line);
    return list.join('\n');
}

} // namespace

FindingCard::FindingCard(const Finding &finding, int rank, std::int64_t stepNs, QWidget *parent)
    : QFrame(parent)
    , m_finding(finding)
    , m_evidence(new EvidenceStepper(finding.evidence, this))
    , m_toggle(makeToolButton("next", tr("Show or hide the details")))
    , m_column(new QVBoxLayout(this))
{
    setProperty("role", "card");
    setAccessibleName(text(finding.title));
    m_column->setContentsMargins(kSpace + 2, kSpace, kSpace + 2, kSpace);
    m_column->setSpacing(kSpace - 2);
    m_column->addWidget(makeHead(rank, stepNs));
    m_column->addWidget(m_evidence);
    m_evidence->setVisible(!finding.evidence.empty());
    connect(m_evidence, &EvidenceStepper::shown, this, &FindingCard::evidenceShown);
    connect(m_toggle, &QToolButton::clicked, this, [this] {
        setOpen(!isOpen());
        emit opened();
    });
}

QWidget *FindingCard::makeHead(int rank, std::int64_t stepNs)
{
    auto *head = new QWidget;
    auto *column = new QVBoxLayout(head);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    auto *top = new QHBoxLayout;
    top->setSpacing(kSpace);
    QLabel *title = makeWrapped(QString("%1. %2").arg(rank).arg(text(m_finding.title)), TextRole::Strong);
    title->setTextInteractionFlags(Qt::NoTextInteraction); // clicks open the card
    const bool risk = m_finding.severity == FindingSeverity::Risk;
    top->addWidget(title, 1);
    top->addWidget(m_toggle, 0, Qt::AlignTop);

    auto *figures = new QHBoxLayout;
    figures->setSpacing(kSpace);
    const char *tone = risk ? "warn" : m_finding.gain.lowNs > 0 ? "good" : ""; // green only what is sure to help
    figures->addWidget(makeLabel(gainHeadline(m_finding, stepNs), TextRole::Figure, tone), 0, Qt::AlignBaseline);
    if (!risk)
        figures->addWidget(makeLabel(tr("of the step"), TextRole::Caption, "muted"), 0, Qt::AlignBaseline);
    figures->addStretch();
    figures->addWidget(confidencePill(m_finding.confidence), 0, Qt::AlignVCenter);

    column->addLayout(top);
    column->addLayout(figures);
    const QString detail = gainDetail(m_finding, stepNs);
    if (!detail.isEmpty())
        column->addWidget(makeWrapped(detail, TextRole::Caption, "muted"));
    return head;
}

QWidget *FindingCard::makeBody()
{
    auto *body = new QWidget;
    auto *column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpace / 2 + 1);
    column->addWidget(makeWrapped(text(m_finding.explanation)));
    column->addSpacing(kSpace / 2);
    addFix(column);
    addLists(column);
    return body;
}

void FindingCard::addFix(QVBoxLayout *column)
{
    if (!m_finding.fix.cpp.empty() || !m_finding.fix.python.empty()) {
        column->addWidget(makeLabel(tr("Fix"), TextRole::Strong));
        if (!m_finding.fix.where.empty())
            column->addWidget(makeWrapped(text(m_finding.fix.where)));
        column->addWidget(new CodeView(text(m_finding.fix.cpp), text(m_finding.fix.python)));
        column->addWidget(makeWrapped(text(analysis::kSnippetNames), TextRole::Caption, "muted"));
    }
    if (m_finding.fix.knob) {
        const QString knob = text(*m_finding.fix.knob);
        QPushButton *button = makeButton(tr("Capture again with %1").arg(knob), "again");
        button->setVisible(m_canRecapture);
        m_recapture = button;
        connect(button, &QPushButton::clicked, this, [this, knob] { emit recaptureRequested(knob); });
        column->addWidget(button, 0, Qt::AlignLeft);
    }
    column->addSpacing(kSpace / 2);
}

void FindingCard::addLists(QVBoxLayout *column)
{
    if (!m_finding.verify.metric.empty())
        addSection(column, tr("Worked if"),
                   QString("%1: %2").arg(text(m_finding.verify.metric), text(m_finding.verify.expect)));
    if (!m_finding.caveats.empty())
        addSection(column, tr("Mind"), bullets(m_finding.caveats));
    if (!m_finding.makesUseless.empty()) {
        QStringList rules;
        for (const std::string &rule : m_finding.makesUseless)
            rules << text(rule);
        addSection(column, tr("Then no longer needed"), rules.join(", "));
    }
    column->addWidget(makeLabel(tr("rule %1").arg(text(m_finding.rule)), TextRole::Caption, "muted"));
}

void FindingCard::setOpen(bool open)
{
    if (open && !m_body) {
        m_body = makeBody();
        m_column->addWidget(m_body);
    }
    if (m_body)
        m_body->setVisible(open);
    m_toggle->setIcon(icon(open ? "down" : "next", IconTone::Muted));
}

bool FindingCard::isOpen() const
{
    return m_body && !m_body->isHidden();
}

void FindingCard::setCurrent(bool current)
{
    setProperty("current", current);
    setRole(this, "card"); // polishes
}

void FindingCard::setCanRecapture(bool can)
{
    m_canRecapture = can;
    if (m_recapture)
        m_recapture->setVisible(can);
}

void FindingCard::mousePressEvent(QMouseEvent *event)
{
    QFrame::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (!isOpen())
        setOpen(true);
    emit opened();
}

} // namespace tuneline::ui
