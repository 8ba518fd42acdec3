// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/serveclient.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QStandardPaths>

namespace tuneline::ui {

namespace {

constexpr qsizetype kMaxStderr = 4096; // bytes kept of what the child says to a person
constexpr qsizetype kMaxLine = 64 * 1024 * 1024; // a server that never ends its line is broken

QString localServer()
{
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath("tuneline-cli");
    if (QFileInfo(beside).isExecutable())
        return beside;
    const QString inPath = QStandardPaths::findExecutable("tuneline-cli");
    return inPath.isEmpty() ? beside : inPath;
}

} // namespace

ServeCommand serveCommand(const QString &host)
{
    if (host.isEmpty())
        return {localServer(), {"serve"}, {}};
    // BatchMode: there is no terminal in which ssh could ask for a password; a key or an agent is needed.
    return {"ssh", {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", host, "tuneline-cli", "serve"}, {}};
}

ServeClient::ServeClient(QObject *parent)
    : QObject(parent)
{
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &ServeClient::readLines);
    connect(&m_process, &QProcess::readyReadStandardError, this,
            [this] { m_stderr = (m_stderr + m_process.readAllStandardError()).right(kMaxStderr); });
    connect(&m_process, &QProcess::finished, this, &ServeClient::onFinished);
    connect(&m_process, &QProcess::errorOccurred, this, &ServeClient::onError);
}

ServeClient::~ServeClient()
{
    m_ending = true;
    disconnect(&m_process, nullptr, this, nullptr);
    m_process.closeWriteChannel(); // the server detaches from everything and ends
    if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(500))
        m_process.kill();
}

void ServeClient::start(const ServeCommand &command)
{
    m_lost = m_ending = false;
    m_buffer.clear();
    m_stderr.clear();
    if (!command.folder.isEmpty())
        m_process.setWorkingDirectory(command.folder);
    m_process.start(command.program, command.arguments);
    call(
        "hello", {{"protocol", 1}, {"client", "tuneline " + QCoreApplication::applicationVersion()}},
        [this](const QJsonObject &hello) { emit notified("hello", hello); }, [](const ServeError &) {});
}

void ServeClient::shutdown()
{
    m_ending = true;
    m_process.closeWriteChannel();
}

void ServeClient::call(const QString &method, const QJsonObject &parameters, Answer answer, Failure failed)
{
    if (m_lost || m_process.state() == QProcess::NotRunning) {
        failed(endOfServer());
        return;
    }
    const int id = m_nextId++;
    m_pending.insert(id, {std::move(answer), std::move(failed)});
    const QJsonObject message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}};
    m_process.write(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
}

void ServeClient::readLines()
{
    m_buffer += m_process.readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end = m_buffer.indexOf('\n'); end >= 0; end = m_buffer.indexOf('\n', begin)) {
        const QJsonDocument line = QJsonDocument::fromJson(m_buffer.mid(begin, end - begin));
        begin = end + 1;
        if (line.isObject())
            handle(line.object());
    }
    m_buffer.remove(0, begin);
    if (m_buffer.size() > kMaxLine)
        m_process.kill();
}

void ServeClient::handle(const QJsonObject &message)
{
    if (message.contains("method"))
        emit notified(message.value("method").toString(), message.value("params").toObject());
    else
        handleAnswer(message);
}

void ServeClient::handleAnswer(const QJsonObject &message)
{
    const auto found = m_pending.constFind(message.value("id").toInt());
    if (found == m_pending.constEnd())
        return;
    const Pending pending = *found;
    m_pending.erase(found);
    if (!message.contains("error")) {
        pending.answer(message.value("result").toObject());
        return;
    }
    const QJsonObject error = message.value("error").toObject();
    pending.failed({error.value("code").toInt(), error.value("message").toString(),
                    error.value("data").toObject().value("advice").toString()});
}

ServeError ServeClient::endOfServer() const
{
    const QString said = QString::fromUtf8(m_stderr).trimmed().section('\n', -1);
    if (m_process.program() == "ssh")
        return {0, tr("The connection over ssh has ended%1").arg(said.isEmpty() ? QString() : ": " + said),
                tr("Check that `ssh HOST tuneline-cli --version` works in a terminal without asking for a password. "
                   "Captures "
                   "with a limit are completed on the host.")};
    return {0,
            tr("The capture helper %1 has ended%2").arg(m_process.program(), said.isEmpty() ? QString() : ": " + said),
            tr("Run `tuneline-cli list` in a terminal to see what it says.")};
}

void ServeClient::onFinished()
{
    readLines();
    loseAll(endOfServer());
}

void ServeClient::onError(QProcess::ProcessError error)
{
    if (error != QProcess::FailedToStart)
        return; // finished() follows
    loseAll({0, tr("%1 can't be started: %2").arg(m_process.program(), m_process.errorString()),
             m_process.program() == "ssh"
                 ? tr("Install an OpenSSH client.")
                 : tr("It belongs beside the tuneline program or into PATH. Build or install it again.")});
}

void ServeClient::loseAll(const ServeError &error)
{
    if (m_lost)
        return;
    m_lost = true;
    const QHash<int, Pending> pending = std::exchange(m_pending, {});
    for (const Pending &p : pending)
        p.failed(error);
    if (!m_ending)
        emit lost(error);
}

} // namespace tuneline::ui
