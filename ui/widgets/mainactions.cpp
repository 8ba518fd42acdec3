// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/mainactions.h"

#include "ui/widgets/icons.h"

#include <QAction>
#include <QActionGroup>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

namespace tuneline::ui {

MainActions::MainActions(QMainWindow *window)
    : QObject(window)
    , m_window(window)
{
    addFileActions();
    addViewActions();
    buildMenus();
    buildToolBar();
    setTraceOpen(false);
}

QAction *MainActions::add(const QString &text, const QString &iconName, const QList<QKeySequence> &keys,
                          const QString &toolTip)
{
    auto *action = new QAction(text, m_window);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    action->setShortcuts(keys);
    QString tip = toolTip.isEmpty() ? QString(text).remove('&').remove(QChar(0x2026)) : toolTip;
    if (!keys.isEmpty())
        tip += " (" + keys.front().toString(QKeySequence::NativeText) + ")";
    action->setToolTip(tip);
    m_window->addAction(action); // keys work with a hidden menu bar too
    return action;
}

void MainActions::addFileActions()
{
    start = add(tr("&Start page"), "home", {QKeySequence("Ctrl+N")}, tr("Launch, attach, recent files"));
    open = add(tr("&Open…"), "open", {QKeySequence("Ctrl+O")}, tr("Open a trace or capture"));
    compare = add(tr("&Compare…"), "compare", {QKeySequence("Ctrl+Shift+C")}, tr("Compare two captures"));
    recapture =
        add(tr("Capture &again…"), "again", {QKeySequence("Ctrl+R")}, tr("Capture again after a change and compare"));
    closeTrace = add(tr("C&lose"), {}, {QKeySequence("Ctrl+W")});
    quit = add(tr("&Quit"), {}, {QKeySequence("Ctrl+Q")});
    quit->setMenuRole(QAction::QuitRole);
}

void MainActions::addViewActions()
{
    find = add(tr("&Find…"), "find", {}, tr("Find events by name (Ctrl+F)"));
    zoomIn = add(tr("Zoom &in"), "zoomin", {QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")});
    zoomOut = add(tr("Zoom &out"), "zoomout", {QKeySequence("Ctrl+-")});
    fit = add(tr("Zoom to &selection"), "target", {}, tr("Zoom to the selection (F)"));
    showAll = add(tr("Show &everything"), "fit", {QKeySequence("Ctrl+0")});
    nextEvidence = add(tr("&Next evidence"), {}, {QKeySequence("]")});
    previousEvidence = add(tr("&Previous evidence"), {}, {QKeySequence("[")});
    advisor = add(tr("&Advisor"), "advisor", {QKeySequence("Ctrl+1")}, tr("Show or hide the advisor"));
    tables = add(tr("&Tables and charts"), "tables", {QKeySequence("Ctrl+2")}, tr("Show or hide tables and charts"));
    report =
        add(tr("&Import report"), "report", {QKeySequence("Ctrl+3")}, tr("What was dropped or repaired while reading"));
    for (QAction *action : {advisor, tables}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    auto *themes = new QActionGroup(this);
    themeSystem = themes->addAction(tr("As the &system"));
    themeLight = themes->addAction(tr("&Light"));
    themeDark = themes->addAction(tr("&Dark"));
    for (QAction *action : themes->actions())
        action->setCheckable(true);
    themeToggle = add(tr("Light or dark"), "theme", {QKeySequence("Ctrl+Shift+T")});
    help = add(tr("&Help"), "help", {QKeySequence("F1")});
    about = add(tr("&About Tuneline"), {}, {});
    about->setMenuRole(QAction::AboutRole);
}

void MainActions::buildMenus()
{
    QMenuBar *bar = m_window->menuBar();
    QMenu *file = bar->addMenu(tr("&File"));
    file->addActions({start, open});
    recent = file->addMenu(tr("Open &recent"));
    file->addSeparator();
    file->addActions({compare, recapture});
    file->addSeparator();
    file->addActions({closeTrace, quit});
    QMenu *go = bar->addMenu(tr("&Go"));
    go->addAction(find);
    go->addSeparator();
    go->addActions({zoomIn, zoomOut, fit, showAll});
    go->addSeparator();
    go->addActions({nextEvidence, previousEvidence});
    QMenu *view = bar->addMenu(tr("&View"));
    view->addActions({advisor, tables, report});
    view->addSeparator();
    QMenu *theme = view->addMenu(tr("&Theme"));
    theme->addActions({themeSystem, themeLight, themeDark});
    QMenu *helpMenu = bar->addMenu(tr("&Help"));
    helpMenu->addActions({help, about});
}

void MainActions::buildToolBar()
{
    QToolBar *bar = m_window->addToolBar(tr("Tools"));
    bar->setObjectName("tools");
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setIconSize({16, 16});
    bar->addActions({start, open});
    bar->addSeparator();
    bar->addActions({compare, recapture});
    bar->addSeparator();
    bar->addActions({zoomIn, zoomOut, fit, showAll, find});
    auto *space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addActions({advisor, tables, report});
    bar->addSeparator();
    bar->addActions({themeToggle, help});
}

void MainActions::setTraceOpen(bool isOpen)
{
    for (QAction *action :
         {closeTrace, find, zoomIn, zoomOut, fit, showAll, nextEvidence, previousEvidence, advisor, tables, report})
        action->setEnabled(isOpen);
}

} // namespace tuneline::ui
