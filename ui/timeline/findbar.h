// SPDX-License-Identifier: GPL-3.0-or-later
// One line to search with: text, "3 of 512", previous, next, close. Shows and asks only; TimelineWidget searches.
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace tuneline::ui {

class FindBar : public QWidget
{
    Q_OBJECT
public:
    explicit FindBar(QWidget *parent = nullptr);
    void start(); // shows it and takes the focus
    void setText(const QString &text);
    void setSearching(); // a search is running
    void setResult(qsizetype current, qsizetype matches);

signals:
    void textEdited(const QString &text); // once the typing pauses
    void nextRequested();
    void previousRequested();
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QLineEdit *m_text;
    QLabel *m_status;
    QToolButton *m_previous, *m_next;
    QTimer m_pause;
};

} // namespace tuneline::ui
