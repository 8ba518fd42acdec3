// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/gdbinjector.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <unistd.h>

using namespace tuneline::capture;

class TestInjector : public QObject
{
    Q_OBJECT

private slots:
    void explanations_data();
    void explanations();
    void success();
    void scripts_data();
    void scripts();
    void selfTest();
    void withoutGdb();
    void cudaGdbAlone();
    void realProcess_data();
    void realProcess();
    void gdbWithoutVectorRegisters();
    void processThatIsGone();
};

void TestInjector::explanations_data()
{
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("errors");
    QTest::addColumn<QString>("words");
    QTest::newRow("permission") << ""
                                << "Could not attach to process. … ptrace: Operation not permitted."
                                << "ptrace_scope";
    QTest::newRow("traced") << ""
                            << "warning: process 7 is already traced by process 8\nptrace: Operation not permitted."
                            << "Another debugger";
    QTest::newRow("gone") << ""
                          << "ptrace: No such process."
                          << "has ended";
    QTest::newRow("static") << "tuneline-stage:attached\ntuneline-stage:safe-point\n"
                            << "No symbol \"dlopen\" in current context."
                            << "statically linked";
    QTest::newRow("dlopen") << "tuneline-stage:attached\ntuneline-stage:safe-point\ntuneline-stage:loaded=0\ntuneline-"
                               "dlerror:/a.so: no such file\n"
                            << ""
                            << "/a.so: no such file";
    QTest::newRow("start")
        << "tuneline-stage:attached\ntuneline-stage:safe-point\ntuneline-stage:loaded=1\ntuneline-stage:started=0\n"
        << ""
        << "could not start";
    QTest::newRow("unknown") << "tuneline-stage:attached\n"
                             << "Something new."
                             << "Something new.";
}

void TestInjector::explanations()
{
    QFETCH(QString, output);
    QFETCH(QString, errors);
    QFETCH(QString, words);
    const auto text = QString::fromStdString(explainGdb(output.toStdString(), errors.toStdString(), 7));
    QVERIFY2(text.contains(words), qPrintable(text));
}

void TestInjector::success()
{
    // Warnings on the way don't matter when the last stage was reached.
    QCOMPARE(
        explainGdb(
            "tuneline-stage:attached\ntuneline-stage:safe-point\ntuneline-stage:loaded=1\ntuneline-stage:started=1\n",
            "warning: Operation not permitted", 7),
        std::string());
}

void TestInjector::scripts_data()
{
    QTest::addColumn<int>("calls");
    QTest::newRow("by gdb") << static_cast<int>(GdbCalls::ByGdb);
    QTest::newRow("by hand") << static_cast<int>(GdbCalls::ByHand);
}

void TestInjector::scripts()
{
    QFETCH(int, calls);
    const std::string script = gdbScript(static_cast<GdbCalls>(calls), "/a b/\"x\\y/libtuneline_agent.so");
    QVERIFY(script.find(R"("/a b/\"x\\y/libtuneline_agent.so")") != std::string::npos);
    // libtorch exports InitializeInjection too: calling that from a debugger would start Kineto (CAPTURE.md section 9).
    QVERIFY(script.find("tuneline_agent_start") != std::string::npos);
    QVERIFY(script.find("InitializeInjection") == std::string::npos);
    QVERIFY(script.ends_with("detach\n"));
}

void TestInjector::selfTest()
{
    GdbInjector injector;
    const bool works = injector.selfTest();
    QCOMPARE(works, injector.errorString().empty());
    if (!works)
        QSKIP(injector.errorString().c_str());
}

void TestInjector::withoutGdb()
{
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    GdbInjector injector;
    const bool works = injector.selfTest();
    const bool injected = injector.inject(getpid(), "/a.so");
    qputenv("PATH", path);
    QVERIFY(!works && !injected);
    QVERIFY2(injector.errorString().find("Install gdb") != std::string::npos, injector.errorString().c_str());
}

// A GPU server with the CUDA Toolkit and no gdb.
void TestInjector::cudaGdbAlone()
{
    QTemporaryDir folder;
    QFile script(folder.filePath("cuda-gdb"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\n"
                 "echo works=42 tuneline-stage:attached tuneline-stage:safe-point tuneline-stage:loaded=1\n"
                 "echo tuneline-stage:started=1\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", folder.path().toUtf8());
    GdbInjector injector;
    const bool works = injector.selfTest();
    const bool injected = injector.inject(getpid(), "/a.so");
    qputenv("PATH", path);
    QVERIFY2(works && injected, injector.errorString().c_str());
}

void TestInjector::realProcess_data()
{
    scripts_data();
}

// The program goes on to its own end, with the agent in it.
void TestInjector::realProcess()
{
    QFETCH(int, calls);
    const QString folder = QCoreApplication::applicationDirPath();
    QTemporaryDir sockets;
    QProcess program;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TUNELINE_SOCKET_DIR", sockets.path());
    program.setProcessEnvironment(environment);
    program.start(folder + "/faketarget", {"steps=3000"});
    QVERIFY(program.waitForStarted());
    GdbInjector injector(static_cast<GdbCalls>(calls));
    if (!injector.selfTest())
        QSKIP(injector.errorString().c_str());
    const auto agent = (folder + "/../lib/libtuneline_agent.so").toStdString();
    const bool injected = injector.inject(static_cast<pid_t>(program.processId()), agent);
    if (injector.errorString().find("kernel forbids") != std::string::npos)
        QSKIP(injector.errorString().c_str());
    QVERIFY2(injected, injector.errorString().c_str());
    QFile maps(QString("/proc/%1/maps").arg(program.processId()));
    QVERIFY(maps.open(QIODevice::ReadOnly) && maps.readAll().contains("libtuneline_agent.so"));
    QVERIFY(program.waitForFinished(60'000));
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 7);
}

// gdb before 14 on a processor with AMX: its calls fail, and the second script does without them.
void TestInjector::gdbWithoutVectorRegisters()
{
    QTemporaryDir folder;
    QFile script(folder.filePath("gdb"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\n"
                 "for last; do :; done\n" // the script file
                 "echo works=42 tuneline-stage:attached\n"
                 "case \"$(cat \"$last\" 2>/dev/null)\" in *tunelineKept_rip*) ;;\n"
                 "*) echo \"Couldn't write extended state status: Bad address.\" >&2; exit 1 ;; esac\n"
                 "echo tuneline-stage:safe-point tuneline-stage:loaded=1\n"
                 "echo tuneline-stage:started=1\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", folder.path().toUtf8() + ":/usr/bin:/bin");
    GdbInjector injector;
    const bool injected = injector.inject(getpid(), "/a.so");
    qputenv("PATH", path);
    QVERIFY2(injected, injector.errorString().c_str());
}

void TestInjector::processThatIsGone()
{
    GdbInjector injector;
    if (!injector.selfTest())
        QSKIP("gdb doesn't work here.");
    QVERIFY(!injector.inject(4'000'000, "/a.so"));
    QVERIFY(!injector.errorString().empty());
}

QTEST_GUILESS_MAIN(TestInjector)
#include "tst_injector.moc"
