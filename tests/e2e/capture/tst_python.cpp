// SPDX-License-Identifier: GPL-3.0-or-later
// Python training through the agent, with the real PyTorch: what is seen, and that nothing is disturbed.
#include "tests/e2e/capture/python.h"

class TestPython : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_box = std::make_unique<Sandbox>(); }
    void whatIsSeen();
    void torchComesLater();
    void loaderWorkers_data();
    void loaderWorkers();
    void processPool();
    void nothingIsDisturbed();
    void profilerWorksAfterIt();
    void exitBeforeTheWindow();
    void hardExitInTheWindow();
    void childrenInTheWindow();
    void unpreparedRun();

private:
    static QStringList program(const QStringList &options) { return QStringList{script("train.py")} + options; }
    [[nodiscard]] Sandbox::Run plain(const QStringList &options) const
    {
        return Sandbox::finish(*m_box->start(pythonWithTorch(), program(options)));
    }
    [[nodiscard]] Sandbox::Run record(const QStringList &window, const QStringList &options) const
    {
        return m_box->run(QStringList{"record", "-o", "a.tlc"} + window + QStringList{"--", pythonWithTorch()}
                          + program(options));
    }
    [[nodiscard]] QJsonObject inspected() const { return asJson(m_box->run({"inspect", "a.tlc", "--json"})); }
    std::unique_ptr<Sandbox> m_box;
};

void TestPython::whatIsSeen()
{
    NEEDS_PYTHON();
    const auto run = record({"--warmup", "5", "--steps", "8"}, {"steps=40"});
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
    const auto seen = inspected();
    QCOMPARE(seen["steps"]["count"].toInt(), 8);
    QCOMPARE(seen["steps"]["source"].toString(), QString("optimizer"));
    QVERIFY(!namesIn(seen, "ops", "aten::addmm").isEmpty());
    QVERIFY(!namesIn(seen, "ops", "autograd::engine::evaluate_function").isEmpty());
    QCOMPARE(namesIn(seen, "ranges", "Optimizer.step#"), QStringList{"Optimizer.step#Adam.step"});
    QCOMPARE(namesIn(seen, "ranges", "enumerate(DataLoader)#"),
             QStringList{"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"});
    QVERIFY(namesIn(seen, "ranges", "pass ").size() >= 8);
    QCOMPARE(seen["input"]["workers"].toInt(-1), 0);
}

// The process uses CUDA, so it is armed; torch comes later, and its steps are seen all the same.
void TestPython::torchComesLater()
{
    NEEDS_PYTHON();
    const auto run =
        record({"--warmup", "5", "--steps", "8"}, {"steps=60", "cuda=" TUNELINE_BUILD_DIR "/lib/fakes/libcuda.so"});
    VERIFY_EXIT(run, 0);
    const auto seen = inspected();
    QCOMPARE(seen["steps"]["count"].toInt(), 8);
    QCOMPARE(seen["steps"]["source"].toString(), QString("optimizer"));
}

void TestPython::loaderWorkers_data()
{
    QTest::addColumn<QString>("start");
    QTest::newRow("forked") << "fork";
    QTest::newRow("spawned") << "spawn";
}

// Workers run the agent's copy of a fork, or load their own: they make the same batches, and are no ranks.
void TestPython::loaderWorkers()
{
    NEEDS_PYTHON();
    QFETCH(QString, start);
    const QStringList options{"steps=60", "workers=2", "start=" + start, "exit=5"};
    const auto run = record({"--warmup", "5", "--steps", "8"}, options);
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.errors.contains("exit code 5"), qPrintable(run.errors));
    QVERIFY2(QFileInfo(m_box->path("a.tlc")).isFile(), "a worker was taken for a rank");
    QVERIFY(m_box->capture("a.tlc")->complete);
    const auto seen = inspected();
    QCOMPARE(seen["steps"]["count"].toInt(), 8);
    QCOMPARE(namesIn(seen, "ranges", "enumerate(DataLoader)#"),
             QStringList{"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"});
    QCOMPARE(run.output, plain(options).output);
}

void TestPython::processPool()
{
    NEEDS_PYTHON();
    const QStringList options{"steps=40", "pool=1"};
    const auto run = record({"--warmup", "5", "--steps", "8"}, options);
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.output.contains("[0, 1, 2, 3, 4, 5]") && run.output.endsWith("done\n"), qPrintable(run.output));
    QVERIFY(QFileInfo(m_box->path("a.tlc")).isFile());
}

