// SPDX-License-Identifier: MIT
// The agent in a live process: the fake target, preloaded, driven over the socket as a session does.
#include "tests/fakes/agenttesting.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace tuneline;
using namespace tuneline::testing;
using format::AgentState;
using format::RecordKind;

namespace {

// Numbers of /proc/PID that must not grow.
struct Footprint
{
    qsizetype descriptors = 0;
    qsizetype threads = 0;
    qint64 dataKilobytes = 0; // VmData: all private mappings, touched or not
};

Footprint footprintOf(qint64 pid)
{
    const QString base = QStringLiteral("/proc/%1/").arg(pid);
    Footprint found;
    found.descriptors = QDir(base + QStringLiteral("fd")).entryList(QDir::Files | QDir::System).size();
    found.threads = QDir(base + QStringLiteral("task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
    QFile status(base + QStringLiteral("status"));
    if (status.open(QIODevice::ReadOnly)) {
        for (const QByteArray &line : status.readAll().split('\n')) {
            if (line.startsWith("VmData:"))
                found.dataKilobytes = line.mid(7).trimmed().split(' ').first().toLongLong();
        }
    }
    return found;
}

std::vector<format::MarkRecord> marksOf(const CaptureContents &file, format::MarkKind kind)
{
    std::vector<format::MarkRecord> found;
    for (const auto &mark : file.all<format::MarkRecord>(RecordKind::Mark)) {
        if (mark.kind == kind)
            found.push_back(mark);
    }
    return found;
}

qsizetype stepsOf(const CaptureContents &file, format::StepPhase phase)
{
    const auto steps = file.all<format::StepTimeRecord>(RecordKind::StepTime);
    return std::count_if(steps.begin(), steps.end(), [phase](const auto &step) { return step.phase == phase; });
}

QString endReason(const CaptureContents &file)
{
    return file.metadata[QStringLiteral("window")].toObject()[QStringLiteral("end_reason")].toString();
}

} // namespace

class TestAgent : public QObject
{
    Q_OBJECT

private slots:
    void staysOutOfOtherPrograms();
    void dormantDoesNothing();
    void recordsTheWindowThatWasAsked();
    void warmsUpUntilStepsAreSteady();
    void findsStepsInUserScopes_data();
    void findsStepsInUserScopes();
    void goesByTimeWithoutSteps();
    void lightDetailHasNoOperators();
    void fullDetailHasMemory();
    void metadataDescribeTheRun();
    void aHundredCyclesLeaveNothingBehind();
    void shortLivedThreadsAreRecordedAndFreed();
    void aForkedChildIsLeftAlone();
    void exitCompletesTheFile_data();
    void exitCompletesTheFile();
    void whatWasWrittenSurvivesAnAbruptEnd_data();
    void whatWasWrittenSurvivesAnAbruptEnd();
    void stopEndsTheWindow();
    void anArmerThatLeavesEndsAnEndlessCapture();
    void unwritablePlacesAreRefused_data();
    void unwritablePlacesAreRefused();
    void aFullDiskEndsTheCaptureOnly();
    void refusesASecondCapture();
    void explainsAnotherProtocol();
    void survivesNonsenseOnTheSocket();
    void socketIsPrivateAndCleansUp();
    void startsLateThroughItsOwnEntry();
};

// LD_PRELOAD puts the agent into every sh and env on the way: no socket, no thread, no output, exit code kept.
void TestAgent::staysOutOfOtherPrograms()
{
    Target target;
    QVERIFY(
        target.start(QStringLiteral("/bin/sh"),
                     {QStringLiteral("-c"), QStringLiteral("ls /proc/$$/task | wc -l; env true; sleep 0.2; exit 9")}));
    QCOMPARE(target.finish(), 9);
    QCOMPARE(target.process.readAllStandardOutput().trimmed(), QByteArray("1"));
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
    QVERIFY(!QFileInfo::exists(target.sockets()));
}

void TestAgent::dormantDoesNothing()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=300"), QStringLiteral("marks=1")}));
    QVERIFY(target.client.connectTo(target.sockets(), target.process.processId()));
    target.client.disconnect();
    QTest::qWait(100);
    const Footprint before = footprintOf(target.process.processId());
    QTest::qWait(200);
    QCOMPARE(footprintOf(target.process.processId()).descriptors, before.descriptors);
    QCOMPARE(target.finish(), 7);
    // "0 observers" at the end, nothing else on either stream, no file.
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("done 300 steps, 0 observers\n"));
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
    QVERIFY(!QFileInfo::exists(target.file()));
}

