// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that reacts to the user: actions, dialogs, capture and capture again.
#include "ui/widgets/mainwindow.h"

#include "ui/advisor/advisorpanel.h"
#include "ui/capture/launchform.h"
#include "ui/compare/comparechooser.h"
#include "ui/compare/comparepage.h"
#include "ui/monitor/capturepage.h"
#include "ui/timeline/timelinewidget.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/mainactions.h"
#include "ui/widgets/preferences.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/tracepage.h"

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QMessageBox>

namespace tuneline::ui {

namespace {

const char *const kFilter = QT_TR_NOOP("Traces and captures (*.tlc *.json *.json.gz *.gz *.sqlite);;All files (*)");

// How the run that is shown was started, as far as its capture says: the user completes it.
std::optional<CaptureRequest> requestOf(const Document &document)
{
    if (!document.trace || document.trace->sources.empty())
        return std::nullopt;
    const std::string &metadata = document.trace->sources.front().metadataJson;
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(metadata)).object();
    const QJsonArray line = json.value("command_line").toArray();
    if (line.isEmpty())
        return std::nullopt;
    CaptureRequest request = fromStored(preferences::bytes("lastLaunch"));
    request.arguments.clear();
    for (const QJsonValue &word : line)
        request.arguments << word.toString();
    request.program = request.arguments.takeFirst();
    request.folder = json.value("cwd").toString(request.folder);
    return request;
}

bool isTrainer(const CaptureRequest &request)
{
    return QFileInfo(request.program).fileName() == "tuneline-train";
}

} // namespace

void MainWindow::connectActions()
{
    connect(m_actions->start, &QAction::triggered, this, &MainWindow::showStart);
    connect(m_actions->open, &QAction::triggered, this, &MainWindow::browse);
    connect(m_actions->compare, &QAction::triggered, this, &MainWindow::chooseComparison);
    connect(m_actions->recapture, &QAction::triggered, this, [this] { recapture(); });
    connect(m_actions->closeTrace, &QAction::triggered, this, [this] {
        m_loader.cancel();
        m_shown = {};
        m_trace->clear();
        showStart();
    });
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions->find, &QAction::triggered, this, [this] { m_trace->timeline()->showFindBar(); });
    const auto zoom = [this](double factor) {
        ViewState *view = m_trace->viewState();
        view->zoomAt(view->range().from + view->range().length() / 2, factor);
    };
    connect(m_actions->zoomIn, &QAction::triggered, this, [zoom] { zoom(0.5); });
    connect(m_actions->zoomOut, &QAction::triggered, this, [zoom] { zoom(2.0); });
    connect(m_actions->fit, &QAction::triggered, this, [this] { m_trace->timeline()->fitSelection(); });
    connect(m_actions->showAll, &QAction::triggered, this, [this] { m_trace->viewState()->showAll(); });
    connect(m_actions->nextEvidence, &QAction::triggered, this, [this] { m_trace->advisor()->nextEvidence(); });
    connect(m_actions->previousEvidence, &QAction::triggered, this, [this] { m_trace->advisor()->previousEvidence(); });
    connect(m_actions->advisor, &QAction::toggled, m_trace, &TracePage::setAdvisorVisible);
    connect(m_actions->tables, &QAction::toggled, m_trace, &TracePage::setTablesVisible);
    connect(m_actions->report, &QAction::triggered, this, &MainWindow::showReport);
    connect(m_actions->themeSystem, &QAction::triggered, this, [this] { chooseTheme(ThemeMode::System); });
    connect(m_actions->themeLight, &QAction::triggered, this, [this] { chooseTheme(ThemeMode::Light); });
    connect(m_actions->themeDark, &QAction::triggered, this, [this] { chooseTheme(ThemeMode::Dark); });
    connect(m_actions->themeToggle, &QAction::triggered, this,
            [this] { chooseTheme(Theme::instance().dark() ? ThemeMode::Light : ThemeMode::Dark); });
    connect(m_actions->help, &QAction::triggered, this, &MainWindow::showHelp);
    connect(m_actions->about, &QAction::triggered, this, &MainWindow::showAbout);
    connect(m_actions->recent, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    const ThemeMode mode = Theme::instance().mode();
    (mode == ThemeMode::Dark        ? m_actions->themeDark
         : mode == ThemeMode::Light ? m_actions->themeLight
                                    : m_actions->themeSystem)
        ->setChecked(true);
}

