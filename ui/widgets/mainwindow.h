// SPDX-License-Identifier: GPL-3.0-or-later
// The window: one page at a time, and what leads from one to the next: open, capture, capture again, compare. GUI
// thread; one per process.
#pragma once

#include "ui/capture/capturerequest.h"
#include "ui/compare/compareloader.h"
#include "ui/jobs/loader.h"
#include "ui/widgets/theme.h"

#include <QMainWindow>

#include <optional>

class QStackedWidget;

namespace tuneline::ui {

class CapturePage;
class ComparePage;
class HelpPage;
class LoadingPage;
class MainActions;
class StartPage;
class StatusLine;
class TracePage;

class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(QWidget *parent = nullptr);

    void
    openFiles(const QStringList &files); // together, as the ranks or sources of one run; replaces what is being opened
    void openComparison(const QStringList &before, const QStringList &after);
    void startCapture(const CaptureRequest &request);
    void recapture(const QString &knob = {}); // of the run that is open; compares afterwards
    void showStart();
    void showHelp();
    void showReport();

    [[nodiscard]] bool busy() const; // something is being read or analysed
    [[nodiscard]] QWidget *currentPage() const;
    [[nodiscard]] StartPage *startPage() const { return m_start; }
    [[nodiscard]] LoadingPage *loadingPage() const { return m_loading; }
    [[nodiscard]] TracePage *tracePage() const { return m_trace; }
    [[nodiscard]] ComparePage *comparePage() const { return m_compare; }
    [[nodiscard]] CapturePage *capturePage() const { return m_capture; }
    [[nodiscard]] StatusLine *statusLine() const { return m_status; }
    [[nodiscard]] MainActions *actions() const { return m_actions; }

signals:
    void settled(bool ok); // what was asked for is shown; false: an error is

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void closeEvent(QCloseEvent *event) override;

private:
    void buildPages();
    void connectActions();
    void connectLoaders();
    void connectCapture();
    void onOpened();
    void onAnalysed();
    void onFailed(const QStringList &files, const analysis::Error &error);
    void onCompared();
    void onCaptured(const QStringList &files);
    void onCancelled();
    void browse();
    void chooseComparison();
    void showPage(QWidget *page);
    void fillRecentMenu();
    void chooseTheme(ThemeMode mode);
    void updateRecapture();
    void showAbout();

    Loader m_loader;
    CompareLoader m_compareLoader;
    Document m_shown; // in the trace page
    std::optional<CaptureRequest> m_request; // that made what is shown
    std::optional<CaptureRequest> m_pendingRequest; // of the capture that runs or is being opened
    std::optional<Document> m_compareWith; // the run before, when this is "capture again"

    MainActions *m_actions;
    StatusLine *m_status;
    QStackedWidget *m_pages;
    StartPage *m_start;
    LoadingPage *m_loading;
    TracePage *m_trace;
    ComparePage *m_compare;
    CapturePage *m_capture;
    HelpPage *m_help;
    QWidget *m_beforeHelp = nullptr; // where closing the help leads
};

} // namespace tuneline::ui
