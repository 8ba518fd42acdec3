// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/detaillevels.h"
#include "tests/e2e/capture/cli.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

class TestRecord : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_box = std::make_unique<Sandbox>(); }
    void window();
    void programKeepsItsInput();
    void secondsAndDefaultName();
    void stopAfter();
    void severalRanks();
    void killedInTheWindow();
    void interrupted();
    void endsInWarmup();
    void withoutTorch();
    void existingOutput();
    void launchProblems_data();
    void launchProblems();
    void nvtxRanges();
    void helpTellsTheCost();
    void wrongUsage_data();
    void wrongUsage();

private:
    std::unique_ptr<Sandbox> m_box;
};

void TestRecord::window()
{
    const auto run = m_box->run({"record", "--warmup", "5", "--steps", "8", "-o", "a.tlc", "--", Sandbox::target(),
                                 "marks=1", "steps=1500", "us=1000"});
    VERIFY_EXIT(run, 0);
    const auto facts = m_box->capture("a.tlc");
    QVERIFY(facts && facts->complete);
    QVERIFY2(facts->records >= 8 * 5, qPrintable(QString::number(facts->records)));
    QCOMPARE(run.output.count('\n'), 1); // the program's own line, nothing of ours
    QVERIFY2(run.errors.contains("captured") && run.errors.contains("a.tlc"), qPrintable(run.errors));
    QVERIFY2(run.errors.contains("goes on") && run.errors.contains("exit code 7"), qPrintable(run.errors));
    QVERIFY(!run.errors.contains('\x1b')); // no terminal, no progress line
}

void TestRecord::programKeepsItsInput()
{
    const auto process =
        m_box->startCli({"record", "--warmup", "0", "--seconds", "0.2", "-o", "a.tlc", "--", "/bin/sh", "-c",
                         "cat; echo to-stderr >&2; exec " + Sandbox::target() + " marks=1 steps=1000 us=1000"});
    process->write("typed by the user\n");
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0);
    QVERIFY(run.output.startsWith("typed by the user\n"));
    QVERIFY(run.errors.contains("to-stderr"));
    QVERIFY(m_box->capture("a.tlc")->complete);
}

void TestRecord::secondsAndDefaultName()
{
    const auto run = m_box->run({"record", "--warmup", "0", "--seconds", "0.3", "--stop-after", "--detail", "light",
                                 "--", Sandbox::target(), "marks=1", "steps=100000"});
    VERIFY_EXIT(run, 0);
    const QStringList captures = QDir(m_box->path(".")).entryList({"faketarget-*.tlc"}, QDir::Files);
    QCOMPARE(captures.size(), 1);
    QVERIFY(m_box->capture(captures.front())->complete);
}

// The session sets NVTX's injection, the agent takes it, the ranges end up as scopes.
void TestRecord::nvtxRanges()
{
    const auto run = m_box->run({"record", "--warmup", "2", "--steps", "5", "-o", "a.tlc", "--", Sandbox::target(),
                                 "marks=1", "nvtx=1", "steps=1000", "us=1000"});
    VERIFY_EXIT(run, 0);
    const auto inspect = m_box->run({"inspect", "--json", "a.tlc"});
    VERIFY_EXIT(inspect, 0);
    qint64 calls = 0;
    const QJsonArray ranges = QJsonDocument::fromJson(inspect.output.toUtf8()).object()["ranges"].toArray();
    for (const QJsonValue &range : ranges)
        calls += range["name"].toString() == "nvtx forward" ? range["calls"].toInteger() : 0;
    QCOMPARE(calls, 5);
}

void TestRecord::helpTellsTheCost()
{
    for (const char *command : {"record", "attach"}) {
        const auto run = m_box->run({command, "--help"});
        VERIFY_EXIT(run, 0);
        for (const tuneline::analysis::DetailLevel &level : tuneline::analysis::kDetailLevels)
            QVERIFY2(run.output.contains(QString::fromStdString(costText(level))), qPrintable(run.output));
        QVERIFY(run.output.contains("torch.profiler will not see the GPU"));
    }
}

void TestRecord::stopAfter()
{
    QElapsedTimer timer;
    timer.start();
    const auto run = m_box->run({"record", "--warmup", "2", "--steps", "3", "--stop-after", "-o", "a.tlc", "--",
                                 Sandbox::target(), "marks=1", "steps=1000000", "us=1000"});
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
    QVERIFY(timer.elapsed() < 60'000); // not a thousand seconds
    QVERIFY(!run.errors.contains("ended with")); // we ended it: no news
}

void TestRecord::severalRanks()
{
    const QString rank = "RANK=%1 WORLD_SIZE=2 " + Sandbox::target() + " marks=1 steps=3000 us=1000 & ";
    const auto run = m_box->run({"record", "--warmup", "5", "--steps", "6", "-o", "run.tlc", "--", "/bin/sh", "-c",
                                 rank.arg(1) + rank.arg(0) + "wait"});
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.errors.contains("2 ranks"), qPrintable(run.errors));
    for (const char *name : {"run.tlc/rank0.tlc", "run.tlc/rank1.tlc"}) {
        const auto facts = m_box->capture(name);
        QVERIFY2(facts && facts->complete && facts->records > 0, name);
    }
}

