// SPDX-License-Identifier: GPL-3.0-or-later
// What is being opened, how far it is, and the way out. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace tuneline::ui {

class ElidedLabel;

class LoadingPage : public QWidget
{
    Q_OBJECT
public:
    explicit LoadingPage(QWidget *parent = nullptr);
    void begin(const QString &title, const QString &detail);
    void setProgress(int permille, const QString &stage);

signals:
    void cancelled();

private:
    ElidedLabel *m_title;
    ElidedLabel *m_detail;
    QLabel *m_stage;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
};

} // namespace tuneline::ui
