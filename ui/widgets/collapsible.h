// SPDX-License-Identifier: GPL-3.0-or-later
// A heading that shows and hides what stands below it. Key: Space or Return on the heading. GUI thread.
#pragma once

#include <QWidget>

class QToolButton;

namespace tuneline::ui {

class Collapsible : public QWidget
{
    Q_OBJECT
public:
    Collapsible(const QString &title, QWidget *content, bool open, QWidget *parent = nullptr);
    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const;

private:
    QToolButton *m_heading;
    QWidget *m_content;
};

} // namespace tuneline::ui
