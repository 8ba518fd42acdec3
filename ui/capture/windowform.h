// SPDX-License-Identifier: GPL-3.0-or-later
// The capture window's settings in one row: warm-up, steps or seconds, detail. Shared by launch and attach. GUI thread.
#pragma once

#include "ui/capture/capturerequest.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace tuneline::ui {

class WindowForm : public QWidget
{
    Q_OBJECT
public:
    explicit WindowForm(QWidget *parent = nullptr);
    [[nodiscard]] CaptureWindow window() const;
    void setWindow(const CaptureWindow &window);

private:
    void explainDetail();

    QSpinBox *m_warmup;
    QSpinBox *m_steps;
    QDoubleSpinBox *m_seconds;
    QComboBox *m_detail;
    QComboBox *m_graphs;
    QLabel *m_note; // what the chosen detail records and costs
};

} // namespace tuneline::ui
