// SPDX-License-Identifier: GPL-3.0-or-later
// The code of a fix: C++ and Python in tabs, as high as it needs, with a button that copies it. GUI thread.
#pragma once

#include <QTabWidget>

class QPlainTextEdit;
class QToolButton;

namespace tuneline::ui {

class CodeView : public QTabWidget
{
    Q_OBJECT
public:
    CodeView(const QString &cpp, const QString &python, QWidget *parent = nullptr);
    [[nodiscard]] QString currentCode() const;

signals:
    void copied(const QString &code);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void addCode(const QString &title, const QString &code);
    void copy();
    void fitHeight();

    QToolButton *m_copy;
};

} // namespace tuneline::ui