void TestAgent::recordsTheWindowThatWasAsked()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=200"), QStringLiteral("marks=1"), QStringLiteral("threads=2")}));
    const CaptureContents file = target.capture(plan(target.file(), 5, 8, 0, 3));
    QVERIFY(file.opened && file.ended && !file.cut);
    QCOMPARE(file.damage, QString());
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("done 200 steps, 0 observers\n"));

    const QJsonObject window = file.metadata[QStringLiteral("window")].toObject();
    QCOMPARE(window[QStringLiteral("warmup_steps")].toInt(), 5);
    QCOMPARE(window[QStringLiteral("steps")].toInt(), 8);
    QCOMPARE(endReason(file), QStringLiteral("steps"));
    QCOMPARE(file.metadata[QStringLiteral("step_source")].toString(), QStringLiteral("marks"));
    QCOMPARE(stepsOf(file, format::StepPhase::Before), 3);
    QCOMPARE(stepsOf(file, format::StepPhase::Inside), 8);
    QCOMPARE(stepsOf(file, format::StepPhase::After), 3);

    const auto begin = marksOf(file, format::MarkKind::WindowBegin);
    const auto end = marksOf(file, format::MarkKind::WindowEnd);
    QCOMPARE(begin.size(), std::size_t(1));
    QCOMPARE(end.size(), std::size_t(1));
    const auto steps = marksOf(file, format::MarkKind::Step); // both borders and the seven between
    QCOMPARE(steps.size(), std::size_t(9));
    QCOMPARE(steps.front().time, begin.front().time);
    QCOMPARE(steps.back().time, end.front().time);
    QCOMPARE(marksOf(file, format::MarkKind::Loss).size(), std::size_t(8));
    QCOMPARE(file.name(marksOf(file, format::MarkKind::Units).front().name), QStringLiteral("samples"));
    QCOMPARE(marksOf(file, format::MarkKind::ScopeBegin).size(), marksOf(file, format::MarkKind::ScopeEnd).size());

    // Eight steps of known operators, nested as they ran, all inside the window.
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 8);
    QCOMPARE(file.countOps(QStringLiteral("aten::addmm")), 8);
    QCOMPARE(file.countOps(QStringLiteral("MmBackward0")), 8);
    QVERIFY(file.countOps(QStringLiteral("aten::decode")) > 0);
    for (const auto &op : file.all<format::OpRecord>(RecordKind::Op)) {
        QVERIFY(op.start >= begin.front().time && op.start <= end.front().time);
        QVERIFY(op.end >= op.start);
        if (file.name(op.name) == QStringLiteral("aten::addmm"))
            QCOMPARE(op.depth, 1U);
        if (file.name(op.name) == QStringLiteral("MmBackward0"))
            QCOMPARE(op.scope, format::OpScope::Backward);
    }
    QCOMPARE(file.end.recordsDropped, quint64(0));
    QVERIFY(file.all<format::ClockRecord>(RecordKind::Clock).size() >= 2);
    QVERIFY(!file.all<format::ThreadRecord>(RecordKind::Thread).empty());
}

void TestAgent::warmsUpUntilStepsAreSteady()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=400"), QStringLiteral("marks=1"), QStringLiteral("us=4000")}));
    const CaptureContents file = target.capture(plan(target.file(), -1, 3, 0, 2));
    const int warmup = file.metadata[QStringLiteral("window")].toObject()[QStringLiteral("warmup_steps")].toInt();
    QVERIFY2(warmup >= 8 && warmup <= 50, QByteArray::number(warmup));
    QCOMPARE(stepsOf(file, format::StepPhase::Inside), 3);
}

