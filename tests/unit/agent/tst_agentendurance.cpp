// SPDX-License-Identifier: MIT
// The agent with CUPTI and NVML (fakes of both) where things go on for long or end badly: a thousand captures, a full
// buffer pool, a fork, every kind of exit, somebody else at the socket. The program's own output stays as it is.
#include "tests/fakes/agenttesting.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tuneline;
using namespace tuneline::testing;
using format::AgentState;
using format::RecordKind;

namespace {

QStringList withGpu(const QString &version = QStringLiteral("130001"))
{
    const QString fakes = QFileInfo(fakeCupti()).absolutePath();
    return {QStringLiteral("LD_PRELOAD=") + agentLibrary() + u':' + fakes + QStringLiteral("/libcuda.so"),
            QStringLiteral("TUNELINE_CUPTI_LIBRARY=") + fakeCupti(),
            QStringLiteral("TUNELINE_NVML_LIBRARY=") + fakes + QStringLiteral("/libfakenvml.so"),
            QStringLiteral("FAKE_CUPTI_VERSION=") + version};
}

struct Footprint
{
    qsizetype descriptors = 0, threads = 0;
    qint64 residentBytes = 0;
};

Footprint footprintOf(qint64 pid)
{
    const QString proc = QStringLiteral("/proc/%1/").arg(pid);
    QFile statm(proc + QStringLiteral("statm"));
    const bool open = statm.open(QIODevice::ReadOnly);
    return {QDir(proc + QStringLiteral("fd")).entryList(QDir::AllEntries | QDir::System).size(),
            QDir(proc + QStringLiteral("task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(),
            open ? statm.readAll().split(' ').value(1).toLongLong() * sysconf(_SC_PAGESIZE) : 0};
}

} // namespace

class TestAgentEndurance : public QObject
{
    Q_OBJECT

private slots:
    void aThousandCyclesLeaveNothingBehind();
    void aFullBufferPoolCostsRecordsOnly_data();
    void aFullBufferPoolCostsRecordsOnly();
    void aForkedChildIsLeftAlone();
    void exitInTheWindow_data();
    void exitInTheWindow();
    void anotherUserIsTurnedAway();
};

void TestAgentEndurance::aThousandCyclesLeaveNothingBehind()
{
    constexpr int kCycles = 1000, kSettled = 100;
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=10000000"), QStringLiteral("marks=1"), QStringLiteral("us=500"),
                          QStringLiteral("memory=1")},
                         withGpu()));
    const qint64 pid = target.process.processId();
    QVERIFY(target.client.connectTo(target.sockets(), pid));
    const QString path = target.file();
    Footprint early;
    qsizetype kernels = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        QVERIFY(target.client.arm(plan(path, 0, 3, 0, 0)));
        const auto status = target.client.waitFor(AgentState::Finished);
        QVERIFY2(status && status->state == AgentState::Finished, QByteArray::number(cycle));
        QCOMPARE(status->windowStepsDone, qint64(3));
        if (cycle % 50 == 0) {
            const CaptureContents file = readCapture(path);
            QVERIFY(file.ended);
            QCOMPARE(file.damage, QString());
            QCOMPARE(file.metadata[QStringLiteral("nvml")].toObject()[QStringLiteral("state")].toString(),
                     QStringLiteral("on"));
            QVERIFY(!file.all<format::ClockRecord>(RecordKind::Clock).empty());
            kernels += qsizetype(file.all<format::KernelRecord>(RecordKind::Kernel).size());
        }
        QVERIFY(QFile::remove(path));
        if (cycle == kSettled)
            early = footprintOf(pid);
    }
    const Footprint late = footprintOf(pid);
    QVERIFY(kernels > 0);
    QCOMPARE(late.descriptors, early.descriptors);
    QVERIFY2(qAbs(late.threads - early.threads) <= 1,
             QByteArray::number(late.threads)); // the target starts some itself
    // The allocator's noise; 900 captures that leak a page each would be 3.7 MB.
    QVERIFY2(late.residentBytes - early.residentBytes < 3'000'000,
             QByteArray::number(late.residentBytes - early.residentBytes));
}

// 300 turns a millisecond are about 300 MB a second, and nothing is taken while a flush takes two: the pool's 192 MB
// fill. From CUDA 12.9 CUPTI gets no buffer then and counts; before, that would crash it, so old buffers are thrown
// away.
void TestAgentEndurance::aFullBufferPoolCostsRecordsOnly_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("reason");
    QTest::newRow("CUDA 13.0") << QStringLiteral("130001") << QStringLiteral("cupti_dropped");
    QTest::newRow("CUDA 12.8") << QStringLiteral("26") << QStringLiteral("cupti_buffers");
}

