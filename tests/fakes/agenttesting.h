// SPDX-License-Identifier: MIT
// What the agent's tests share: starting a target with the agent, talking to the agent, reading what it wrote. The
// reader here is on purpose not the product's.
#pragma once

#include "capture/format/control.h"
#include "capture/format/frames.h"
#include "capture/format/records.h"

#include <QHash>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <cstring>
#include <optional>
#include <vector>

namespace tuneline::testing {

class AgentClient
{
public:
    ~AgentClient() { disconnect(); }
    // Waits for the socket, up to a few seconds. The Hello, or nothing.
    std::optional<format::HelloMessage> connectTo(const QString &directory, qint64 pid, int timeoutMs = 5000);
    bool arm(const format::ArmMessage &plan);
    bool send(format::ControlKind kind, const void *payload = nullptr, quint32 bytes = 0,
              quint32 version = format::kControlVersion);
    // The next Status, whatever it says.
    std::optional<format::StatusMessage> nextStatus(int timeoutMs = 10000);
    // Reads on until this state comes. Failed always ends it.
    std::optional<format::StatusMessage> waitFor(format::AgentState state, int timeoutMs = 20000);
    void disconnect();

private:
    bool receive(void *data, std::size_t bytes, int timeoutMs);
    int m_fd = -1;
};

// A file as it stands.
struct CaptureContents
{
    bool opened = false; // magic and version are right
    bool ended = false; // End frame found
    bool cut = false; // the last frame is not whole
    QString damage; // what is wrong besides, "" = nothing
    format::EndFrame end;
    QJsonObject metadata;
    QHash<quint32, QString> names;
    std::vector<std::pair<format::RecordKind, std::vector<QByteArray>>> blocks;

    template <typename Record> [[nodiscard]] std::vector<Record> all(format::RecordKind kind) const
    {
        std::vector<Record> found;
        for (const auto &[blockKind, records] : blocks) {
            for (const QByteArray &bytes : records) {
                if (blockKind != kind)
                    break;
                Record record;
                std::memcpy(&record, bytes.constData(),
                            std::min<std::size_t>(sizeof record, std::size_t(bytes.size())));
                found.push_back(record);
            }
        }
        return found;
    }
    [[nodiscard]] QString name(quint32 id) const { return names.value(id, id == 0 ? QString() : QStringLiteral("?")); }
    [[nodiscard]] qsizetype countOps(const QString &name) const;
};
CaptureContents readCapture(const QString &path);

// A target with the agent preloaded, its sockets in a folder of its own.
class Target
{
public:
    Target();
    ~Target();
    // program: path of a built program. extra: environment on top.
    bool start(const QString &program, const QStringList &arguments, const QStringList &extra = {});
    bool start(const QStringList &arguments, const QStringList &extra = {}); // the fake target
    // Connects and arms; the answer to Arm, or nothing.
    std::optional<format::StatusMessage> arm(format::ArmMessage plan);
    // Arms, waits for the file, stops the target; its contents.
    CaptureContents capture(const format::ArmMessage &plan);
    // Exit code; −1: crashed, −2: hangs.
    int finish(int timeoutMs = 20000);

    [[nodiscard]] QString file(const QString &name = QStringLiteral("a.tlc")) const { return m_folder.filePath(name); }
    [[nodiscard]] QString sockets() const { return m_folder.filePath(QStringLiteral("sockets")); }
    AgentClient client;
    QProcess process;

private:
    QTemporaryDir m_folder;
};

// A plan for a file of this target; the rest as the fields say.
format::ArmMessage plan(const QString &path, qint64 warmup, qint64 steps, qint64 windowNs, qint64 baseline,
                        format::Detail detail = format::Detail::Normal);

QString agentLibrary();
QString fakeTarget();
QString fakeCupti();

} // namespace tuneline::testing