void TestAgent::findsStepsInUserScopes_data()
{
    QTest::addColumn<QString>("scopes");
    QTest::addColumn<QString>("source");
    QTest::newRow("optimizer") << QStringLiteral("scopes=1") << QStringLiteral("optimizer");
    QTest::newRow("profiler step") << QStringLiteral("scopes=2") << QStringLiteral("profiler_step");
}

void TestAgent::findsStepsInUserScopes()
{
    QFETCH(QString, scopes);
    QFETCH(QString, source);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=400"), scopes}));
    const CaptureContents file = target.capture(plan(target.file(), 4, 6, 0, 2));
    QCOMPARE(file.metadata[QStringLiteral("step_source")].toString(), source);
    QCOMPARE(stepsOf(file, format::StepPhase::Before), 2);
    QCOMPARE(stepsOf(file, format::StepPhase::Inside), 6);
    QCOMPARE(stepsOf(file, format::StepPhase::After), 2);
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 6);
}

void TestAgent::goesByTimeWithoutSteps()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=4000")}));
    QElapsedTimer timer;
    timer.start();
    const CaptureContents file = target.capture(plan(target.file(), -1, 0, 300'000'000, 4));
    QVERIFY(file.ended);
    QVERIFY(timer.elapsed() >= 2000); // it waited for steps first
    QCOMPARE(endReason(file), QStringLiteral("time"));
    QCOMPARE(file.metadata[QStringLiteral("step_source")].toString(), QStringLiteral("none"));
    const auto begin = marksOf(file, format::MarkKind::WindowBegin);
    const auto end = marksOf(file, format::MarkKind::WindowEnd);
    QVERIFY(begin.size() == 1 && end.size() == 1);
    const qint64 length = end.front().time - begin.front().time;
    QVERIFY2(length >= 300'000'000 && length < 900'000'000, QByteArray::number(length));
    QVERIFY(file.countOps(QStringLiteral("aten::linear")) > 20);
    const auto counters = file.all<format::CounterRecord>(RecordKind::Counter);
    QVERIFY(std::any_of(counters.begin(), counters.end(), [&](const auto &c) {
        return file.name(c.name) == QStringLiteral("cpu/used_share") && c.value >= 0 && c.value <= 1;
    }));
}

void TestAgent::lightDetailHasNoOperators()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=200"), QStringLiteral("marks=1"), QStringLiteral("name=1")}));
    const CaptureContents file = target.capture(plan(target.file(), 2, 5, 0, 0, format::Detail::Light));
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 0);
    const auto ops = file.all<format::OpRecord>(RecordKind::Op);
    QCOMPARE(ops.size(), std::size_t(5)); // one user scope a step
    QVERIFY(file.name(ops.front().name).startsWith(QStringLiteral("scope ")));
    QCOMPARE(ops.front().scope, format::OpScope::User);
}

void TestAgent::fullDetailHasMemory()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=200"), QStringLiteral("marks=1"), QStringLiteral("memory=1")}));
    const CaptureContents file = target.capture(plan(target.file(), 2, 5, 0, 0, format::Detail::Full));
    const auto memory = file.all<format::MemoryRecord>(RecordKind::Memory);
    QCOMPARE(memory.size(), std::size_t(10));
    qint64 live = 0;
    for (const auto &report : memory)
        live += report.bytes;
    QCOMPARE(live, qint64(0));
    QCOMPARE(memory.front().allocated, qint64(4096));
    QVERIFY(file.metadata[QStringLiteral("memory_reports")].toBool());
}

