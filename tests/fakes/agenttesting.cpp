// SPDX-License-Identifier: MIT
#include "tests/fakes/agenttesting.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QThread>

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tuneline::testing {

QString agentLibrary()
{
    return QStringLiteral(TUNELINE_BUILD_DIR "/lib/libtuneline_agent.so");
}
QString fakeTarget()
{
    return QStringLiteral(TUNELINE_BUILD_DIR "/bin/faketarget");
}
QString fakeCupti()
{
    return QStringLiteral(TUNELINE_BUILD_DIR "/lib/fakes/libfakecupti.so");
}

std::optional<format::HelloMessage> AgentClient::connectTo(const QString &directory, qint64 pid, int timeoutMs)
{
    const QByteArray path =
        QFile::encodeName(directory + QLatin1Char('/') + QString::number(pid) + QStringLiteral(".sock"));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.constData(),
                std::min<std::size_t>(std::size_t(path.size()), sizeof address.sun_path - 1));
    const QDeadlineTimer deadline(timeoutMs);
    disconnect();
    while (!deadline.hasExpired()) {
        m_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(m_fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
            break;
        disconnect();
        QThread::msleep(5);
    }
    format::ControlHeader header;
    format::HelloMessage hello;
    if (m_fd < 0 || !receive(&header, sizeof header, timeoutMs) || header.kind != format::ControlKind::Hello
        || header.payloadBytes != sizeof hello || !receive(&hello, sizeof hello, timeoutMs))
        return {};
    return hello;
}

bool AgentClient::receive(void *data, std::size_t bytes, int timeoutMs)
{
    auto *at = static_cast<char *>(data);
    const QDeadlineTimer deadline(timeoutMs);
    while (bytes > 0) {
        pollfd waiting{m_fd, POLLIN, 0};
        if (m_fd < 0 || poll(&waiting, 1, int(deadline.remainingTime())) <= 0)
            return false;
        const ssize_t got = recv(m_fd, at, bytes, 0);
        if (got <= 0)
            return false;
        at += got;
        bytes -= std::size_t(got);
    }
    return true;
}

bool AgentClient::send(format::ControlKind kind, const void *payload, quint32 bytes, quint32 version)
{
    format::ControlHeader header;
    header.version = version;
    header.kind = kind;
    header.payloadBytes = bytes;
    QByteArray message(reinterpret_cast<const char *>(&header), sizeof header);
    message.append(static_cast<const char *>(payload), qsizetype(bytes));
    return ::send(m_fd, message.constData(), std::size_t(message.size()), MSG_NOSIGNAL) == message.size();
}

bool AgentClient::arm(const format::ArmMessage &plan)
{
    return send(format::ControlKind::Arm, &plan, sizeof plan);
}

std::optional<format::StatusMessage> AgentClient::nextStatus(int timeoutMs)
{
    format::ControlHeader header;
    format::StatusMessage status;
    if (!receive(&header, sizeof header, timeoutMs) || header.kind != format::ControlKind::Status
        || header.payloadBytes != sizeof status || !receive(&status, sizeof status, timeoutMs))
        return {};
    return status;
}

std::optional<format::StatusMessage> AgentClient::waitFor(format::AgentState state, int timeoutMs)
{
    const QDeadlineTimer deadline(timeoutMs);
    while (!deadline.hasExpired()) {
        const auto status = nextStatus(int(deadline.remainingTime()));
        if (!status || status->state == state || status->state == format::AgentState::Failed)
            return status;
    }
    return {};
}

void AgentClient::disconnect()
{
    if (m_fd >= 0)
        ::close(m_fd);
    m_fd = -1;
}

namespace {

template <typename T> T take(const QByteArray &bytes, qsizetype at)
{
    T value;
    std::memcpy(&value, bytes.constData() + at, sizeof value);
    return value;
}

bool readNames(CaptureContents &file, const QByteArray &payload)
{
    const auto first = take<quint32>(payload, 0);
    const auto count = take<quint32>(payload, 4);
    qsizetype at = 8;
    for (quint32 i = 0; i < count; ++i) {
        const auto bytes = take<quint32>(payload, at);
        if (at + 4 + qsizetype(bytes) > payload.size())
            return false;
        file.names.insert(first + i, QString::fromUtf8(payload.mid(at + 4, bytes)));
        at += 4 + qsizetype(bytes);
    }
    return at == payload.size();
}

bool readRecords(CaptureContents &file, const QByteArray &payload)
{
    const auto block = take<format::RecordBlock>(payload, 0);
    if (qsizetype(sizeof block) + qsizetype(block.recordBytes) * block.count != payload.size())
        return false;
    std::vector<QByteArray> records;
    for (quint32 i = 0; i < block.count; ++i)
        records.push_back(payload.mid(qsizetype(sizeof block) + qsizetype(i) * block.recordBytes, block.recordBytes));
    file.blocks.emplace_back(block.kind, std::move(records));
    return true;
}

bool readFrame(CaptureContents &file, format::FrameKind kind, const QByteArray &payload)
{
    switch (kind) {
    case format::FrameKind::Metadata: {
        const QJsonDocument document = QJsonDocument::fromJson(payload);
        const QJsonObject object = document.object();
        for (auto it = object.begin(); it != object.end(); ++it)
            file.metadata.insert(it.key(), it.value());
        return document.isObject();
    }
    case format::FrameKind::Strings:
        return readNames(file, payload);
    case format::FrameKind::Records:
        return readRecords(file, payload);
    case format::FrameKind::End:
        file.ended = true;
        file.end = take<format::EndFrame>(payload, 0);
        return payload.size() == sizeof(format::EndFrame);
    }
    return false;
}

} // namespace

CaptureContents readCapture(const QString &path)
{
    CaptureContents file;
    QFile source(path);
    if (!source.open(QIODevice::ReadOnly))
        return file;
    const QByteArray bytes = source.readAll();
    if (bytes.size() < qsizetype(sizeof(format::FileHeader)))
        return file;
    const auto header = take<format::FileHeader>(bytes, 0);
    file.opened = header.magic == format::kMagic && header.version == format::kVersion;
    quint32 sequence = 0;
    for (qsizetype at = header.headerBytes; at < bytes.size();) {
        if (at + qsizetype(sizeof(format::FrameHeader)) > bytes.size()) {
            file.cut = true;
            break;
        }
        const auto frame = take<format::FrameHeader>(bytes, at);
        at += qsizetype(sizeof frame);
        if (at + qsizetype(frame.payloadBytes) > bytes.size()) {
            file.cut = true;
            break;
        }
        const QByteArray payload = bytes.mid(at, frame.payloadBytes);
        at += qsizetype(frame.payloadBytes);
        if (frame.checksum != format::checksum(payload.constData(), std::size_t(payload.size()))
            || frame.sequence != sequence++ || !readFrame(file, frame.kind, payload)) {
            file.damage = QStringLiteral("frame %1 of kind %2").arg(sequence - 1).arg(quint32(frame.kind));
            break;
        }
    }
    return file;
}

qsizetype CaptureContents::countOps(const QString &wanted) const
{
    qsizetype count = 0;
    for (const auto &op : all<format::OpRecord>(format::RecordKind::Op))
        count += name(op.name) == wanted ? 1 : 0;
    return count;
}

format::ArmMessage plan(const QString &path, qint64 warmup, qint64 steps, qint64 windowNs, qint64 baseline,
                        format::Detail detail)
{
    format::ArmMessage message;
    qstrncpy(message.path, QFile::encodeName(path).constData(), sizeof message.path);
    message.warmupSteps = warmup;
    message.windowSteps = steps;
    message.windowNs = windowNs;
    message.baselineSteps = baseline;
    message.detail = detail;
    qstrncpy(message.metadata, R"({"wish":"test"})", sizeof message.metadata);
    return message;
}

Target::Target()
{
    QDir().mkpath(m_folder.path());
}

Target::~Target()
{
    client.disconnect();
    if (process.state() != QProcess::NotRunning) {
        process.kill();
        process.waitForFinished();
    }
}

bool Target::start(const QString &program, const QStringList &arguments, const QStringList &extra)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LD_PRELOAD"), agentLibrary());
    environment.insert(QStringLiteral("TUNELINE_SOCKET_DIR"), sockets());
    for (const QString &entry : extra)
        environment.insert(entry.section(QLatin1Char('='), 0, 0), entry.section(QLatin1Char('='), 1));
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    return process.waitForStarted();
}

bool Target::start(const QStringList &arguments, const QStringList &extra)
{
    return start(fakeTarget(), arguments, extra);
}

std::optional<format::StatusMessage> Target::arm(format::ArmMessage message)
{
    if (!client.connectTo(sockets(), process.processId()) || !client.arm(message))
        return {};
    return client.nextStatus();
}

CaptureContents Target::capture(const format::ArmMessage &message)
{
    const auto answer = arm(message);
    if (answer && answer->state != format::AgentState::Failed)
        client.waitFor(format::AgentState::Finished);
    return readCapture(QString::fromLocal8Bit(message.path));
}

int Target::finish(int timeoutMs)
{
    if (!process.waitForFinished(timeoutMs))
        return -2;
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

} // namespace tuneline::testing
