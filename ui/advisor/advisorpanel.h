// SPDX-License-Identifier: GPL-3.0-or-later
// The advisor: can this capture be trusted, what to change in which order, what was checked and fine. GUI thread.
#pragma once

#include "ui/jobs/document.h"

#include <QWidget>

class QScrollArea;
class QVBoxLayout;

namespace tuneline::ui {

class FindingCard;

class AdvisorPanel : public QWidget
{
    Q_OBJECT
public:
    explicit AdvisorPanel(QWidget *parent = nullptr);

    void showWaiting(const QString &text); // in place of the advice
    void setDocument(const Document &document); // analysed
    void setCanRecapture(bool can);

    [[nodiscard]] const QList<FindingCard *> &cards() const { return m_cards; }
    void nextEvidence(); // of the current finding; the first if none is current
    void previousEvidence();

signals:
    void evidenceShown(const tuneline::analysis::Evidence &evidence);
    void recaptureRequested(const QString &knob);

private:
    void clear();
    void addCapture(const analysis::CaptureQuality &capture);
    void addNote(const QString &text); // nothing where it is empty
    void addFindings(const analysis::Advice &advice);
    void addCleanBill(const Document &document);
    void addPlan(const analysis::Advice &advice);
    void addChecked(const analysis::Advice &advice);
    void setCurrent(FindingCard *card);
    void reveal(FindingCard *card);

    QScrollArea *m_scroll;
    QVBoxLayout *m_column;
    QList<FindingCard *> m_cards;
    FindingCard *m_current = nullptr;
    bool m_canRecapture = false;
};

} // namespace tuneline::ui
