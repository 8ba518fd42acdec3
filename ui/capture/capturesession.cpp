// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/capturesession.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

namespace tuneline::ui {

namespace {
constexpr int kChunk = 1024 * 1024; // bytes asked for at once; PROTOCOL.md allows 4 MiB
}

QString captureFolder()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/tuneline/captures";
    QDir().mkpath(folder);
    return folder;
}

CaptureState captureStateFromName(const QString &name)
{
    static const QHash<QString, CaptureState> states{
        {"starting", CaptureState::Starting},      {"dormant", CaptureState::Dormant},
        {"warming-up", CaptureState::WarmingUp},   {"baseline", CaptureState::Baseline},
        {"recording", CaptureState::Recording},    {"baseline-after", CaptureState::BaselineAfter},
        {"finished", CaptureState::BaselineAfter}, // `captured` ends it, not this
        {"failed", CaptureState::Failed},
    };
    return states.value(name, CaptureState::Starting);
}

QString captureStateText(CaptureState state)
{
    switch (state) {
    case CaptureState::Connecting:
        return CaptureSession::tr("Connecting");
    case CaptureState::Starting:
        return CaptureSession::tr("Starting the program");
    case CaptureState::Dormant:
        return CaptureSession::tr("Agent loaded");
    case CaptureState::WarmingUp:
        return CaptureSession::tr("Warming up");
    case CaptureState::Baseline:
        return CaptureSession::tr("Timing plain steps before the window");
    case CaptureState::Recording:
        return CaptureSession::tr("Recording");
    case CaptureState::BaselineAfter:
        return CaptureSession::tr("Timing plain steps after the window");
    case CaptureState::Fetching:
        return CaptureSession::tr("Fetching the result");
    case CaptureState::Done:
        return CaptureSession::tr("Done");
    case CaptureState::Failed:
        return CaptureSession::tr("Failed");
    case CaptureState::Idle:
        break;
    }
    return CaptureSession::tr("Nothing is being captured");
}

CaptureSession::CaptureSession(QObject *parent)
    : QObject(parent)
{
    connect(&m_client, &ServeClient::notified, this, &CaptureSession::onNotified);
    connect(&m_client, &ServeClient::lost, this, [this](const ServeError &error) { fail(error); });
}

bool CaptureSession::running() const
{
    return m_progress.state != CaptureState::Idle && m_progress.state != CaptureState::Done
        && m_progress.state != CaptureState::Failed;
}

void CaptureSession::start(const CaptureRequest &request)
{
    m_request = request;
    m_progress = {};
    m_session = 0;
    setState(CaptureState::Connecting);
    ServeCommand command = m_command.program.isEmpty() ? serveCommand(request.host) : m_command;
    if (m_folder.isEmpty())
        m_folder = captureFolder();
    if (request.host.isEmpty())
        command.folder = m_folder; // results without a name of their own land there
    m_client.start(command);
    m_client.call(
        request.isAttach() ? "attach" : "launch",
        request.isAttach() ? attachParameters(request) : launchParameters(request),
        [this](const QJsonObject &result) {
            m_session = result["session"].toInt();
            m_progress.pid = result["pid"].toInteger();
            if (m_progress.state == CaptureState::Connecting)
                setState(CaptureState::Starting);
        },
        [this](const ServeError &error) { fail(error); });
}

void CaptureSession::stop()
{
    m_client.call(
        "stop", {{"session", m_session}}, [](const QJsonObject &) {}, [this](const ServeError &error) { fail(error); });
}

void CaptureSession::abandon()
{
    if (m_session > 0 && m_client.isRunning()) {
        const auto ignore = [](const auto &) {};
        m_client.call(m_request.isAttach() ? "detach" : "terminate", {{"session", m_session}}, ignore, ignore);
    }
    m_client.shutdown();
    setState(CaptureState::Idle);
}

void CaptureSession::onNotified(const QString &method, const QJsonObject &parameters)
{
    if (method == "output")
        emit output(parameters["text"].toString(), parameters["stream"].toString() == "stderr");
    if (!running())
        return;
    if (method == "progress")
        onProgress(parameters);
    else if (method == "captured")
        onCaptured(parameters);
    else if (method == "failed")
        fail({parameters["code"].toInt(), parameters["message"].toString(), parameters["advice"].toString()});
}

