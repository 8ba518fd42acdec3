// SPDX-License-Identifier: GPL-3.0-or-later
// The in-app help: resources/help/help.md with its headings as a table of contents, behind it the export formats.
// GUI thread.
#pragma once

#include <QWidget>

class QListWidget;
class QTextBrowser;

namespace tuneline::ui {

class HelpPage : public QWidget
{
    Q_OBJECT
public:
    explicit HelpPage(QWidget *parent = nullptr);

signals:
    void closed();

private:
    void load();
    void listHeadings();
    void styleTables();
    void showHeading(int row);

    QListWidget *m_contents;
    QTextBrowser *m_text;
};

} // namespace tuneline::ui
