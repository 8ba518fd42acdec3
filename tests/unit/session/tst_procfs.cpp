// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/procfs.h"
#include "tests/unit/session/fakeproc.h"

#include <QTest>

#include <unistd.h>

using namespace tuneline::capture;

class TestProcFs : public QObject
{
    Q_OBJECT

private slots:
    void factsOfNastyNames_data();
    void factsOfNastyNames();
    void brokenFilesAreNoProcess_data();
    void brokenFilesAreNoProcess();
    void listsOnlyNumbers();
    void commandLineAndEnvironment();
    void zombiesAreNotAlive();
    void descent();
    void innerPid();
    void ptraceScope();
    void realProc();
};

void TestProcFs::factsOfNastyNames_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"train", "a b", ") S 1 (", "((", "x) Z 7 8 9", "(sd-pam)"})
        QTest::newRow(name) << name;
}

void TestProcFs::factsOfNastyNames()
{
    QFETCH(QString, name);
    FakeProc fake;
    fake.add({.pid = 42, .parent = 7, .uid = 1234, .name = name.toStdString(), .state = 'R', .start = 98765});
    const auto facts = fake.proc().facts(42);
    QVERIFY(facts);
    QCOMPARE(QString::fromStdString(facts->name), name);
    QCOMPARE(facts->parent, 7);
    QCOMPARE(facts->uid, 1234U);
    QCOMPARE(facts->state, 'R');
    QCOMPARE(facts->start, 98765ULL);
}

void TestProcFs::brokenFilesAreNoProcess_data()
{
    QTest::addColumn<QString>("stat");
    QTest::newRow("empty") << "";
    QTest::newRow("no name") << "42 S 1 0 0";
    QTest::newRow("cut") << "42 (train) S 1 0 0 0";
    QTest::newRow("brackets swapped") << "42 )train( S 1";
    QTest::newRow("text for a number") << "42 (train) S x 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0";
}

void TestProcFs::brokenFilesAreNoProcess()
{
    QFETCH(QString, stat);
    FakeProc fake;
    fake.add({.pid = 42});
    FakeProc::write(fake.root() / "42/stat", stat.toStdString());
    QVERIFY(!fake.proc().facts(42));
    QVERIFY(!fake.proc().alive(42));
}

void TestProcFs::listsOnlyNumbers()
{
    FakeProc fake;
    for (const char *name : {"self", "12x", "-3", "0", "99999999999999", "sys"})
        std::filesystem::create_directories(fake.root() / name);
    fake.add({.pid = 30});
    fake.add({.pid = 4});
    QCOMPARE(fake.proc().processes(), (std::vector<pid_t>{4, 30}));
    QVERIFY(ProcFs("/nowhere/at/all").processes().empty());
}

void TestProcFs::commandLineAndEnvironment()
{
    FakeProc fake;
    fake.add({.pid = 5, .commandLine = {"./t", "", "a b", "--x=1"}, .environment = {"A=1", "B=x=y", "broken", "C="}});
    QCOMPARE(fake.proc().commandLine(5), (std::vector<std::string>{"./t", "", "a b", "--x=1"}));
    const auto environment = fake.proc().environment(5);
    QCOMPARE(environment.size(), 3U);
    QCOMPARE(environment.at("B"), std::string("x=y"));
    QCOMPARE(environment.at("C"), std::string());
    QVERIFY(fake.proc().commandLine(6).empty());
}

void TestProcFs::zombiesAreNotAlive()
{
    FakeProc fake;
    fake.add({.pid = 5, .state = 'Z'});
    fake.add({.pid = 6, .state = 'T'});
    QVERIFY(!fake.proc().alive(5));
    QVERIFY(fake.proc().alive(6)); // stopped, but there
}

void TestProcFs::descent()
{
    FakeProc fake;
    fake.add({.pid = 10, .parent = 1});
    fake.add({.pid = 11, .parent = 10});
    fake.add({.pid = 12, .parent = 11});
    fake.add({.pid = 20, .parent = 1});
    fake.add({.pid = 30, .parent = 31}); // a loop, as two readings of a reused pid may show
    fake.add({.pid = 31, .parent = 30});
    const auto proc = fake.proc();
    QVERIFY(proc.descends(12, 10));
    QVERIFY(proc.descends(10, 10));
    QVERIFY(!proc.descends(20, 10));
    QVERIFY(!proc.descends(10, 12));
    QVERIFY(!proc.descends(30, 10));
    QVERIFY(!proc.descends(99, 10));
}

void TestProcFs::innerPid()
{
    FakeProc fake;
    fake.add({.pid = 500});
    fake.add({.pid = 501, .innerPids = "\t17\t3"});
    QCOMPARE(fake.proc().facts(500)->innerPid, 500);
    QCOMPARE(fake.proc().facts(501)->innerPid, 3);
}

void TestProcFs::ptraceScope()
{
    FakeProc fake;
    QCOMPARE(fake.proc().ptraceScope(), 0);
    fake.setPtraceScope(2);
    QCOMPARE(fake.proc().ptraceScope(), 2);
}

void TestProcFs::realProc()
{
    const ProcFs proc;
    const auto facts = proc.facts(getpid());
    QVERIFY(facts);
    QCOMPARE(facts->parent, getppid());
    QCOMPARE(facts->uid, geteuid());
    QVERIFY(proc.alive(getpid()));
    QVERIFY(proc.descends(getpid(), getppid()));
    QVERIFY(proc.maps(getpid())->find("libc.so") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestProcFs)
#include "tst_procfs.moc"
