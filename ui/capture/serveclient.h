// SPDX-License-Identifier: GPL-3.0-or-later
// Speaks capture/session/PROTOCOL.md with one `tuneline-cli serve` child, on this machine or through ssh. Answers come
// to the callback of their request, in the order of the requests; notifications are signals. GUI thread; nothing
// blocks.
#pragma once

#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QProcess>

#include <functional>

namespace tuneline::ui {

// What went wrong and what to do, to be shown as it is.
struct ServeError
{
    int code = 0; // of PROTOCOL.md; 0 = the connection itself
    QString message;
    QString advice;
};

struct ServeCommand
{
    QString program;
    QStringList arguments;
    QString folder; // working directory, "" = ours
};

// host "" = this machine: the tuneline-cli beside this program, else the one in PATH.
[[nodiscard]] ServeCommand serveCommand(const QString &host);

class ServeClient : public QObject
{
    Q_OBJECT
public:
    using Answer = std::function<void(const QJsonObject &result)>;
    using Failure = std::function<void(const ServeError &error)>;

    explicit ServeClient(QObject *parent = nullptr);
    ~ServeClient() override;

    void start(const ServeCommand &command);
    void shutdown(); // asks the server to end; what it launched goes on
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

    // `failed` is also called when the connection is lost before the answer.
    void call(const QString &method, const QJsonObject &parameters, Answer answer, Failure failed);

signals:
    void notified(const QString &method, const QJsonObject &parameters);
    void lost(const tuneline::ui::ServeError &error); // the child ended without being asked, or never began

private:
    struct Pending
    {
        Answer answer;
        Failure failed;
    };
    void readLines();
    void handle(const QJsonObject &message);
    void handleAnswer(const QJsonObject &message);
    void onFinished();
    void onError(QProcess::ProcessError error);
    void loseAll(const ServeError &error);
    [[nodiscard]] ServeError endOfServer() const;

    QProcess m_process;
    QByteArray m_buffer; // of a line that has not ended yet
    QByteArray m_stderr; // the last of it, for messages
    QHash<int, Pending> m_pending;
    int m_nextId = 1;
    bool m_ending = false;
    bool m_lost = false;
};

} // namespace tuneline::ui
