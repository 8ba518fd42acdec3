// SPDX-License-Identifier: GPL-3.0-or-later
// Attach to a training run that is already there: the processes that a server sees, which of them can be captured, and
// why the others can't. Asks the server only while it is visible. GUI thread.
#pragma once

#include "ui/capture/capturerequest.h"
#include "ui/capture/serveclient.h"

#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;
class QTableView;

namespace tuneline::ui {

class Banner;
class HostPicker;
class ProcessModel;
class WindowForm;

class AttachPanel : public QWidget
{
    Q_OBJECT
public:
    explicit AttachPanel(QWidget *parent = nullptr);
    void setServeCommand(const ServeCommand &command) { m_command = command; } // instead of the host's own; for tests
    void refresh();

signals:
    void attachRequested(const tuneline::ui::CaptureRequest &request);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void connectToHost();
    void showProcesses(const QJsonObject &result);
    void showError(const ServeError &error);
    void submit();
    void updateButton();

    HostPicker *m_host;
    QPushButton *m_refresh;
    ProcessModel *m_model;
    QTableView *m_table;
    QLabel *m_empty;
    Banner *m_problem;
    WindowForm *m_window;
    QPushButton *m_attach;
    ServeCommand m_command;
    std::unique_ptr<ServeClient> m_client;
};

} // namespace tuneline::ui