void TestPython::nothingIsDisturbed()
{
    NEEDS_PYTHON();
    const QStringList options{"steps=60", "exit=9"};
    const auto without = plain(options);
    VERIFY_EXIT(without, 9);
    QVERIFY(without.output.count('\n') == 31 && without.errors.isEmpty());
    m_box->environment().insert("LD_PRELOAD", Sandbox::agent());
    const auto dormant = plain(options);
    m_box->environment().remove("LD_PRELOAD");
    VERIFY_EXIT(dormant, 9);
    QCOMPARE(dormant.output, without.output); // bit by bit
    QVERIFY2(dormant.errors.isEmpty(), qPrintable(dormant.errors));
    for (const char *detail : {"normal", "full"}) {
        const auto armed = record({"--force", "--warmup", "2", "--steps", "20", "--detail", detail}, options);
        VERIFY_EXIT(armed, 0);
        QCOMPARE(armed.output, without.output);
        QVERIFY2(armed.errors.contains("exit code 9"), qPrintable(armed.errors));
        for (const QString &line : armed.errors.split('\n', Qt::SkipEmptyParts))
            QVERIFY2(line.startsWith("tuneline-cli: "), qPrintable(line)); // all stderr is ours
    }
}

void TestPython::profilerWorksAfterIt()
{
    NEEDS_PYTHON();
    const QStringList options{"steps=40", "profile=1"};
    const auto run = record({"--warmup", "2", "--steps", "8"}, options);
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
    QVERIFY(run.output.startsWith("10\n")); // two linear layers, five times
    QCOMPARE(run.output, plain(options).output);
}

// It was armed while it imported torch: LibTorch must still be whole when the agent lets go of it.
void TestPython::exitBeforeTheWindow()
{
    NEEDS_PYTHON();
    for (const char *warmup : {"500", "5"}) { // before the window, and in it
        const auto run = record({"--force", "--warmup", warmup, "--steps", "500"}, {"steps=30", "exit=3"});
        VERIFY_EXIT(run, warmup == QLatin1String("5") ? 0 : 4);
        QVERIFY2(run.errors.contains("exit code 3"), qPrintable(run.errors));
        for (const QString &line : run.errors.split('\n', Qt::SkipEmptyParts))
            QVERIFY2(line.startsWith("tuneline-cli: "), qPrintable(line));
    }
}

void TestPython::hardExitInTheWindow()
{
    NEEDS_PYTHON();
    const auto run = record({"--warmup", "2", "--steps", "500"}, {"steps=60", "hard=1", "exit=4", "ms=20"});
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.errors.contains("exit code 4") && run.errors.contains("kept"), qPrintable(run.errors));
    QVERIFY(!m_box->capture("a.tlc")->complete);
    const auto seen = inspected(); // opens, with all but the last moment
    QVERIFY2(seen["steps"]["count"].toInt() >= 20, qPrintable(QString::number(seen["steps"]["count"].toInt())));
}

void TestPython::childrenInTheWindow()
{
    NEEDS_PYTHON();
    const QStringList options{"steps=60", "forks=1", "exit=6"};
    const auto run = record({"--warmup", "3", "--steps", "20"}, options);
    VERIFY_EXIT(run, 0);
    QVERIFY2(run.errors.contains("exit code 6"), qPrintable(run.errors));
    QVERIFY(m_box->capture("a.tlc")->complete);
    const auto seen = inspected();
    QCOMPARE(seen["steps"]["count"].toInt(), 20);
    QVERIFY(namesIn(seen, "ops", "aten::linspace").isEmpty()); // the children's
    QCOMPARE(run.output, plain(options).output);
}

void TestPython::unpreparedRun()
{
    NEEDS_PYTHON();
    const auto without = plain({"steps=30"});
    const auto process = m_box->start(pythonWithTorch(), program({"steps=30", "until=" + m_box->path("stop")}));
    const QString pid = QString::number(process->processId());
    Sandbox::Run run;
    for (int attempt = 0; attempt < 40; ++attempt) {
        run = m_box->run({"attach", pid, "--warmup", "3", "--steps", "8", "-o", "a.tlc"});
        if (!run.errors.contains("has loaded neither LibTorch nor CUDA"))
            break;
        QTest::qWait(500); // still importing
    }
    if (run.errors.contains("The kernel forbids") || run.errors.contains("gdb isn't installed"))
        QSKIP("ptrace is not permitted here.");
    VERIFY_EXIT(run, 0);
    QVERIFY(m_box->capture("a.tlc")->complete);
    const auto seen = inspected();
    QCOMPARE(seen["steps"]["count"].toInt(), 8);
    QVERIFY(!namesIn(seen, "ops", "aten::addmm").isEmpty());
    QFile(m_box->path("stop")).open(QIODevice::WriteOnly);
    const auto end = Sandbox::finish(*process);
    VERIFY_EXIT(end, 0);
    QCOMPARE(end.output, without.output);
    QVERIFY2(end.errors.isEmpty(), qPrintable(end.errors));
}

QTEST_GUILESS_MAIN(TestPython)
#include "tst_python.moc"
