// SPDX-License-Identifier: GPL-3.0-or-later
// One finding: title, gain and confidence always; explanation, evidence, fix, what to verify and caveats when it is
// open. GUI thread.
#pragma once

#include "analysis/findings/finding.h"

#include <QFrame>

class QBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace tuneline::ui {

class EvidenceStepper;

class FindingCard : public QFrame
{
    Q_OBJECT
public:
    // stepNs: the undisturbed step, base of all percentages; 0 = no steps.
    FindingCard(const analysis::Finding &finding, int rank, std::int64_t stepNs, QWidget *parent = nullptr);

    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const;
    void setCurrent(bool current); // evidence keys go to this one
    [[nodiscard]] EvidenceStepper *evidence() const { return m_evidence; }
    [[nodiscard]] const analysis::Finding &finding() const { return m_finding; }
    void setCanRecapture(bool can); // whether "capture again" makes sense for this run

signals:
    void opened(); // by the user
    void evidenceShown(const tuneline::analysis::Evidence &evidence);
    void recaptureRequested(const QString &knob); // "workers=6"

protected:
    void mousePressEvent(QMouseEvent *event) override;

private:
    [[nodiscard]] QWidget *makeHead(int rank, std::int64_t stepNs);
    [[nodiscard]] QWidget *makeBody();
    void addFix(QVBoxLayout *column);
    void addLists(QVBoxLayout *column);

    analysis::Finding m_finding;
    EvidenceStepper *m_evidence;
    QToolButton *m_toggle;
    QWidget *m_body = nullptr; // made when it is first opened: a report may have dozens of cards
    QWidget *m_recapture = nullptr;
    bool m_canRecapture = false;
    QVBoxLayout *m_column;
};

} // namespace tuneline::ui