void TestAgent::metadataDescribeTheRun()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=200"), QStringLiteral("marks=1"), QStringLiteral("config=1")},
                         {QStringLiteral("RANK=3"), QStringLiteral("WORLD_SIZE=8"), QStringLiteral("OMP_NUM_THREADS=1"),
                          QStringLiteral("SECRET_TOKEN=xyz")}));
    const auto hello = target.client.connectTo(target.sockets(), target.process.processId());
    QVERIFY(hello);
    QCOMPARE(hello->pid, int(target.process.processId()));
    QCOMPARE(hello->rank, 3);
    QCOMPARE(hello->worldSize, 8);
    QCOMPARE(hello->torchFound, 1U);
    QCOMPARE(hello->cudaFound, 0U);
    const CaptureContents file = target.capture(plan(target.file(), 1, 2, 0, 0));
    const QJsonObject &meta = file.metadata;
    QCOMPARE(meta[QStringLiteral("pid")].toInt(), int(target.process.processId()));
    QCOMPARE(meta[QStringLiteral("rank")].toInt(), 3);
    QCOMPARE(meta[QStringLiteral("world_size")].toInt(), 8);
    QCOMPARE(meta[QStringLiteral("command_line")].toArray().size(), 4);
    QCOMPARE(meta[QStringLiteral("executable")].toString(), QFileInfo(fakeTarget()).canonicalFilePath());
    QCOMPARE(meta[QStringLiteral("env")].toObject()[QStringLiteral("OMP_NUM_THREADS")].toString(), QStringLiteral("1"));
    QVERIFY(!meta[QStringLiteral("env")].toObject().contains(QStringLiteral("SECRET_TOKEN")));
    QCOMPARE(meta[QStringLiteral("detail")].toString(), QStringLiteral("normal"));
    QCOMPARE(meta[QStringLiteral("config")].toObject()[QStringLiteral("batch_size")].toString(), QStringLiteral("16"));
    QCOMPARE(meta[QStringLiteral("config")].toObject()[QStringLiteral("precision")].toString(),
             QStringLiteral("bf16 \"quoted\" \u2713 \uFFFD"));
    QCOMPARE(meta[QStringLiteral("session")].toObject()[QStringLiteral("wish")].toString(), QStringLiteral("test"));
    QCOMPARE(meta[QStringLiteral("operators")].toString(), QStringLiteral("observer"));
    QCOMPARE(meta[QStringLiteral("cupti")].toObject()[QStringLiteral("state")].toString(), QStringLiteral("absent"));
    QVERIFY(meta[QStringLiteral("cpu_count")].toInt() >= 1);
    QVERIFY(meta[QStringLiteral("start_unix_ns")].toInteger() > 1'500'000'000'000'000'000);
}

void TestAgent::aHundredCyclesLeaveNothingBehind()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000000"), QStringLiteral("marks=1"), QStringLiteral("us=300"),
                          QStringLiteral("threads=1"), QStringLiteral("memory=1")}));
    const qint64 pid = target.process.processId();
    QVERIFY(target.client.connectTo(target.sockets(), pid));
    Footprint early;
    for (int cycle = 0; cycle < 100; ++cycle) {
        const QString path = target.file(QStringLiteral("%1.tlc").arg(cycle));
        QVERIFY(target.client.arm(plan(path, 1, 3, 0, 1, format::Detail::Full)));
        const auto status = target.client.waitFor(AgentState::Finished);
        QVERIFY(status && status->state == AgentState::Finished);
        QCOMPARE(status->windowStepsDone, qint64(3));
        if (cycle == 4)
            early = footprintOf(pid);
        if (cycle != 99)
            QFile::remove(path);
    }
    const Footprint late = footprintOf(pid);
    QCOMPARE(late.descriptors, early.descriptors);
    // The target starts a thread in each step: one may be alive or not. Each thread that records maps 2 MiB.
    QVERIFY2(qAbs(late.threads - early.threads) <= 1, QByteArray::number(late.threads));
    QVERIFY2(late.dataKilobytes - early.dataKilobytes < 3 * 12 * 1024,
             QByteArray::number(late.dataKilobytes - early.dataKilobytes));
    const CaptureContents last = readCapture(target.file(QStringLiteral("99.tlc")));
    QVERIFY(last.ended);
    QCOMPARE(last.countOps(QStringLiteral("aten::linear")), 3);
}

