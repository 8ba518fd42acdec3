// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar's content: file, events, what the import says, capture slow-down, analysis under way. GUI thread.
#pragma once

#include "ui/jobs/document.h"

#include <QStatusBar>

class QLabel;
class QToolButton;

namespace tuneline::ui {

class StatusLine : public QStatusBar
{
    Q_OBJECT
public:
    explicit StatusLine(QWidget *parent = nullptr);
    void showNothing();
    void showDocument(const Document &document);
    void showText(const QString &text); // instead of a document: "before.tlc → after.tlc"
    void showActivity(const QString &text); // at the right; "" = none
    [[nodiscard]] QToolButton *importButton() const { return m_import; }

signals:
    void reportRequested();

private:
    QLabel *m_file;
    QLabel *m_events;
    QToolButton *m_import;
    QLabel *m_capture;
    QLabel *m_activity;
};

} // namespace tuneline::ui
