// SPDX-License-Identifier: GPL-3.0-or-later
// A capture in progress: state by state, steps, records, what was dropped, the program's own output, and the stop
// button. Owns the session. GUI thread.
#pragma once

#include "ui/capture/capturesession.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace tuneline::ui {

class Banner;
class StateTrack;

class CapturePage : public QWidget
{
    Q_OBJECT
public:
    explicit CapturePage(QWidget *parent = nullptr);

    [[nodiscard]] CaptureSession &session() { return m_session; }
    void start(const CaptureRequest &request);

signals:
    void captured(const QStringList &files); // ready to open
    void leaveRequested(); // back to where the capture was asked for; the session has ended or is abandoned

private:
    void onProgress(const CaptureProgress &progress);
    void onFailed(const ServeError &error);
    void addOutput(const QString &line, bool isError);
    [[nodiscard]] QWidget *makeFigures();

    CaptureSession m_session;
    QLabel *m_title;
    StateTrack *m_track;
    QLabel *m_state;
    QLabel *m_steps;
    QLabel *m_records;
    QLabel *m_dropped;
    QLabel *m_bytes;
    Banner *m_problem;
    QPlainTextEdit *m_output;
    QPushButton *m_stop;
    QPushButton *m_leave;
};

} // namespace tuneline::ui
