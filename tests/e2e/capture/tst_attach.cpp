// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/capture/cli.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

class TestAttach : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void dormantAgent();
    void unpreparedProcess();
    void withoutTheDebugger();
    void ctrlCEndsTheWindowOnly();
    void targetIsKilled();
    void impossible_data();
    void impossible();

private:
    // What list --json says about the target.
    QJsonObject listed(pid_t pid) const
    {
        const auto run = m_box->run({"list", "--json"});
        const auto processes = QJsonDocument::fromJson(run.output.toUtf8())["processes"].toArray();
        for (const auto &process : processes) {
            if (process.toObject()["pid"].toInt() == pid)
                return process.toObject();
        }
        return {};
    }
    void startTarget(bool prepared)
    {
        if (prepared)
            m_box->environment().insert("LD_PRELOAD", Sandbox::agent());
        m_target = m_box->start(Sandbox::target(), {"marks=1", "steps=1000000", "us=1000"});
        m_box->environment().remove("LD_PRELOAD");
        m_pid = static_cast<pid_t>(m_target->processId());
        QTest::qWait(200);
    }
    std::unique_ptr<Sandbox> m_box;
    std::unique_ptr<QProcess> m_target;
    pid_t m_pid = 0;
};

void TestAttach::init()
{
    m_box = std::make_unique<Sandbox>();
}

void TestAttach::cleanup()
{
    if (m_target) {
        m_target->kill();
        m_target->waitForFinished();
    }
    m_target.reset();
}

void TestAttach::dormantAgent()
{
    startTarget(true);
    QTRY_COMPARE_WITH_TIMEOUT(listed(m_pid)["how"].toString(), QString("agent"), 10'000);
    for (const char *name : {"first.tlc", "second.tlc"}) {
        const auto run = m_box->run({"attach", QString::number(m_pid), "--warmup", "3", "--steps", "5", "-o", name});
        VERIFY_EXIT(run, 0);
        QVERIFY(m_box->capture(name)->complete);
        QVERIFY(m_box->capture(name)->records > 0);
    }
    QCOMPARE(m_target->state(), QProcess::Running);
}

void TestAttach::unpreparedProcess()
{
    startTarget(false);
    const auto before = listed(m_pid);
    QVERIFY(!before.isEmpty());
    if (before["how"].toString() != "debugger")
        QSKIP(qPrintable("No debugger can be used here: " + before["why"].toString()));
    QVERIFY(before["capturable"].toBool());
    const auto run = m_box->run({"attach", QString::number(m_pid), "--warmup", "3", "--steps", "5", "-o", "a.tlc"});
    if (run.errors.contains("The kernel forbids"))
        QSKIP("ptrace is not permitted here.");
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
    QVERIFY(m_box->capture("a.tlc")->records > 0);
    QCOMPARE(m_target->state(), QProcess::Running); // unharmed
    QCOMPARE(listed(m_pid)["how"].toString(), QString("agent")); // stays for the next time
}

void TestAttach::withoutTheDebugger()
{
    startTarget(false);
    const auto run = m_box->run({"attach", QString::number(m_pid), "--no-debugger", "--steps", "5", "-o", "a.tlc"});
    VERIFY_EXIT(run, 4);
    QVERIFY2(run.errors.contains("There is no agent in process"), qPrintable(run.errors));
    QVERIFY(!m_box->has("a.tlc"));
}

void TestAttach::ctrlCEndsTheWindowOnly()
{
    startTarget(true);
    QTRY_COMPARE_WITH_TIMEOUT(listed(m_pid)["how"].toString(), QString("agent"), 10'000);
    const auto process = m_box->startCli({"attach", QString::number(m_pid), "--warmup", "0", "-o", "a.tlc"});
    QTRY_VERIFY_WITH_TIMEOUT(m_box->capture("a.tlc") && m_box->capture("a.tlc")->records > 50, 20'000);
    QCOMPARE(kill(static_cast<pid_t>(process->processId()), SIGINT), 0);
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
    QCOMPARE(m_target->state(), QProcess::Running);
}

void TestAttach::targetIsKilled()
{
    startTarget(true);
    QTRY_COMPARE_WITH_TIMEOUT(listed(m_pid)["how"].toString(), QString("agent"), 10'000);
    const auto process = m_box->startCli({"attach", QString::number(m_pid), "--warmup", "0", "-o", "a.tlc"});
    QTRY_VERIFY_WITH_TIMEOUT(m_box->capture("a.tlc") && m_box->capture("a.tlc")->records > 50, 20'000);
    m_target->kill();
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0);
    QVERIFY(!m_box->capture("a.tlc")->complete);
}

void TestAttach::impossible_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("words");
    QTest::newRow("no process") << ""
                                << "There is no process";
    QTest::newRow("no torch") << "/bin/sleep"
                              << "neither LibTorch nor CUDA";
}

void TestAttach::impossible()
{
    QFETCH(QString, program);
    QFETCH(QString, words);
    QString pid = "4194000";
    if (!program.isEmpty()) {
        m_target = m_box->start(program, {"60"});
        pid = QString::number(m_target->processId());
    }
    const auto run = m_box->run({"attach", pid, "--steps", "5", "-o", "a.tlc"});
    VERIFY_EXIT(run, 4);
    QVERIFY2(run.errors.contains(words), qPrintable(run.errors));
}

QTEST_GUILESS_MAIN(TestAttach)
#include "tst_attach.moc"
