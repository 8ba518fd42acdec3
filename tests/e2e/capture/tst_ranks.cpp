// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks for real: torchrun with gloo on the CPU, mpirun, two nodes that write into one folder.
#include "tests/e2e/capture/python.h"

#include <QStandardPaths>

class TestRanks : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_box = std::make_unique<Sandbox>();
        m_box->environment().insert("GLOO_SOCKET_IFNAME", "lo"); // a container's own name may lead nowhere
    }
    void cleanup();
    void straggler_data();
    void straggler();
    void rankDiesInTheWindow();
    void rankWithoutAnAgent();
    void launcherIsKilled();
    void twoNodesOneFolder();
    void mpirun();
    void attachToTheLauncher_data();
    void attachToTheLauncher();

private:
    // Processes of this sandbox, also such that lost their parent.
    [[nodiscard]] std::vector<pid_t> survivors() const
    {
        const tuneline::capture::ProcFs proc;
        std::vector<pid_t> found;
        for (const pid_t pid : proc.processes()) {
            const auto environment = proc.environment(pid);
            const auto folder = environment.find("TUNELINE_SOCKET_DIR");
            if (folder != environment.end() && folder->second == m_box->path("s").toStdString() && proc.alive(pid))
                found.push_back(pid);
        }
        return found;
    }
    [[nodiscard]] QJsonObject inspected(const QString &capture) const
    {
        return asJson(m_box->run({"inspect", capture, "--json"}));
    }
    void verifyTwoRanks(const QString &capture) const
    {
        for (const char *name : {"/rank0.tlc", "/rank1.tlc"}) {
            const auto facts = m_box->capture(capture + name);
            QVERIFY2(facts && facts->complete && facts->records > 0, name);
        }
        QCOMPARE(QDir(m_box->path(capture)).entryList(QDir::Files).size(), 2); // and nothing of the launcher
    }
    std::unique_ptr<Sandbox> m_box;
};

void TestRanks::cleanup()
{
    for (const pid_t pid : survivors())
        kill(pid, SIGKILL);
}

void TestRanks::straggler_data()
{
    QTest::addColumn<QString>("slow");
    QTest::addColumn<QString>("cause");
    QTest::newRow("its loader sleeps") << "data"
                                       << "waiting for input";
    QTest::newRow("more work") << "work"
                               << "host operators";
}

void TestRanks::straggler()
{
    NEEDS_PYTHON();
    QFETCH(QString, slow);
    QFETCH(QString, cause);
    const auto run = m_box->run(QStringList{"record", "--steps", "8", "-o", "run.tlc", "--"}
                                + torchrun(*m_box, {script("ddp.py"), "steps=30", "ms=60", "slow=" + slow}));
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.errors.contains("2 ranks"), qPrintable(run.errors));
    QVERIFY2(run.output.contains("rank 0 loss") && run.output.contains("rank 1 loss"), qPrintable(run.output));
    verifyTwoRanks("run.tlc");

    // The same passes on both, 10 steps of warm-up first.
    const auto zero = namesIn(inspected("run.tlc/rank0.tlc"), "ranges", "pass ");
    QVERIFY(zero.size() >= 8);
    QCOMPARE(namesIn(inspected("run.tlc/rank1.tlc"), "ranges", "pass "), zero);

    const auto both = inspected("run.tlc");
    QCOMPARE(both["steps"]["count"].toInt(), 8);
    QVERIFY2(both["links"]["cross_rank"].toInt() >= 8, QJsonDocument(both["links"].toObject()).toJson());
    const auto ranks = both["ranks"].toArray();
    QCOMPARE(ranks.size(), 2);
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(ranks[i]["rank"].toInt(-1), i);
        QCOMPARE(ranks[i]["alignment"]["method"].toString(), QString("base-time")); // one machine, one clock
    }
    QVERIFY(ranks[1]["alignment"]["residual_ns"].isDouble());
    QVERIFY(ranks[1]["alignment"]["residual_ns"].toDouble() < 60e6);
    QVERIFY(ranks[0]["comm_wait_ns"].toDouble() > 8 * 30e6 && ranks[1]["comm_wait_ns"].toDouble() < 8 * 30e6);
    QCOMPARE(both["straggler"].toInt(-1), 1);
    QCOMPARE(both["straggler_cause"]["what"].toString(), cause);

    const auto advice = asJson(m_box->run({"advise", "run.tlc", "--json"}));
    QCOMPARE(advice["straggler"].toInt(-1), 1);
    const auto findings = advice["findings"].toArray();
    const auto late = std::find_if(findings.begin(), findings.end(),
                                   [](const auto &f) { return f.toObject()["rule"] == "straggler"; });
    QVERIFY2(late != findings.end(), QJsonDocument(findings).toJson().left(4000));
    QVERIFY(late->toObject()["title"].toString().startsWith("Rank 1 arrives late"));
    QVERIFY2(late->toObject()["explanation"].toString().contains(cause),
             qPrintable(late->toObject()["explanation"].toString()));
}

