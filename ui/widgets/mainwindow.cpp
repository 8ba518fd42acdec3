// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/mainwindow.h"

#include "ui/advisor/advisorpanel.h"
#include "ui/compare/comparepage.h"
#include "ui/monitor/capturepage.h"
#include "ui/timeline/timelinewidget.h"
#include "ui/widgets/helppage.h"
#include "ui/widgets/loadingpage.h"
#include "ui/widgets/mainactions.h"
#include "ui/widgets/preferences.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/statusline.h"
#include "ui/widgets/tracepage.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QStackedWidget>

namespace tuneline::ui {

MainWindow::MainWindow(QWidget *parent)
    : QMainWindow(parent)
    , m_actions(new MainActions(this))
    , m_status(new StatusLine)
    , m_pages(new QStackedWidget)
    , m_start(new StartPage)
    , m_loading(new LoadingPage)
    , m_trace(new TracePage)
    , m_compare(new ComparePage)
    , m_capture(new CapturePage)
    , m_help(new HelpPage)
{
    setWindowTitle(tr("Tuneline"));
    setWindowIcon(QIcon(":/icons/tuneline.svg"));
    setAcceptDrops(true);
    setStatusBar(m_status);
    buildPages();
    connectActions();
    connectLoaders();
    connectCapture();
    showStart();
}

void MainWindow::buildPages()
{
    for (QWidget *page : std::initializer_list<QWidget *>{m_start, m_loading, m_trace, m_compare, m_capture, m_help})
        m_pages->addWidget(page);
    setCentralWidget(m_pages);
    connect(m_start, &StartPage::openRequested, this, &MainWindow::openFiles);
    connect(m_start, &StartPage::browseRequested, this, &MainWindow::browse);
    connect(m_start, &StartPage::compareRequested, this, &MainWindow::chooseComparison);
    connect(m_start, &StartPage::captureRequested, this, &MainWindow::startCapture);
    connect(m_loading, &LoadingPage::cancelled, this, &MainWindow::onCancelled);
    connect(m_help, &HelpPage::closed, this, [this] { showPage(m_beforeHelp ? m_beforeHelp : m_start); });
    connect(m_status, &StatusLine::reportRequested, this, &MainWindow::showReport);
    connect(m_trace, &TracePage::recaptureRequested, this, &MainWindow::recapture);
}

void MainWindow::connectLoaders()
{
    connect(&m_loader, &Loader::progressed, this, [this](int permille, const QString &stage) {
        if (m_loader.document().trace) {
            m_trace->setAnalysisProgress(permille, stage);
            m_status->showActivity(stage + "…");
        } else {
            m_loading->setProgress(permille, stage);
        }
    });
    connect(&m_loader, &Loader::opened, this, &MainWindow::onOpened);
    connect(&m_loader, &Loader::analysed, this, &MainWindow::onAnalysed);
    connect(m_trace, &TracePage::stepStartChosen, this, [this](analysis::EventId event) {
        const analysis::TracePtr &trace = m_loader.document().trace;
        m_loader.reanalyse(trace && event.valid() ? trace->events.name[event.value] : analysis::StringId{0U});
    });
    connect(&m_loader, &Loader::failed, this,
            [this](const analysis::Error &error) { onFailed(m_loader.document().files, error); });
    connect(&m_compareLoader, &CompareLoader::progressed, m_loading, &LoadingPage::setProgress);
    connect(&m_compareLoader, &CompareLoader::finished, this, &MainWindow::onCompared);
    connect(&m_compareLoader, &CompareLoader::failed, this, &MainWindow::onFailed);
}

bool MainWindow::busy() const
{
    return m_loader.running() || m_compareLoader.running();
}

QWidget *MainWindow::currentPage() const
{
    return m_pages->currentWidget();
}

void MainWindow::showPage(QWidget *page)
{
    if (page == m_help && currentPage() != m_help)
        m_beforeHelp = currentPage();
    m_pages->setCurrentWidget(page);
    m_actions->setTraceOpen(page == m_trace);
    updateRecapture();
    if (page == m_trace && m_shown.trace)
        m_status->showDocument(m_shown);
    else if (page == m_compare)
        m_status->showText(
            tr("%1 → %2").arg(m_compareLoader.document().before.title(), m_compareLoader.document().after.title()));
    else
        m_status->showNothing();
    const bool titled = page == m_trace && !m_shown.files.isEmpty();
    setWindowTitle(titled ? tr("%1 – Tuneline").arg(m_shown.title()) : tr("Tuneline"));
}

void MainWindow::showStart()
{
    m_start->refresh();
    showPage(m_start);
}

void MainWindow::showHelp()
{
    showPage(m_help);
}

void MainWindow::showReport()
{
    m_actions->tables->setChecked(true);
    m_trace->showReport();
}

void MainWindow::openFiles(const QStringList &files)
{
    if (files.isEmpty())
        return;
    m_compareLoader.cancel();
    m_start->clearError();
    m_loading->begin(tr("Opening %1").arg(titleOf(files)), QFileInfo(files.front()).absolutePath());
    showPage(m_loading);
    m_loader.open(files);
}

void MainWindow::openComparison(const QStringList &before, const QStringList &after)
{
    m_loader.cancel();
    m_start->clearError();
    m_loading->begin(tr("Comparing %1 with %2").arg(titleOf(before), titleOf(after)),
                     QFileInfo(before.value(0)).absolutePath());
    showPage(m_loading);
    m_compareLoader.open(before, after);
}

void MainWindow::onOpened()
{
    m_shown = m_loader.document();
    if (m_shown.files.size() == 1)
        preferences::addRecentFile(m_shown.files.front());
    m_request = std::exchange(m_pendingRequest, std::nullopt);
    m_trace->setDocument(m_shown);
    showPage(m_trace);
    m_status->showActivity(tr("Analysing…"));
}

void MainWindow::onAnalysed()
{
    m_shown = m_loader.document();
    m_trace->setAnalysed(m_shown);
    m_status->showActivity({});
    updateRecapture();
    if (m_compareWith) {
        const Document before = *std::exchange(m_compareWith, std::nullopt);
        m_compareLoader.compare(before, m_shown);
        return;
    }
    emit settled(true);
}

void MainWindow::onCompared()
{
    m_compare->setDocument(m_compareLoader.document());
    showPage(m_compare);
    emit settled(true);
}

void MainWindow::onFailed(const QStringList &files, const analysis::Error &error)
{
    m_pendingRequest.reset();
    m_compareWith.reset();
    m_status->showActivity({});
    if (m_loader.document().trace && currentPage() == m_trace) {
        m_trace->setAnalysisProblem(error); // the timeline stays: only the analysis failed
    } else {
        m_start->showError(files, error);
        showStart();
    }
    emit settled(false);
}

void MainWindow::onCancelled()
{
    m_loader.cancel();
    m_compareLoader.cancel();
    m_pendingRequest.reset();
    m_compareWith.reset();
    showPage(m_shown.trace ? static_cast<QWidget *>(m_trace) : m_start);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    QStringList files;
    const QList<QUrl> urls = event->mimeData()->urls();
    for (const QUrl &url : urls) {
        if (url.isLocalFile())
            files << url.toLocalFile();
    }
    event->acceptProposedAction();
    openFiles(files);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    m_loader.cancel();
    m_compareLoader.cancel();
    preferences::setBytes("layout/window", saveGeometry());
    QMainWindow::closeEvent(event);
}

} // namespace tuneline::ui