void TestRecord::killedInTheWindow()
{
    const auto process = m_box->startCli({"record", "--warmup", "0", "--seconds", "60", "-o", "a.tlc", "--",
                                          Sandbox::target(), "marks=1", "steps=1000000", "us=1000"});
    const pid_t target = Sandbox::waitForDescendant(process->processId(), "faketarget");
    QVERIFY(target > 0);
    QTRY_VERIFY_WITH_TIMEOUT(m_box->capture("a.tlc") && m_box->capture("a.tlc")->records > 100, 20'000);
    QCOMPARE(kill(target, SIGKILL), 0);
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0); // something was captured
    const auto facts = m_box->capture("a.tlc");
    QVERIFY(facts && facts->records > 100 && !facts->complete);
    QVERIFY2(run.errors.contains("SIGKILL") && run.errors.contains("kept"), qPrintable(run.errors));
}

void TestRecord::interrupted()
{
    const auto process = m_box->startCli({"record", "--warmup", "0", "--seconds", "60", "-o", "a.tlc", "--",
                                          Sandbox::target(), "marks=1", "steps=1000000", "us=1000"});
    QTRY_VERIFY_WITH_TIMEOUT(m_box->capture("a.tlc") && m_box->capture("a.tlc")->records > 100, 20'000);
    QCOMPARE(kill(static_cast<pid_t>(process->processId()), SIGINT), 0);
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete); // the window was closed before the program was told
}

void TestRecord::endsInWarmup()
{
    const auto run = m_box->run({"record", "--warmup", "500", "--steps", "3", "-o", "a.tlc", "--", Sandbox::target(),
                                 "marks=1", "steps=300", "us=2000"});
    VERIFY_EXIT(run, 4);
    QVERIFY2(run.errors.contains("before the window opened") && run.errors.contains("--warmup"),
             qPrintable(run.errors));
    QVERIFY(!m_box->has("a.tlc"));
    QCOMPARE(run.output.count('\n'), 1);
}

void TestRecord::withoutTorch()
{
    const auto run = m_box->run({"record", "--steps", "3", "-o", "a.tlc", "--", "/bin/true"});
    VERIFY_EXIT(run, 4);
    QVERIFY2(run.errors.contains("true ended (exit code 0)"), qPrintable(run.errors));
    QVERIFY(!m_box->has("a.tlc"));
}

void TestRecord::existingOutput()
{
    QFile old(m_box->path("a.tlc"));
    QVERIFY(old.open(QIODevice::WriteOnly));
    old.write("precious");
    old.close();
    const QStringList rest{"--", "/bin/sh", "-c",
                           "touch started; exec " + Sandbox::target() + " marks=1 steps=1000 us=1000"};
    const auto refused = m_box->run(QStringList{"record", "--warmup", "0", "--steps", "2", "-o", "a.tlc"} + rest);
    VERIFY_EXIT(refused, 4);
    QVERIFY2(refused.errors.contains("already exists") && refused.errors.contains("--force"),
             qPrintable(refused.errors));
    QVERIFY(!m_box->has("started"));
    QCOMPARE(QFileInfo(old).size(), 8);
    const auto forced =
        m_box->run(QStringList{"record", "--force", "--warmup", "0", "--steps", "2", "-o", "a.tlc"} + rest);
    VERIFY_EXIT(forced, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
}

void TestRecord::launchProblems_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("words");
    QTest::newRow("no program") << QStringList{"-o", "a.tlc", "--", "./no-such-program"}
                                << "no program ./no-such-program";
    QTest::newRow("not executable") << QStringList{"-o", "a.tlc", "--", "/etc/passwd"} << "can be run";
    QTest::newRow("no folder") << QStringList{"-o", "none/a.tlc", "--", "/bin/true"} << "There is no folder";
}

void TestRecord::launchProblems()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, words);
    const auto run = m_box->run(QStringList{"record"} + arguments);
    VERIFY_EXIT(run, 4);
    QVERIFY2(run.errors.contains(words), qPrintable(run.errors));
}

void TestRecord::wrongUsage_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("unknown command") << QStringList{"fly"};
    QTest::newRow("no --") << QStringList{"record", "/bin/true"};
    QTest::newRow("nothing behind --") << QStringList{"record", "--"};
    QTest::newRow("bad warmup") << QStringList{"record", "--warmup", "soon", "--", "/bin/true"};
    QTest::newRow("negative steps") << QStringList{"record", "--steps", "-3", "--", "/bin/true"};
    QTest::newRow("bad detail") << QStringList{"record", "--detail", "huge", "--", "/bin/true"};
    QTest::newRow("bad pid") << QStringList{"attach", "me"};
}

void TestRecord::wrongUsage()
{
    QFETCH(QStringList, arguments);
    const auto run = m_box->run(arguments);
    VERIFY_EXIT(run, 2);
    QVERIFY(run.output.isEmpty() && !run.errors.isEmpty());
}

QTEST_GUILESS_MAIN(TestRecord)
#include "tst_record.moc"
