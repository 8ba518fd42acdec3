// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict of a comparison in one strip: the word, the headline figures, why, and what weakens it. GUI thread.
#pragma once

#include "analysis/compare/compare.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace tuneline::ui {

class VerdictBar : public QFrame
{
    Q_OBJECT
public:
    explicit VerdictBar(QWidget *parent = nullptr);
    void setComparison(const analysis::Comparison &comparison);
    void setDecision(bool decided, bool kept); // what the ledger says
    [[nodiscard]] QString verdictText() const;

signals:
    void kept();
    void discarded();

private:
    QLabel *m_icon;
    QLabel *m_verdict;
    QLabel *m_headline;
    QLabel *m_why;
    QLabel *m_notes;
    QPushButton *m_keep;
    QPushButton *m_discard;
    QLabel *m_decision;
};

} // namespace tuneline::ui
