// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything begins: launch, attach, open a file, recent files, samples. Errors of opening are shown here, in
// place. GUI thread.
#pragma once

#include "analysis/result.h"
#include "ui/capture/capturerequest.h"

#include <QWidget>

class QTabWidget;

namespace tuneline::ui {

class AttachPanel;
class Banner;
class FileList;
class LaunchForm;

class StartPage : public QWidget
{
    Q_OBJECT
public:
    explicit StartPage(QWidget *parent = nullptr);

    void refresh(); // recent files and samples
    void showError(const QStringList &files, const analysis::Error &error);
    void clearError();
    [[nodiscard]] LaunchForm *launchForm() const { return m_launch; }
    [[nodiscard]] AttachPanel *attachPanel() const { return m_attach; }
    [[nodiscard]] Banner *problem() const { return m_problem; }
    void showLaunch();

signals:
    void openRequested(const QStringList &files);
    void browseRequested();
    void compareRequested();
    void captureRequested(const tuneline::ui::CaptureRequest &request);

private:
    [[nodiscard]] QWidget *makeHead();
    [[nodiscard]] QWidget *makeCaptureCard();
    [[nodiscard]] QWidget *makeFilesCard();
    [[nodiscard]] QWidget *makeLoop();

    Banner *m_problem;
    QTabWidget *m_tabs;
    LaunchForm *m_launch;
    AttachPanel *m_attach;
    FileList *m_recent;
    FileList *m_samples;
};

// Sample captures that came with the program, "" folders left out.
[[nodiscard]] QStringList sampleFiles();

} // namespace tuneline::ui