void CaptureSession::onProgress(const QJsonObject &parameters)
{
    m_progress.pid = parameters["pid"].toInteger(m_progress.pid);
    m_progress.stepsSeen = parameters["steps_seen"].toInteger();
    m_progress.windowSteps = parameters["window_steps"].toInteger();
    m_progress.records = parameters["records"].toInteger();
    m_progress.dropped = parameters["dropped"].toInteger();
    m_progress.bytes = parameters["bytes"].toInteger();
    m_progress.message = parameters["message"].toString();
    m_progress.ranks = static_cast<int>(parameters["ranks"].toArray().size());
    const CaptureState state = captureStateFromName(parameters["state"].toString());
    if (state != CaptureState::Failed) // `failed` follows, with advice
        m_progress.state = state;
    emit progressed(m_progress);
}

void CaptureSession::onCaptured(const QJsonObject &parameters)
{
    m_complete = parameters["complete"].toBool();
    m_message = parameters["message"].toString();
    const QString path = parameters["path"].toString();
    if (m_request.host.isEmpty()) {
        m_files = {path};
        finish();
        return;
    }
    m_remaining = parameters["files"].toArray();
    const QString name = QFileInfo(path).fileName();
    const QString base = m_folder + '/' + m_request.host + '-' + name;
    m_files = {base};
    if (m_remaining.size() > 1)
        QDir().mkpath(base); // several ranks: a folder, as on the host
    setState(CaptureState::Fetching);
    fetchNext();
}

void CaptureSession::fetchNext()
{
    if (m_remaining.isEmpty()) {
        finish();
        return;
    }
    m_remotePath = m_remaining.first().toObject()["path"].toString();
    m_remaining.removeFirst();
    const bool folder = QFileInfo(m_files.front()).isDir();
    m_local =
        std::make_unique<QFile>(folder ? m_files.front() + '/' + QFileInfo(m_remotePath).fileName() : m_files.front());
    if (!m_local->open(QIODevice::WriteOnly)) {
        fail({9, tr("%1 can't be written: %2").arg(m_local->fileName(), m_local->errorString()),
              tr("The capture is complete on the host: %1").arg(m_remotePath)});
        return;
    }
    fetchChunk();
}

void CaptureSession::fetchChunk()
{
    m_client.call(
        "fetch", {{"path", m_remotePath}, {"offset", m_local->pos()}, {"bytes", kChunk}},
        [this](const QJsonObject &chunk) { onChunk(chunk); }, [this](const ServeError &error) { fail(error); });
}

void CaptureSession::onChunk(const QJsonObject &chunk)
{
    if (m_progress.state != CaptureState::Fetching)
        return;
    const QByteArray data = QByteArray::fromBase64(chunk["data"].toString().toLatin1());
    if (m_local->write(data) != data.size()) {
        fail({9, tr("%1 can't be written: %2").arg(m_local->fileName(), m_local->errorString()),
              tr("The capture is complete on the host: %1").arg(m_remotePath)});
        return;
    }
    m_progress.bytes = m_local->pos();
    m_progress.message = tr("%1 of %2 MB")
                             .arg(static_cast<double>(m_local->pos()) / 1e6, 0, 'f', 1)
                             .arg(chunk["size"].toDouble() / 1e6, 0, 'f', 1);
    emit progressed(m_progress);
    if (!chunk["eof"].toBool() && !data.isEmpty()) {
        fetchChunk();
        return;
    }
    m_local->close();
    fetchNext();
}

void CaptureSession::finish()
{
    setState(CaptureState::Done);
    m_client.shutdown();
    emit captured(m_files, m_complete, m_message);
}

void CaptureSession::setState(CaptureState state)
{
    m_progress.state = state;
    emit progressed(m_progress);
}

void CaptureSession::fail(const ServeError &error)
{
    if (!running())
        return; // one message for one capture
    setState(CaptureState::Failed);
    m_client.shutdown();
    emit failed(error);
}

} // namespace tuneline::ui