void TestAgent::shortLivedThreadsAreRecordedAndFreed()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=2000"), QStringLiteral("marks=1"), QStringLiteral("short=8")}));
    const CaptureContents file = target.capture(plan(target.file(), 2, 60, 0, 0));
    QCOMPARE(file.countOps(QStringLiteral("aten::short_lived")), 60 * 8);
    QTest::qWait(50);
    // 60 × 9 threads would have left over 1 GiB of rings.
    const Footprint now = footprintOf(target.process.processId());
    QVERIFY2(now.dataKilobytes < 400 * 1024, QByteArray::number(now.dataKilobytes));
}

// The child inherits the observers, the exit handler and the sockets: it must use none of them.
void TestAgent::aForkedChildIsLeftAlone()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=150"), QStringLiteral("marks=1"), QStringLiteral("fork=60")}));
    const CaptureContents file = target.capture(plan(target.file(), 2, 90, 0, 2, format::Detail::Full));
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("done 150 steps, 0 observers\n"));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(stepsOf(file, format::StepPhase::Inside), 90);
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 90); // the child's 50 are not among them
}

void TestAgent::exitCompletesTheFile_data()
{
    QTest::addColumn<QString>("how");
    QTest::newRow("return from main") << QStringLiteral("return");
    QTest::newRow("exit()") << QStringLiteral("exit");
}

void TestAgent::exitCompletesTheFile()
{
    QFETCH(QString, how);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=120"), QStringLiteral("marks=1"), QStringLiteral("exitat=100"),
                          QStringLiteral("exit=") + how}));
    QVERIFY(target.arm(plan(target.file(), 2, 100000, 0, 2)));
    QCOMPARE(target.finish(), 7);
    const CaptureContents file = readCapture(target.file());
    QVERIFY(file.ended && !file.cut);
    QCOMPARE(endReason(file), QStringLiteral("exit"));
    QVERIFY(file.countOps(QStringLiteral("aten::linear")) > 20);
    QVERIFY(!QFileInfo::exists(target.sockets() + QStringLiteral("/%1.sock").arg(target.process.processId())));
}

void TestAgent::whatWasWrittenSurvivesAnAbruptEnd_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<int>("code");
    QTest::newRow("_exit") << QStringLiteral("_exit") << 7;
    QTest::newRow("SIGKILL") << QStringLiteral("kill") << -1;
}

void TestAgent::whatWasWrittenSurvivesAnAbruptEnd()
{
    QFETCH(QString, how);
    QFETCH(int, code);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=500"), QStringLiteral("marks=1"), QStringLiteral("exitat=400"),
                          QStringLiteral("exit=") + how}));
    QVERIFY(target.arm(plan(target.file(), 2, 100000, 0, 2)));
    QCOMPARE(target.finish(), code);
    const CaptureContents file = readCapture(target.file());
    QVERIFY(file.opened && !file.ended);
    QCOMPARE(file.damage, QString());
    // 400 steps of 2 ms; at most the last 200 ms (100 steps, plus what this box's scheduler adds) may be missing.
    QVERIFY2(file.countOps(QStringLiteral("aten::linear")) > 200,
             QByteArray::number(file.countOps(QStringLiteral("aten::linear"))));
    QVERIFY(file.metadata.contains(QStringLiteral("command_line")));
}

void TestAgent::stopEndsTheWindow()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=3000"), QStringLiteral("marks=1")}));
    QVERIFY(target.arm(plan(target.file(), 1, 0, 0, 2)));
    QVERIFY(target.client.waitFor(AgentState::Recording));
    QTest::qWait(100);
    QVERIFY(target.client.send(format::ControlKind::Stop));
    const auto done = target.client.waitFor(AgentState::Finished);
    QVERIFY(done && done->state == AgentState::Finished);
    const CaptureContents file = readCapture(target.file());
    QVERIFY(file.ended);
    QCOMPARE(endReason(file), QStringLiteral("stopped"));
    QCOMPARE(stepsOf(file, format::StepPhase::After), 2);
    QVERIFY(stepsOf(file, format::StepPhase::Inside) > 5);
}

