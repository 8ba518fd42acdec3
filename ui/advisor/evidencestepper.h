// SPDX-License-Identifier: GPL-3.0-or-later
// ◀ 3 of 48 ▶ through the evidence of a finding. Each step shows what it is and asks the timeline to go there. GUI
// thread.
#pragma once

#include "analysis/findings/finding.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace tuneline::ui {

class ElidedLabel;

class EvidenceStepper : public QWidget
{
    Q_OBJECT
public:
    explicit EvidenceStepper(std::vector<analysis::Evidence> evidence, QWidget *parent = nullptr);

    void next();
    void previous();
    [[nodiscard]] int current() const { return m_current; } // -1: none shown yet

signals:
    void shown(const tuneline::analysis::Evidence &evidence);

private:
    void go(int index);
    void updateLabels();

    std::vector<analysis::Evidence> m_evidence;
    int m_current = -1;
    QToolButton *m_previous;
    QToolButton *m_next;
    QLabel *m_position;
    ElidedLabel *m_what;
};

} // namespace tuneline::ui