void TestAgentEndurance::aFullBufferPoolCostsRecordsOnly()
{
    QFETCH(QString, version);
    QFETCH(QString, reason);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=2500"), QStringLiteral("marks=1")},
                         withGpu(version)
                             << QStringLiteral("FAKE_CUPTI_RATE=300") << QStringLiteral("FAKE_CUPTI_SLOW_MS=2000")));
    QVERIFY(target.arm(plan(target.file(), 1, 0, 2'500'000'000, 0)));
    const auto done = target.client.waitFor(AgentState::Finished, 60000);
    QVERIFY(done && done->state == AgentState::Finished);
    const CaptureContents file = readCapture(target.file());
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    const QJsonObject dropped = file.metadata[QStringLiteral("dropped")].toObject();
    QVERIFY2(dropped[reason].toInteger() > 0, QJsonDocument(file.metadata).toJson());
    QVERIFY(file.end.recordsDropped > 0);
    QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).size() > 1000);
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
}

// The child inherits our threads' locks, CUPTI's buffers and NVML's descriptors; it runs operators and its exit
// handlers.
void TestAgentEndurance::aForkedChildIsLeftAlone()
{
    Target target;
    QVERIFY(
        target.start({QStringLiteral("steps=300"), QStringLiteral("marks=1"), QStringLiteral("fork=60")}, withGpu()));
    const CaptureContents file = target.capture(plan(target.file(), 1, 150, 0, 1));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 150); // the parent's, without the child's 50
    QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).size() > 50);
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("done 300 steps, 0 observers\n"));
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
}

void TestAgentEndurance::exitInTheWindow_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("slowFlush");
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("complete");
    QTest::newRow("exit") << QStringLiteral("exit") << QStringLiteral("0") << 7 << true;
    QTest::newRow("exit, slow flush") << QStringLiteral("exit") << QStringLiteral("300") << 7 << true;
    QTest::newRow("_exit") << QStringLiteral("_exit") << QStringLiteral("0") << 7 << false;
    QTest::newRow("SIGKILL") << QStringLiteral("kill") << QStringLiteral("0") << -1 << false;
}

void TestAgentEndurance::exitInTheWindow()
{
    QFETCH(QString, how);
    QFETCH(QString, slowFlush);
    QFETCH(int, code);
    QFETCH(bool, complete);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1"), QStringLiteral("exitat=400"),
                          QStringLiteral("exit=") + how},
                         withGpu() << QStringLiteral("FAKE_CUPTI_SLOW_MS=") + slowFlush));
    QVERIFY(target.arm(plan(target.file(), 1, 100000, 0, 1)));
    QCOMPARE(target.finish(), code);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray());
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
    const CaptureContents file = readCapture(target.file());
    QCOMPARE(file.ended, complete);
    QCOMPARE(file.damage, QString());
    QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).size() > 50);
    QVERIFY(!file.all<format::CounterRecord>(RecordKind::Counter).empty());
    const QJsonObject gpu = file.metadata[QStringLiteral("gpus")].toArray()[0].toObject();
    QCOMPARE(gpu[QStringLiteral("clock_sm_max_mhz")].toInt(), 1980); // written as soon as it was known
}

// The socket is 0600 in a folder that is 0700. Even opened up by somebody, it serves its owner and root only.
void TestAgentEndurance::anotherUserIsTurnedAway()
{
    if (geteuid() != 0)
        QSKIP("only root can become somebody else");
    constexpr uid_t kNobody = 65534;
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=2000"), QStringLiteral("marks=1")}, withGpu()));
    // A target that belongs to root lets root in only; nobody isn't.
    QVERIFY(target.client.connectTo(target.sockets(), target.process.processId()));
    const QByteArray path =
        QFile::encodeName(target.sockets() + QStringLiteral("/%1.sock").arg(target.process.processId()));
    chmod(path.constData(), 0666);
    for (QDir folder(target.sockets()); folder.absolutePath() != QDir::tempPath() && !folder.isRoot(); folder.cdUp())
        chmod(QFile::encodeName(folder.absolutePath()).constData(), 0755);
    const pid_t child = fork();
    if (child == 0) { // only what is safe after a fork
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.constData(), size_t(path.size()));
        const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
        if (setuid(kNobody) != 0 || ::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
            _exit(1);
        char byte = 0;
        pollfd waiting{fd, POLLIN, 0};
        _exit(poll(&waiting, 1, 5000) == 1 && recv(fd, &byte, 1, 0) <= 0 ? 0 : 2); // 2: greeted, or left hanging
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
    QVERIFY(target.capture(plan(target.file(), 1, 5, 0, 0)).ended); // and goes on serving its owner
}

QTEST_GUILESS_MAIN(TestAgentEndurance)
#include "tst_agentendurance.moc"