void TestAgent::anArmerThatLeavesEndsAnEndlessCapture()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=3000"), QStringLiteral("marks=1")}));
    QVERIFY(target.arm(plan(target.file(), 1, 0, 0, 1)));
    QVERIFY(target.client.waitFor(AgentState::Recording));
    target.client.disconnect();
    QTRY_VERIFY_WITH_TIMEOUT(readCapture(target.file()).ended, 5000);
}

void TestAgent::unwritablePlacesAreRefused_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("error");
    QTest::newRow("no such folder") << QStringLiteral("/nonexistent/folder/a.tlc") << ENOENT;
    QTest::newRow("a folder") << QStringLiteral("/tmp") << EEXIST;
    QTest::newRow("never overwrites") << QStringLiteral("/etc/passwd") << EEXIST;
    QTest::newRow("read-only filesystem") << QStringLiteral("/proc/a.tlc") << ENOENT;
}

void TestAgent::unwritablePlacesAreRefused()
{
    QFETCH(QString, path);
    QFETCH(int, error);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=300"), QStringLiteral("marks=1")}));
    const auto answer = target.arm(plan(path, 1, 2, 0, 0));
    QVERIFY(answer);
    QCOMPARE(answer->state, AgentState::Failed);
    QCOMPARE(int(answer->error), error);
    QVERIFY(QString::fromUtf8(answer->message).contains(path));
    // The next wish is granted.
    QVERIFY(target.capture(plan(target.file(), 1, 2, 0, 0)).ended);
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("done 300 steps, 0 observers\n"));
}

// RLIMIT_FSIZE stands in for the full disk: the write fails, and SIGXFSZ, which would kill the host, must not reach it.
void TestAgent::aFullDiskEndsTheCaptureOnly()
{
    Target target;
    target.process.setChildProcessModifier([] {
        const rlimit limit{400'000, 400'000};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    QVERIFY(target.start({QStringLiteral("steps=1500"), QStringLiteral("marks=1"), QStringLiteral("threads=2")}));
    QVERIFY(target.arm(plan(target.file(), 1, 100000, 0, 0)));
    const auto status = target.client.waitFor(AgentState::Finished);
    QVERIFY(status);
    QCOMPARE(status->state, AgentState::Failed);
    QCOMPARE(int(status->error), EFBIG);
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("done 1500 steps, 0 observers\n"));
    const CaptureContents file = readCapture(target.file());
    QVERIFY(file.opened && !file.ended);
    QCOMPARE(file.damage, QString());
    QVERIFY(file.countOps(QStringLiteral("aten::linear")) > 0);
}

void TestAgent::refusesASecondCapture()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=3000"), QStringLiteral("marks=1")}));
    QVERIFY(target.arm(plan(target.file(), 1, 100, 0, 0)));
    AgentClient second;
    QVERIFY(second.connectTo(target.sockets(), target.process.processId()));
    QVERIFY(second.arm(plan(target.file(QStringLiteral("b.tlc")), 1, 100, 0, 0)));
    std::optional<format::StatusMessage> answer;
    do
        answer = second.nextStatus();
    while (answer && answer->error != EBUSY);
    QVERIFY(answer);
    QCOMPARE(answer->state, AgentState::Failed);
    QVERIFY(target.client.waitFor(AgentState::Finished)->state == AgentState::Finished);
    QVERIFY(readCapture(target.file()).ended);
    QVERIFY(!QFileInfo::exists(target.file(QStringLiteral("b.tlc"))));
}

void TestAgent::explainsAnotherProtocol()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=300")}));
    QVERIFY(target.client.connectTo(target.sockets(), target.process.processId()));
    QVERIFY(target.client.send(format::ControlKind::Query, nullptr, 0, 99));
    const auto answer = target.client.nextStatus();
    QVERIFY(answer);
    QCOMPARE(answer->state, AgentState::Failed);
    QVERIFY(QString::fromUtf8(answer->message).contains(QStringLiteral("99")));
    QVERIFY(target.client.send(format::ControlKind::Query));
    QCOMPARE(target.client.nextStatus()->state, AgentState::Dormant);
}

