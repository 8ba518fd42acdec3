// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/evidencestepper.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>

namespace tuneline::ui {

EvidenceStepper::EvidenceStepper(std::vector<analysis::Evidence> evidence, QWidget *parent)
    : QWidget(parent)
    , m_evidence(std::move(evidence))
    , m_previous(makeToolButton("previous", tr("Previous evidence ([)")))
    , m_next(makeToolButton("next", tr("Next evidence (])")))
    , m_position(makeLabel({}))
    , m_what(new ElidedLabel({}, Qt::ElideRight))
{
    m_what->setMuted(true);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kSpace / 2);
    row->addWidget(m_previous);
    row->addWidget(m_position);
    row->addWidget(m_next);
    row->addSpacing(kSpace / 2);
    row->addWidget(m_what, 1);
    const int most = static_cast<int>(m_evidence.size());
    m_position->setMinimumWidth(m_position->fontMetrics().horizontalAdvance(tr("%1 of %2").arg(most).arg(most)));
    m_position->setAlignment(Qt::AlignCenter);
    connect(m_previous, &QToolButton::clicked, this, &EvidenceStepper::previous);
    connect(m_next, &QToolButton::clicked, this, &EvidenceStepper::next);
    updateLabels();
}

void EvidenceStepper::next()
{
    go(m_current + 1);
}

void EvidenceStepper::previous()
{
    go(m_current - 1);
}

void EvidenceStepper::go(int index)
{
    const int count = static_cast<int>(m_evidence.size());
    if (count == 0)
        return;
    m_current = (index + count) % count; // round the end: 48 → 1
    updateLabels();
    emit shown(m_evidence[static_cast<std::size_t>(m_current)]);
}

void EvidenceStepper::updateLabels()
{
    const qsizetype count = static_cast<qsizetype>(m_evidence.size());
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    if (m_current < 0) {
        m_position->setText(count == 1 ? tr("1 place")
                                       : tr("%1 places").arg(countText(static_cast<std::uint64_t>(count))));
        m_what->setText(count == 0 ? tr("no single place on the timeline") : tr("step through them on the timeline"));
        return;
    }
    const analysis::Evidence &shown = m_evidence[static_cast<std::size_t>(m_current)];
    m_position->setText(tr("%1 of %2").arg(m_current + 1).arg(count));
    m_what->setText(tr("%1 · %2").arg(durationText(shown.duration), QString::fromStdString(shown.what)));
}

} // namespace tuneline::ui
