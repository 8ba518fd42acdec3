// SPDX-License-Identifier: GPL-3.0-or-later
// All actions of the window with their icons, keys and menus; the window connects them. GUI thread; owned by the
// window.
#pragma once

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;
class QToolBar;

namespace tuneline::ui {

class MainActions : public QObject
{
    Q_OBJECT
public:
    explicit MainActions(QMainWindow *window);

    QAction *start, *open, *compare, *recapture, *closeTrace, *quit;
    QAction *find, *zoomIn, *zoomOut, *fit, *showAll;
    QAction *nextEvidence, *previousEvidence, *advisor, *tables, *report;
    QAction *themeSystem, *themeLight, *themeDark, *themeToggle, *help, *about;
    QMenu *recent;

    void setTraceOpen(bool open); // enables what needs a trace

private:
    QAction *add(const QString &text, const QString &iconName, const QList<QKeySequence> &keys,
                 const QString &toolTip = {});
    void addFileActions();
    void addViewActions();
    void buildMenus();
    void buildToolBar();

    QMainWindow *m_window;
};

} // namespace tuneline::ui