void TestAgent::survivesNonsenseOnTheSocket()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=400"), QStringLiteral("marks=1")}));
    for (int i = 0; i < 20; ++i) {
        AgentClient client;
        QVERIFY(client.connectTo(target.sockets(), target.process.processId()));
        QByteArray nonsense(100 * (i + 1), char(i * 37));
        if (i % 2 == 0) { // a right header and half a body, then gone
            client.send(format::ControlKind::Arm, nonsense.constData(), quint32(nonsense.size()));
        } else {
            format::ControlHeader header;
            header.kind = format::ControlKind::Arm;
            header.payloadBytes = 0xFFFFFFF0U;
            client.send(format::ControlKind::Query, &header, sizeof header);
        }
    }
    QVERIFY(target.capture(plan(target.file(), 1, 2, 0, 0)).ended);
    QCOMPARE(target.finish(), 7);
}

void TestAgent::socketIsPrivateAndCleansUp()
{
    Target target;
    QDir().mkpath(target.sockets());
    // A socket file that nobody answers, as a killed process leaves it; and a file that is none of ours.
    QFile stranger(target.sockets() + QStringLiteral("/notes.txt"));
    QVERIFY(stranger.open(QIODevice::WriteOnly));
    {
        Target killed;
        QVERIFY(killed.start(fakeTarget(), {QStringLiteral("steps=1000")},
                             {QStringLiteral("TUNELINE_SOCKET_DIR=") + target.sockets()}));
        QVERIFY(killed.client.connectTo(target.sockets(), killed.process.processId()));
    }
    QCOMPARE(QDir(target.sockets()).entryList({QStringLiteral("*.sock")}, QDir::AllEntries | QDir::System).size(), 1);
    QVERIFY(target.start({QStringLiteral("steps=300")}));
    QVERIFY(target.client.connectTo(target.sockets(), target.process.processId()));
    const QStringList sockets =
        QDir(target.sockets()).entryList({QStringLiteral("*.sock")}, QDir::AllEntries | QDir::System);
    QCOMPARE(sockets, QStringList(QStringLiteral("%1.sock").arg(target.process.processId())));
    struct stat info
    { };
    QCOMPARE(stat(QFile::encodeName(target.sockets() + QLatin1Char('/') + sockets.front()).constData(), &info), 0);
    QCOMPARE(info.st_mode & 0777U, 0600U);
    QCOMPARE(target.finish(), 7);
    QCOMPARE(QDir(target.sockets()).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
             QStringList(QStringLiteral("notes.txt")));
}

// A process that was not prepared: a debugger loads the agent and calls its entry.
void TestAgent::startsLateThroughItsOwnEntry()
{
    QProcess probe;
    probe.start(QStringLiteral("gdb"), {QStringLiteral("--version")});
    if (!probe.waitForFinished() || probe.exitCode() != 0)
        QSKIP("gdb is not installed");
    Target target;
    QVERIFY(target.start(fakeTarget(), {QStringLiteral("steps=4000"), QStringLiteral("marks=1")},
                         {QStringLiteral("LD_PRELOAD=")}));
    QTest::qWait(100);
    QVERIFY(!QFileInfo::exists(target.sockets()));
    QProcess gdb;
    gdb.start(QStringLiteral("gdb"),
              {QStringLiteral("-p"), QString::number(target.process.processId()), QStringLiteral("-batch"),
               QStringLiteral("-ex"),
               QStringLiteral("call (void*)((void*(*)(const char*,int))dlopen)(\"%1\", 2)").arg(agentLibrary()),
               QStringLiteral("-ex"), QStringLiteral("call ((int(*)(void))tuneline_agent_start)()")});
    QVERIFY(gdb.waitForFinished(60000));
    const QByteArray said = gdb.readAllStandardOutput();
    if (said.contains("ptrace: Operation not permitted"))
        QSKIP("ptrace is not allowed here");
    const CaptureContents file = target.capture(plan(target.file(), 2, 5, 0, 2));
    QVERIFY2(file.ended, said);
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 5);
    QCOMPARE(file.metadata[QStringLiteral("step_source")].toString(), QStringLiteral("marks")); // found the late agent
}

QTEST_GUILESS_MAIN(TestAgent)
#include "tst_agent.moc"
