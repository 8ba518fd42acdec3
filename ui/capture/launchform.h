// SPDX-License-Identifier: GPL-3.0-or-later
// Launch a training run with the agent in it: program, arguments, folder, environment, window. Remembers the last one.
// GUI thread.
#pragma once

#include "ui/capture/capturerequest.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace tuneline::ui {

class Banner;
class HostPicker;
class WindowForm;

class LaunchForm : public QWidget
{
    Q_OBJECT
public:
    explicit LaunchForm(QWidget *parent = nullptr);

    [[nodiscard]] CaptureRequest request() const;
    void setRequest(const CaptureRequest &request);
    void showProblem(const QString &title, const QString &text); // in place, above the button
    void showHint(const QString &title, const QString &text); // the same, in a quieter tone

signals:
    void launchRequested(const tuneline::ui::CaptureRequest &request);

private:
    void submit();
    void updateButton();
    void browse();
    [[nodiscard]] QWidget *makeProgramRow();

    HostPicker *m_host;
    QLineEdit *m_program;
    QPushButton *m_browse;
    QLineEdit *m_arguments;
    QLineEdit *m_folder;
    QPlainTextEdit *m_environment;
    WindowForm *m_window;
    QCheckBox *m_stopAfter;
    Banner *m_problem;
    QPushButton *m_launch;
};

} // namespace tuneline::ui
