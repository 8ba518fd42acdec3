// SPDX-License-Identifier: GPL-3.0-or-later
// What if: sliders on the replay of the event graph. A class of kernels faster, the input faster, one wait gone: the
// new step time and what limits it then, at once. Also where the user says what starts a step. GUI thread.
#pragma once

#include "analysis/whatif/change.h"
#include "ui/jobs/document.h"
#include "ui/models/viewstate.h"

#include <QPointer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace tuneline::ui {

class WhatIfPanel : public QWidget
{
    Q_OBJECT
public:
    explicit WhatIfPanel(QWidget *parent = nullptr);

    void setAnalysis(analysis::AnalysisPtr analysis); // null: nothing to ask yet
    void setViewState(ViewState *state); // follows its selection

    [[nodiscard]] std::vector<analysis::Change> changes() const; // as the sliders stand

signals:
    // That event starts a step, and all of its name; invalid = find the steps.
    void stepStartChosen(tuneline::analysis::EventId event);

private:
    void buildRows();
    void fillKernels();
    void select(analysis::EventId event);
    void reset();
    void update();

    analysis::AnalysisPtr m_analysis;
    QPointer<ViewState> m_view;
    analysis::EventId m_event; // selected
    QLabel *m_answer, *m_limits;
    QComboBox *m_kernels;
    QSlider *m_kernelFactor, *m_inputFactor;
    QLabel *m_kernelText, *m_inputText;
    QCheckBox *m_noWait;
    QPushButton *m_startsStep, *m_findSteps, *m_reset;
};

} // namespace tuneline::ui
