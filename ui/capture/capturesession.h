// SPDX-License-Identifier: GPL-3.0-or-later
// One capture from the request to files on this machine: starts the server, launches or attaches, follows the progress,
// fetches the result when it was recorded elsewhere. GUI thread; owned by whoever shows it.
#pragma once

#include "ui/capture/capturerequest.h"
#include "ui/capture/serveclient.h"

#include <QFile>
#include <QJsonArray>

#include <memory>

namespace tuneline::ui {

enum class CaptureState {
    Idle,
    Connecting,
    Starting,
    Dormant,
    WarmingUp,
    Baseline,
    Recording,
    BaselineAfter,
    Fetching,
    Done,
    Failed
};

struct CaptureProgress
{
    CaptureState state = CaptureState::Idle;
    qint64 pid = 0;
    qint64 stepsSeen = 0, windowSteps = 0, records = 0, dropped = 0, bytes = 0;
    int ranks = 0;
    QString message;
};

class CaptureSession : public QObject
{
    Q_OBJECT
public:
    explicit CaptureSession(QObject *parent = nullptr);

    void setServeCommand(const ServeCommand &command) { m_command = command; } // instead of the host's own; for tests
    void setFolder(const QString &folder) { m_folder = folder; } // of the results; default: captureFolder()
    void start(const CaptureRequest &request);
    void stop(); // ends the window; what was recorded is kept
    void abandon(); // forgets it; a launched program is told to end
    [[nodiscard]] const CaptureRequest &request() const { return m_request; }
    [[nodiscard]] const CaptureProgress &progress() const { return m_progress; }
    [[nodiscard]] bool running() const;

signals:
    void progressed(const tuneline::ui::CaptureProgress &progress);
    void output(const QString &line, bool isError);
    void captured(const QStringList &files, bool complete, const QString &message); // on this machine, ready to open
    void failed(const tuneline::ui::ServeError &error);

private:
    void onNotified(const QString &method, const QJsonObject &parameters);
    void onProgress(const QJsonObject &parameters);
    void onCaptured(const QJsonObject &parameters);
    void setState(CaptureState state);
    void fail(const ServeError &error);
    void fetchNext();
    void fetchChunk();
    void onChunk(const QJsonObject &chunk);
    void finish();

    ServeClient m_client;
    ServeCommand m_command;
    CaptureRequest m_request;
    CaptureProgress m_progress;
    QString m_folder;
    int m_session = 0;

    // The result and, when remote, what is still to be fetched of it.
    QStringList m_files;
    bool m_complete = false;
    QString m_message;
    QJsonArray m_remaining;
    std::unique_ptr<QFile> m_local;
    QString m_remotePath;
};

[[nodiscard]] QString captureFolder(); // where captures made by the window lie; exists afterwards
[[nodiscard]] CaptureState captureStateFromName(const QString &name);
[[nodiscard]] QString captureStateText(CaptureState state); // "Warming up"

} // namespace tuneline::ui