void TestRanks::rankDiesInTheWindow()
{
    NEEDS_PYTHON();
    const auto process =
        m_box->startCli(QStringList{"record", "--warmup", "2", "--steps", "1000000", "-o", "run.tlc", "--"}
                        + torchrun(*m_box, {script("ddp.py"), "steps=1000000", "die=" + m_box->path("die")}));
    const auto recording = [this](const QString &file) {
        const auto facts = m_box->capture(file);
        return facts && facts->records > 1000;
    };
    QTRY_VERIFY_WITH_TIMEOUT(recording("run.tlc/rank0.tlc") && recording("run.tlc/rank1.tlc"), 60'000);
    QElapsedTimer timer;
    timer.start();
    QFile(m_box->path("die")).open(QIODevice::WriteOnly);
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0); // something was captured
    QVERIFY(timer.elapsed() < 55'000);
    QVERIFY2(run.errors.contains("ended in the window") && run.errors.contains("kept"), qPrintable(run.errors));
    const auto left = inspected("run.tlc");
    QCOMPARE(left["ranks"].toArray().size(), 2);
    QVERIFY(left["counts"]["ops"].toInt() > 100);
    QVERIFY(survivors().empty());
}

void TestRanks::rankWithoutAnAgent()
{
    NEEDS_PYTHON();
    const QString program = "test $RANK = 1 && export TUNELINE_AGENT=off; exec " + pythonWithTorch() + ' '
        + script("ddp.py") + " until=" + m_box->path("stop");
    const auto process = m_box->startCli(QStringList{"record", "--warmup", "2", "--steps", "5", "-o", "run.tlc", "--"}
                                         + torchrun(*m_box, {"--no_python", "/bin/sh", "-c", program}));
    QTRY_VERIFY_WITH_TIMEOUT(m_box->capture("run.tlc/rank0.tlc") && m_box->capture("run.tlc/rank0.tlc")->complete,
                             90'000); // it is waited for first
    QFile(m_box->path("stop")).open(QIODevice::WriteOnly);
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.errors.contains("Only 1 of the 2 ranks"), qPrintable(run.errors));
}

void TestRanks::launcherIsKilled()
{
    NEEDS_PYTHON();
    const auto process = m_box->startCli(QStringList{"record", "--warmup", "2", "--steps", "30", "-o", "run.tlc", "--"}
                                         + torchrun(*m_box, {script("ddp.py"), "until=" + m_box->path("stop")}));
    const pid_t launcher = Sandbox::waitForDescendant(process->processId(), "torchrun");
    QVERIFY(launcher > 0);
    QTRY_VERIFY_WITH_TIMEOUT(m_box->capture("run.tlc/rank1.tlc"), 60'000);
    QCOMPARE(kill(launcher, SIGKILL), 0);
    const auto run = Sandbox::finish(*process);
    VERIFY_EXIT(run, 0); // its ranks go on without it, and so does the window
    QVERIFY2(run.errors.contains("SIGKILL"), qPrintable(run.errors));
    verifyTwoRanks("run.tlc");
}

void TestRanks::twoNodesOneFolder()
{
    NEEDS_PYTHON();
    auto &environment = m_box->environment();
    environment.insert("MASTER_ADDR", "127.0.0.1");
    environment.insert("MASTER_PORT", QString::number(freePort()));
    environment.insert("WORLD_SIZE", "2");
    // Each node opens its own window; they are some steps apart, and more so on a busy machine.
    const auto node = [&](const char *rank) {
        environment.insert("RANK", rank);
        return m_box->startCli({"record", "--warmup", "4", "--steps", "30", "-o", "run.tlc", "--", pythonWithTorch(),
                                script("ddp.py"), "steps=150"});
    };
    const auto zero = node("0"), one = node("1");
    const auto first = Sandbox::finish(*zero), second = Sandbox::finish(*one);
    VERIFY_EXIT(first, 0);
    VERIFY_EXIT(second, 0);
    verifyTwoRanks("run.tlc");
    const auto both = inspected("run.tlc");
    QCOMPARE(both["ranks"].toArray().size(), 2);
    QVERIFY(both["links"]["cross_rank"].toInt() >= 6);
    // Each file has its own base; together they overlap, as the runs did.
    QVERIFY(both["base_unix_ns"].toDouble() > 1.6e18);
    QVERIFY(both["span_ns"].toArray()[1].toDouble() < 60e9);
    // The same again: nothing is overwritten, and nothing is started.
    const auto size = QFileInfo(m_box->path("run.tlc/rank1.tlc")).size();
    const auto again = Sandbox::finish(*node("1"));
    VERIFY_EXIT(again, 4);
    QVERIFY2(again.errors.contains("rank 1 already") && again.errors.contains("--force"), qPrintable(again.errors));
    QCOMPARE(QFileInfo(m_box->path("run.tlc/rank1.tlc")).size(), size);
}

void TestRanks::mpirun()
{
    if (QStandardPaths::findExecutable("mpirun").isEmpty())
        QSKIP("No mpirun here (openmpi-bin on Debian).");
    auto &environment = m_box->environment();
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    environment.insert("OMPI_MCA_plm", "isolated"); // a bare machine has no ssh, which it looks for otherwise
    const auto run = m_box->run({"record", "--warmup", "5", "--steps", "6", "-o", "run.tlc", "--", "mpirun", "-np", "2",
                                 "--oversubscribe", Sandbox::target(), "marks=1", "steps=3000", "us=1000"});
    QVERIFY2(run.errors.contains("2 ranks"), qPrintable(run.errors));
    verifyTwoRanks("run.tlc");
    QCOMPARE(inspected("run.tlc")["ranks"].toArray().size(), 2);
}

void TestRanks::attachToTheLauncher_data()
{
    QTest::addColumn<bool>("prepared");
    QTest::newRow("dormant agents") << true;
    QTest::newRow("through gdb") << false;
}

void TestRanks::attachToTheLauncher()
{
    NEEDS_PYTHON();
    QFETCH(bool, prepared);
    if (prepared)
        m_box->environment().insert("LD_PRELOAD", Sandbox::agent());
    const QString stop = m_box->path("stop");
    auto line = torchrun(*m_box, {script("ddp.py"), "until=" + stop});
    const QString program = line.takeFirst();
    const auto launcher = m_box->start(program, line);
    m_box->environment().remove("LD_PRELOAD");
    const auto pid = static_cast<pid_t>(launcher->processId());
    const auto attach = [&] {
        return m_box->run({"attach", QString::number(pid), "--force", "--steps", "6", "-o", "run.tlc"});
    };
    Sandbox::Run run = attach();
    for (int attempt = 0; attempt < 40 && run.errors.contains("none of them uses LibTorch yet"); ++attempt) {
        QTest::qWait(500);
        run = attach();
    }
    if (run.errors.contains("The kernel forbids") || run.errors.contains("gdb isn't installed"))
        QSKIP("ptrace is not permitted here.");
    for (int attempt = 0; attempt < 3 && !run.errors.contains("2 ranks"); ++attempt)
        run = attach(); // the second rank was a moment behind
    VERIFY_EXIT(run, 0);
    verifyTwoRanks("run.tlc");
    const auto both = inspected("run.tlc");
    QVERIFY2(both["links"]["cross_rank"].toInt() >= 3, qPrintable(run.errors));
    QFile(stop).open(QIODevice::WriteOnly);
    const auto end = Sandbox::finish(*launcher); // unharmed
    VERIFY_EXIT(end, 0);
    QVERIFY2(end.output.contains("rank 0 loss") && end.output.contains("rank 1 loss"), qPrintable(end.output));
}

QTEST_GUILESS_MAIN(TestRanks)
#include "tst_ranks.moc"
