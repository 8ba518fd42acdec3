// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/gdbinjector.h"

#include <QFile>
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
    void pathsAreQuoted();
    void entryPointIsOurs();
    void selfTest();
    void withoutGdb();
    void cudaGdbAlone();
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

void TestInjector::pathsAreQuoted()
{
    const auto line = gdbCommandLine("gdb", 7, "/a b/\"x\\y/libtuneline_agent.so");
    const bool quoted = std::any_of(line.begin(), line.end(), [](const auto &argument) {
        return argument.find(R"(dlopen)("/a b/\"x\\y/libtuneline_agent.so", 2))") != std::string::npos;
    });
    QVERIFY(quoted);
}

void TestInjector::entryPointIsOurs()
{
    // libtorch exports InitializeInjection too: calling that from a debugger would start Kineto (CAPTURE.md section 9).
    const auto line = gdbCommandLine("gdb", 7, "/a.so");
    const auto mentions = [&](const char *name) {
        return std::any_of(line.begin(), line.end(),
                           [&](const auto &argument) { return argument.find(name) != std::string::npos; });
    };
    QVERIFY(mentions("tuneline_agent_start") && !mentions("InitializeInjection"));
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
