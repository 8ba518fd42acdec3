// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli serve, driven over its pipes as the window does it.
#include "tests/e2e/capture/cli.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

class TestServe : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void roundTrip();
    void capturesLaterAndStops();
    void attachAndDetach();
    void errors_data();
    void errors();
    void malformedLinesAreAnswered();
    void closedInputLeavesTheProgram();
    void killedServerLeavesTheProgram();
    void nothingCaptured();

private:
    // Sends a request and waits for its answer; notifications that come in between are kept.
    QJsonObject call(const QString &method, const QJsonObject &params = {})
    {
        const int id = ++m_id;
        const QJsonObject request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
        m_serve->write(QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n');
        return take([id](const QJsonObject &message) { return message["id"].toInt() == id; });
    }
    QJsonObject result(const QString &method, const QJsonObject &params = {})
    {
        return call(method, params)["result"].toObject();
    }
    static int code(const QJsonObject &answer) { return answer["error"]["code"].toInt(); }
    QJsonObject notification(const QString &method)
    {
        return take([&](const QJsonObject &message) { return message["method"].toString() == method; })["params"]
            .toObject();
    }
    // The next message that fits, from those kept or still to come; {} after half a minute.
    template <typename Fits> QJsonObject take(Fits fits)
    {
        QElapsedTimer timer;
        timer.start();
        for (std::size_t i = 0; timer.elapsed() < 30'000; ++i) {
            while (i >= m_messages.size() && timer.elapsed() < 30'000)
                receive();
            if (i < m_messages.size() && fits(m_messages[i])) {
                const auto message = m_messages[i];
                m_messages.erase(m_messages.begin() + static_cast<std::ptrdiff_t>(i));
                return message;
            }
        }
        return {};
    }
    void receive()
    {
        if (!m_serve->canReadLine())
            m_serve->waitForReadyRead(200);
        while (m_serve->canReadLine()) {
            const auto line = m_serve->readLine();
            const auto document = QJsonDocument::fromJson(line);
            QVERIFY2(document.isObject(), line.constData()); // nothing but protocol on stdout
            m_messages.push_back(document.object());
        }
    }
    static QJsonArray program(const QStringList &options)
    {
        return QJsonArray::fromStringList(QStringList{Sandbox::target(), "marks=1", "us=1000"} + options);
    }
    std::unique_ptr<Sandbox> m_box;
    std::unique_ptr<QProcess> m_serve;
    std::vector<QJsonObject> m_messages;
    std::vector<pid_t> m_programs;
    int m_id = 0;
};

void TestServe::init()
{
    m_box = std::make_unique<Sandbox>();
    m_messages.clear();
    m_serve = m_box->startCli({"serve"});
}

void TestServe::cleanup()
{
    m_serve->closeWriteChannel();
    if (m_serve->state() != QProcess::NotRunning && !m_serve->waitForFinished(10'000))
        m_serve->kill();
    for (const pid_t pid : m_programs)
        kill(pid, SIGKILL);
    m_programs.clear();
}

void TestServe::roundTrip()
{
    const auto hello = result("hello", {{"protocol", 1}, {"client", "test"}});
    QCOMPARE(hello["protocol"].toInt(), 1);
    QCOMPARE(hello["agent"]["path"].toString(), Sandbox::agent());

    const auto launched = result(
        "launch",
        {{"argv", program({"steps=100000"})}, {"warmup", 3}, {"steps", 5}, {"out", "a.tlc"}, {"stop_after", true}});
    QCOMPARE(launched["out"].toString(), m_box->path("a.tlc"));
    const int session = launched["session"].toInt();
    QVERIFY(session > 0 && launched["pid"].toInt() > 0);
    const auto progress = notification("progress");
    QCOMPARE(progress["session"].toInt(), session);

    const auto captured = notification("captured");
    QCOMPARE(captured["path"].toString(), m_box->path("a.tlc"));
    QVERIFY(captured["complete"].toBool());
    const auto file = captured["files"][0].toObject();
    QVERIFY(file["records"].toInt() > 0);
    const auto exited = notification("exited");
    QCOMPARE(exited["signal"].toString(), QString("SIGTERM"));
    QVERIFY(exited["exit_code"].isNull());
    QCOMPARE(code(call("status", {{"session", session}})), 13);

    QByteArray fetched;
    for (bool eof = false; !eof;) {
        const auto piece = result("fetch", {{"path", file["path"]}, {"offset", fetched.size()}, {"bytes", 1000}});
        QVERIFY(!piece.isEmpty());
        fetched += QByteArray::fromBase64(piece["data"].toString().toLatin1());
        eof = piece["eof"].toBool();
    }
    QFile original(m_box->path("a.tlc"));
    QVERIFY(original.open(QIODevice::ReadOnly));
    QCOMPARE(fetched, original.readAll());

    QVERIFY(call("shutdown").contains("result"));
    QVERIFY(m_serve->waitForFinished(10'000));
    QCOMPARE(m_serve->exitCode(), 0);
}

void TestServe::capturesLaterAndStops()
{
    const QString script =
        "echo first line; echo \"from $NAME\" >&2; exec " + Sandbox::target() + " marks=1 us=1000 steps=100000";
    const auto launched =
        result("launch",
               {{"argv", QJsonArray{"/bin/sh", "-c", script}}, {"arm", false}, {"env", QJsonObject{{"NAME", "env"}}}});
    QVERIFY(launched["out"].isNull());
    const QJsonObject session{{"session", launched["session"]}};
    m_programs.push_back(launched["pid"].toInt());
    auto line = notification("output");
    QCOMPARE(line["text"].toString(), QString("first line"));
    QCOMPARE(line["stream"].toString(), QString("stdout"));
    line = notification("output");
    QCOMPARE(line["text"].toString(), QString("from env"));
    QCOMPARE(line["stream"].toString(), QString("stderr"));

    QCOMPARE(result("arm", {{"session", launched["session"]}, {"warmup", 0}, {"out", "later.tlc"}})["out"].toString(),
             m_box->path("later.tlc"));
    QCOMPARE(code(call("arm", session)), 11); // busy
    const auto recording = take([](const QJsonObject &m) {
        return m["params"]["state"].toString() == "recording" && m["params"]["records"].toInt() > 0;
    });
    QVERIFY(!recording.isEmpty());
    QVERIFY(result("status", session)["ranks"].toArray().size() == 1);
    QVERIFY(call("stop", session).contains("result"));
    QVERIFY(notification("captured")["complete"].toBool());
    QVERIFY(Sandbox::alive(launched["pid"].toInt()));
    QVERIFY(call("terminate", session).contains("result"));
    QCOMPARE(notification("exited")["signal"].toString(), QString("SIGTERM"));
}

void TestServe::attachAndDetach()
{
    m_box->environment().insert("LD_PRELOAD", Sandbox::agent());
    const auto target = m_box->start(Sandbox::target(), {"marks=1", "us=1000", "steps=100000"});
    const int pid = static_cast<int>(target->processId());
    m_programs.push_back(pid);
    QTRY_VERIFY_WITH_TIMEOUT(m_box->has("s/" + QString::number(pid) + ".sock"), 10'000);
    const auto processes = result("list")["processes"].toArray();
    QVERIFY(std::any_of(processes.begin(), processes.end(), [&](const auto &p) {
        return p.toObject()["pid"].toInt() == pid && p.toObject()["how"].toString() == "agent";
    }));
    const auto attached = result("attach", {{"pid", pid}, {"warmup", 0}, {"seconds", 0.2}, {"out", "a.tlc"}});
    QCOMPARE(attached["how"].toString(), QString("agent"));
    QVERIFY(notification("captured")["complete"].toBool());
    const QJsonObject session{{"session", attached["session"]}};
    QCOMPARE(code(call("terminate", session)), 2); // not ours to end
    QVERIFY(call("detach", session).contains("result"));
    QTRY_COMPARE(code(call("status", session)), 13);
    QVERIFY(Sandbox::alive(pid));
    target->kill();
    target->waitForFinished();
}

void TestServe::errors_data()
{
    QTest::addColumn<QString>("method");
    QTest::addColumn<QJsonObject>("params");
    QTest::addColumn<int>("code");
    QTest::newRow("unknown method") << "fly" << QJsonObject{} << -32601;
    QTest::newRow("no argv") << "launch" << QJsonObject{} << -32602;
    QTest::newRow("wrong steps") << "launch" << QJsonObject{{"argv", QJsonArray{"/bin/true"}}, {"steps", -1}} << -32602;
    QTest::newRow("no program") << "launch" << QJsonObject{{"argv", QJsonArray{"/no/such"}}} << 7;
    QTest::newRow("no folder") << "launch" << QJsonObject{{"argv", QJsonArray{"/bin/true"}}, {"cwd", "/no/such"}} << 7;
    QTest::newRow("output folder") << "launch" << QJsonObject{{"argv", QJsonArray{"/bin/true"}}, {"out", "none/a.tlc"}}
                                   << 9;
    QTest::newRow("output is a folder") << "launch" << QJsonObject{{"argv", QJsonArray{"/bin/true"}}, {"out", "."}}
                                        << 9;
    QTest::newRow("no process") << "attach" << QJsonObject{{"pid", 4194000}} << 1;
    QTest::newRow("no pid") << "attach" << QJsonObject{} << 12;
    QTest::newRow("no session") << "stop" << QJsonObject{{"session", 99}} << 13;
    QTest::newRow("session is text") << "stop" << QJsonObject{{"session", "x"}} << -32602;
    QTest::newRow("no capture") << "fetch" << QJsonObject{{"path", "/etc/passwd"}} << 14;
}

void TestServe::errors()
{
    QFETCH(QString, method);
    QFETCH(QJsonObject, params);
    QFETCH(int, code);
    const auto error = call(method, params)["error"].toObject();
    QVERIFY2(error["code"].toInt() == code, QJsonDocument(error).toJson().constData());
    QVERIFY(!error["message"].toString().isEmpty());
    QVERIFY(!error["data"]["name"].toString().isEmpty());
}

void TestServe::malformedLinesAreAnswered()
{
    m_serve->write("this is no JSON\n\n{\"jsonrpc\":\"2.0\"\n");
    for (int i = 0; i < 2; ++i) {
        const auto answer = take([](const QJsonObject &m) { return m.contains("error"); });
        QCOMPARE(answer["error"]["code"].toInt(), -32700);
        QVERIFY(answer["id"].isNull());
    }
    m_serve->write(QByteArray(3'000'000, 'x') + '\n');
    QCOMPARE(code(take([](const QJsonObject &m) { return m.contains("error"); })), -32700);
    QCOMPARE(result("hello")["protocol"].toInt(), 1); // it goes on
}

void TestServe::closedInputLeavesTheProgram()
{
    const auto launched = result("launch", {{"argv", program({"steps=100000"})}, {"warmup", 0}, {"out", "a.tlc"}});
    const pid_t pid = launched["pid"].toInt();
    m_programs.push_back(pid);
    take([](const QJsonObject &m) { return m["params"]["records"].toInt() > 0; });
    m_serve->closeWriteChannel();
    QVERIFY(m_serve->waitForFinished(15'000));
    QCOMPARE(m_serve->exitCode(), 0);
    QVERIFY(Sandbox::alive(pid));
    QVERIFY(m_box->capture("a.tlc")->complete); // a window without a limit was ended
}

void TestServe::killedServerLeavesTheProgram()
{
    // Prints all the time: with a pipe for its output it would die of SIGPIPE.
    const QString script = "i=0; while [ $i -lt 100 ]; do echo $i; i=$((i+1)); sleep 0.05; done; touch survived";
    const auto launched = result("launch", {{"argv", QJsonArray{"/bin/sh", "-c", script}}, {"arm", false}});
    m_programs.push_back(launched["pid"].toInt());
    QVERIFY(!notification("output").isEmpty());
    m_serve->kill();
    m_serve->waitForFinished();
    QTRY_VERIFY_WITH_TIMEOUT(m_box->has("survived"), 30'000);
}

void TestServe::nothingCaptured()
{
    QVERIFY(
        !result("launch",
                {{"argv", QJsonArray{"/bin/sh", "-c", "echo -n no line end; exit 3"}}, {"steps", 5}, {"out", "a.tlc"}})
             .isEmpty());
    const auto failed = notification("failed");
    QCOMPARE(failed["code"].toInt(), 10);
    QVERIFY(failed["message"].toString().contains("exit code 3"));
    QCOMPARE(notification("output")["text"].toString(), QString("no line end"));
    const auto exited = notification("exited");
    QCOMPARE(exited["exit_code"].toInt(), 3);
    QVERIFY(exited["signal"].isNull());
    QVERIFY(!m_box->has("a.tlc"));
}

QTEST_GUILESS_MAIN(TestServe)
#include "tst_serve.moc"