void MainWindow::connectCapture()
{
    connect(m_capture, &CapturePage::captured, this, &MainWindow::onCaptured);
    connect(m_capture, &CapturePage::leaveRequested, this, [this] {
        m_pendingRequest.reset();
        const bool again = m_compareWith.has_value();
        m_compareWith.reset();
        showPage(again && m_shown.trace ? static_cast<QWidget *>(m_trace) : m_start);
    });
}

void MainWindow::startCapture(const CaptureRequest &request)
{
    m_pendingRequest = request;
    showPage(m_capture);
    m_capture->start(request);
}

void MainWindow::onCaptured(const QStringList &files)
{
    openFiles(files);
}

void MainWindow::updateRecapture()
{
    const bool can = m_pages->currentWidget() == m_trace && m_shown.analysed() && (m_request || requestOf(m_shown));
    m_actions->recapture->setEnabled(can);
    m_trace->advisor()->setCanRecapture(can);
}

void MainWindow::recapture(const QString &knob)
{
    std::optional<CaptureRequest> request = m_request ? m_request : requestOf(m_shown);
    if (!request)
        return;
    m_compareWith = m_shown;
    if (request->isAttach()) {
        startCapture(*request); // the same process, after the user has changed what it does
        return;
    }
    const bool known = isTrainer(*request);
    if (!knob.isEmpty() && known)
        request->arguments = withKnob(request->arguments, knob);
    if (m_request && known && !knob.isEmpty()) {
        startCapture(*request);
        return;
    }
    // Another program's code or command has to be changed by its owner; the result is compared all the same.
    m_start->launchForm()->setRequest(*request);
    m_start->launchForm()->showHint(
        tr("Change one thing, then launch"),
        tr("The result is compared with %1. %2")
            .arg(m_shown.title(), knob.isEmpty() ? QString() : tr("Suggested: %1.").arg(knob)));
    m_start->showLaunch();
    showStart();
}

void MainWindow::browse()
{
    const QString folder = QFileInfo(preferences::recentFiles().value(0)).absolutePath();
    openFiles(
        QFileDialog::getOpenFileNames(this, tr("Open traces: several are the ranks of one run"), folder, tr(kFilter)));
}

void MainWindow::chooseComparison()
{
    auto *chooser = new CompareChooser(preferences::recentFiles(), m_shown.files.value(0), this);
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    connect(chooser, &CompareChooser::chosen, this,
            [this](const QString &before, const QString &after) { openComparison({before}, {after}); });
    chooser->open();
}

void MainWindow::fillRecentMenu()
{
    m_actions->recent->clear();
    const QStringList files = preferences::recentFiles();
    for (const QString &file : files)
        m_actions->recent->addAction(QString(file).replace('&', "&&"), this, [this, file] { openFiles({file}); });
    if (files.isEmpty())
        m_actions->recent->addAction(tr("Nothing has been opened yet"))->setEnabled(false);
}

void MainWindow::chooseTheme(ThemeMode mode)
{
    Theme::instance().apply(mode);
    preferences::setThemeMode(mode);
    (mode == ThemeMode::Dark        ? m_actions->themeDark
         : mode == ThemeMode::Light ? m_actions->themeLight
                                    : m_actions->themeSystem)
        ->setChecked(true);
}

void MainWindow::showAbout()
{
    QMessageBox::about(
        this, tr("About Tuneline"),
        tr("<b>Tuneline %1</b><p>Timeline viewer and tuning advisor for PyTorch and LibTorch training runs.</p>"
           "<p>The window is GPL-3.0-or-later (it uses QCustomPlot); what is loaded into your program is MIT.</p>")
            .arg(QApplication::applicationVersion()));
}

} // namespace tuneline::ui
