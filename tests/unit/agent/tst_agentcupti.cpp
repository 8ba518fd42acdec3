// SPDX-License-Identifier: MIT
// The agent and CUPTI, with the fake libcupti: records of several CUDA versions, a held subscription, slow flushes.
#include "capture/agent/cupti/apinames.h"
#include "tests/fakes/agenttesting.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <algorithm>
#include <set>

#ifdef TUNELINE_HAVE_CUPTI_HEADERS
#include "capture/agent/cupti/layout.h"
// After ours: it defines macros.
#include <cuda.h>
#include <cupti.h>
#endif

using namespace tuneline;
using namespace tuneline::testing;
using format::AgentState;
using format::RecordKind;

namespace {

QStringList fakeEnvironment(const QString &version)
{
    return {QStringLiteral("TUNELINE_CUPTI_LIBRARY=") + fakeCupti(), QStringLiteral("FAKE_CUPTI_VERSION=") + version};
}

QJsonObject cuptiOf(const CaptureContents &file)
{
    return file.metadata[QStringLiteral("cupti")].toObject();
}

} // namespace

class TestAgentCupti : public QObject
{
    Q_OBJECT

private slots:
    void readsRecordsOfEachVersion_data();
    void readsRecordsOfEachVersion();
    void readsTheRarerRecords_data();
    void readsTheRarerRecords();
    void graphsAsAWhole_data();
    void graphsAsAWhole();
    void explainsWhyNot_data();
    void explainsWhyNot();
    void keepsTheCallsThatMatter();
    void fullDetailKeepsEveryCall();
    void stepsAsideWhenCuptiIsTaken_data();
    void stepsAsideWhenCuptiIsTaken();
    void goesOnBesideSleepingProfiler_data();
    void goesOnBesideSleepingProfiler();
    void letsGoAfterEachCapture();
    void slowFlushesDontHoldUpTheProgram();
    void aLibraryThatIsNoneIsExplained();
    void cutsVersionsOffNames_data();
    void cutsVersionsOffNames();
    void offsetsAreThoseOfTheHeaders();
};

void TestAgentCupti::readsRecordsOfEachVersion_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<bool>("graphId");
    QTest::newRow("CUDA 11.0") << QStringLiteral("13") << false;
    QTest::newRow("CUDA 11.1") << QStringLiteral("14") << true;
    QTest::newRow("CUDA 11.6") << QStringLiteral("17") << true;
    QTest::newRow("CUDA 11.8") << QStringLiteral("18") << true;
    QTest::newRow("CUDA 12.0") << QStringLiteral("19") << true;
    QTest::newRow("CUDA 12.8") << QStringLiteral("26") << true;
    QTest::newRow("CUDA 13.0") << QStringLiteral("130001") << true;
    QTest::newRow("CUDA 13.1, a Kernel11") << QStringLiteral("130100") << true;
    QTest::newRow("CUDA 13.3, v1 subscriber") << QStringLiteral("130300") << true;
}

void TestAgentCupti::readsRecordsOfEachVersion()
{
    QFETCH(QString, version);
    QFETCH(bool, graphId);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1")}, fakeEnvironment(version)));
    const CaptureContents file = target.capture(plan(target.file(), 1, 40, 0, 1));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(cuptiOf(file)[QStringLiteral("state")].toString(), QStringLiteral("on"));
    QCOMPARE(file.metadata[QStringLiteral("cupti_version")].toInt(), version.toInt());
    QCOMPARE(file.metadata[QStringLiteral("dropped")].toObject(), QJsonObject());

    const auto kernels = file.all<format::KernelRecord>(RecordKind::Kernel);
    QVERIFY2(kernels.size() > 10, QByteArray::number(qsizetype(kernels.size())));
    std::set<quint32> launches;
    for (const auto &call : file.all<format::ApiRecord>(RecordKind::Api))
        launches.insert(call.correlation);
    std::set<QString> names;
    for (const auto &kernel : kernels) {
        names.insert(file.name(kernel.name));
        QCOMPARE(kernel.end - kernel.start, qint64(100'000));
        QCOMPARE(kernel.device, 1U);
        QCOMPARE(kernel.context, 2U);
        QCOMPARE(kernel.stream, 7U);
        QCOMPARE(kernel.grid[0], 11);
        QCOMPARE(kernel.grid[2], 13);
        QCOMPARE(kernel.block[0], 128);
        QCOMPARE(kernel.registers, 40U);
        QCOMPARE(kernel.staticShared, 1024U);
        QCOMPARE(kernel.dynamicShared, 2048U);
        QCOMPARE(kernel.graphNode >> 32U, quint64(1));
        QCOMPARE(kernel.graph, graphId ? 5U : 0U);
    }
    QCOMPARE(names, (std::set<QString>{QStringLiteral("_Z4gemmPf"), QStringLiteral("_Z4reluPf")}));
    const auto linked = std::count_if(kernels.begin(), kernels.end(),
                                      [&](const auto &k) { return launches.count(k.correlation) != 0; });
    QVERIFY(kernels.size() - std::size_t(linked) <= 1); // the window may begin between a launch and its kernel

    const auto copies = file.all<format::CopyRecord>(RecordKind::Copy);
    const auto peer = std::find_if(copies.begin(), copies.end(), [](const auto &c) { return c.copyKind == 10; });
    const auto upload = std::find_if(copies.begin(), copies.end(), [](const auto &c) { return c.copyKind == 1; });
    QVERIFY(peer != copies.end() && upload != copies.end());
    QCOMPARE(upload->bytes, quint64(1 << 20));
    QCOMPARE(int(upload->sourceKind), 1);
    QCOMPARE(int(upload->destinationKind), 3);
    QCOMPARE(int(upload->flags), 1);
    QCOMPARE(upload->graphNode, quint64(77));
    QCOMPARE(upload->end - upload->start, qint64(50'000));
    QCOMPARE(peer->peerDevice, 3U);
    QCOMPARE(peer->stream, 8U);
    QCOMPARE(peer->end - peer->start, qint64(3'000));
    QVERIFY(launches.count(upload->correlation) == 1 || upload == copies.begin());

    const auto memsets = file.all<format::MemsetRecord>(RecordKind::Memset);
    QVERIFY(!memsets.empty());
    QCOMPARE(memsets.front().value, 9U);
    QCOMPARE(memsets.front().bytes, quint64(512));
    QCOMPARE(memsets.front().memoryKind, 3U);
    const auto syncs = file.all<format::SyncRecord>(RecordKind::Sync);
    QVERIFY(!syncs.empty());
    QCOMPARE(syncs.front().type, 3U);
    QCOMPARE(syncs.front().event, 4U);
    QCOMPARE(syncs.front().end - syncs.front().start, qint64(60'000));
    const auto memory = file.all<format::DeviceMemoryRecord>(RecordKind::DeviceMemory);
    QCOMPARE(memory.empty(), version.toInt() < 15); // the kind came with CUDA 11.2
    if (!memory.empty()) {
        QCOMPARE(memory.front().bytes, quint64(4096));
        QCOMPARE(memory.front().operation, 1U);
        QCOMPARE(memory.front().device, 1U);
    }
    for (const auto &clock : file.all<format::ClockRecord>(RecordKind::Clock))
        QVERIFY(clock.cupti == 0 || (clock.cupti >= clock.realtimeBefore && clock.cupti <= clock.realtimeAfter));
}

// Overhead, Overhead2, Overhead3; CudaEvent, CudaEvent2; Jit, Jit2.
void TestAgentCupti::readsTheRarerRecords_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<bool>("jit");
    QTest::addColumn<bool>("jitThread");
    QTest::newRow("CUDA 11.8") << QStringLiteral("18") << false << false;
    QTest::newRow("CUDA 12.2") << QStringLiteral("21") << true << false;
    QTest::newRow("CUDA 12.4") << QStringLiteral("22") << true << true;
    QTest::newRow("CUDA 12.8") << QStringLiteral("26") << true << true;
    QTest::newRow("CUDA 13.0") << QStringLiteral("130001") << true << true;
}

void TestAgentCupti::readsTheRarerRecords()
{
    QFETCH(QString, version);
    QFETCH(bool, jit);
    QFETCH(bool, jitThread);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1")}, fakeEnvironment(version)));
    const CaptureContents file = target.capture(plan(target.file(), 1, 20, 0, 0, format::Detail::Full));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(file.metadata[QStringLiteral("dropped")].toObject(), QJsonObject());
    const auto thread = quint32(target.process.processId());
    const auto overheads = file.all<format::OverheadRecord>(RecordKind::Overhead);
    QVERIFY(!overheads.empty());
    QCOMPARE(overheads.front().kind, 0x60000U);
    QCOMPARE(overheads.front().thread, thread);
    QCOMPARE(overheads.front().end - overheads.front().start, qint64(2'000));
    const auto events = file.all<format::EventRecord>(RecordKind::Event);
    QVERIFY(!events.empty());
    QCOMPARE(events.front().context, 2U);
    QCOMPARE(events.front().stream, 7U);
    QCOMPARE(events.front().event, 4U);
    std::set<quint32> calls;
    for (const auto &call : file.all<format::ApiRecord>(RecordKind::Api))
        calls.insert(call.correlation);
    // They have no time of their own: those from around the window are in the file without their calls.
    QVERIFY(std::count_if(events.begin(), events.end(), [&](const auto &e) { return calls.count(e.correlation) != 0; })
            > 5);
    const auto jits = file.all<format::JitRecord>(RecordKind::Jit);
    QCOMPARE(jits.empty(), !jit);
    if (jit) {
        QCOMPARE(jits.front().entry, 1U);
        QCOMPARE(jits.front().operation, 2U);
        QCOMPARE(jits.front().device, 1U);
        QCOMPARE(jits.front().thread, jitThread ? thread : 0U);
        QCOMPARE(jits.front().end - jits.front().start, qint64(10'000));
    }
}

// GraphTrace, GraphTrace2.
void TestAgentCupti::graphsAsAWhole_data()
{
    QTest::addColumn<QString>("version");
    QTest::newRow("CUDA 11.8") << QStringLiteral("18");
    QTest::newRow("CUDA 13.0") << QStringLiteral("130001");
}

void TestAgentCupti::graphsAsAWhole()
{
    QFETCH(QString, version);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1")}, fakeEnvironment(version)));
    format::ArmMessage wish = plan(target.file(), 1, 20, 0, 0);
    wish.graphs = format::Graphs::Whole;
    const CaptureContents file = target.capture(wish);
    QVERIFY(file.ended);
    QCOMPARE(file.metadata[QStringLiteral("graphs")].toString(), QStringLiteral("whole"));
    QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).empty());
    const auto graphs = file.all<format::GraphRecord>(RecordKind::Graph);
    QVERIFY(graphs.size() > 5);
    QCOMPARE(graphs.front().graph, 5U);
    QCOMPARE(graphs.front().device, 1U);
    QCOMPARE(graphs.front().stream, 7U);
    QCOMPARE(graphs.front().end - graphs.front().start, qint64(100'000));
}

void TestAgentCupti::explainsWhyNot_data()
{
    QTest::addColumn<QString>("environment");
    QTest::addColumn<QString>("words");
    QTest::newRow("the driver is too old")
        << QStringLiteral("FAKE_CUPTI_ERROR=15") << QStringLiteral("CUPTI_ERROR_NOT_INITIALIZED (15)");
    QTest::newRow("CUPTI is too old") << QStringLiteral("FAKE_CUPTI_VERSION=12")
                                      << QStringLiteral("older than CUDA 11.0");
}

void TestAgentCupti::explainsWhyNot()
{
    QFETCH(QString, environment);
    QFETCH(QString, words);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=500"), QStringLiteral("marks=1")},
                         fakeEnvironment(QStringLiteral("130001")) << environment));
    const CaptureContents file = target.capture(plan(target.file(), 1, 5, 0, 0));
    QVERIFY(file.ended);
    QCOMPARE(cuptiOf(file)[QStringLiteral("state")].toString(), QStringLiteral("failed"));
    const QString message = cuptiOf(file)[QStringLiteral("message")].toString();
    QVERIFY2(message.contains(words), qPrintable(message));
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 5);
    QCOMPARE(target.finish(), 7);
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
}

void TestAgentCupti::keepsTheCallsThatMatter()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1")},
                         fakeEnvironment(QStringLiteral("130001"))));
    const CaptureContents file = target.capture(plan(target.file(), 1, 40, 0, 0));
    std::set<QString> names;
    for (const auto &call : file.all<format::ApiRecord>(RecordKind::Api)) {
        names.insert(file.name(call.name));
        QCOMPARE(call.thread, quint32(target.process.processId())); // the system's thread ids, not pthread_self
        QCOMPARE(call.domain, file.name(call.name).startsWith(QStringLiteral("cuda")) ? 0U : 1U);
    }
    QCOMPARE(names,
             (std::set<QString>{QStringLiteral("cudaLaunchKernel"), QStringLiteral("cudaMemcpyAsync"),
                                QStringLiteral("cuLaunchKernel")}));
}

void TestAgentCupti::fullDetailKeepsEveryCall()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1")},
                         fakeEnvironment(QStringLiteral("130001"))));
    const CaptureContents file = target.capture(plan(target.file(), 1, 40, 0, 0, format::Detail::Full));
    const auto calls = file.all<format::ApiRecord>(RecordKind::Api);
    const auto noisy = std::count_if(calls.begin(), calls.end(), [&](const auto &c) {
        return file.name(c.name) == QStringLiteral("cudaGetDevice");
    });
    const auto launches = std::count_if(calls.begin(), calls.end(), [&](const auto &c) {
        return file.name(c.name) == QStringLiteral("cudaLaunchKernel");
    });
    QVERIFY(launches > 10);
    QVERIFY(qAbs(noisy - 3 * launches) <= 3);
}

void TestAgentCupti::stepsAsideWhenCuptiIsTaken_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("holder");
    QTest::newRow("CUDA 13.0 names the holder")
        << QStringLiteral("130001") << QStringLiteral("CUPTI for Nsight Systems");
    QTest::newRow("CUDA 12.8 doesn't") << QStringLiteral("26") << QString();
}

void TestAgentCupti::stepsAsideWhenCuptiIsTaken()
{
    QFETCH(QString, version);
    QFETCH(QString, holder);
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=1000"), QStringLiteral("marks=1")},
                         fakeEnvironment(version) << QStringLiteral("FAKE_CUPTI_HOLDER=CUPTI for Nsight Systems")
                                                  << QStringLiteral("FAKE_TORCH_PROFILING=1")));
    QVERIFY(target.arm(plan(target.file(), 1, 5, 0, 0)));
    const auto done = target.client.waitFor(AgentState::Finished);
    QVERIFY(done);
    QCOMPARE(done->state, AgentState::Finished);
    QCOMPARE(done->error, 39U);
    const QString message = QString::fromUtf8(done->message);
    QVERIFY2(message.contains(holder.isEmpty() ? QStringLiteral("another tool") : holder), done->message);
    const CaptureContents file = readCapture(target.file());
    QVERIFY(file.ended);
    QCOMPARE(cuptiOf(file)[QStringLiteral("state")].toString(), QStringLiteral("busy"));
    QCOMPARE(cuptiOf(file)[QStringLiteral("holder")].toString(), holder);
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 5); // the operators are there all the same
    QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).empty());
    QCOMPARE(target.finish(), 7);
}

void TestAgentCupti::goesOnBesideSleepingProfiler_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("environment");
    QTest::addColumn<QString>("state");
    QTest::newRow("used before, CUDA 13.0") << "130001"
                                            << "IRRELEVANT=1"
                                            << "on";
    QTest::newRow("used before, CUDA 12.8") << "26"
                                            << "IRRELEVANT=1"
                                            << "on";
    QTest::newRow("a debugger that has left") << "130001"
                                              << "FAKE_CUPTI_HOLDER=Unified Debugger"
                                              << "on";
    QTest::newRow("with its own clock") << "130001"
                                        << "FAKE_CUPTI_CLOCK=1"
                                        << "on";
    QTest::newRow("at work") << "130001"
                             << "FAKE_TORCH_PROFILING=1"
                             << "busy";
    QTest::newRow("may be started by a daemon") << "130001"
                                                << "KINETO_USE_DAEMON=1"
                                                << "busy";
    QTest::newRow("another injection") << "130001"
                                       << "CUDA_INJECTION64_PATH=/opt/other/libInjection.so"
                                       << "busy";
}

// Kineto keeps the subscription for good once torch.profiler was used. While it sleeps, records can be had beside it.
void TestAgentCupti::goesOnBesideSleepingProfiler()
{
    QFETCH(QString, version);
    QFETCH(QString, environment);
    QFETCH(QString, state);
    Target target;
    const QString log = target.file(QStringLiteral("calls.txt"));
    QVERIFY(target.start({QStringLiteral("steps=2000"), QStringLiteral("marks=1")},
                         fakeEnvironment(version) << QStringLiteral("FAKE_CUPTI_HOLDER=CUPTI for <not provided>")
                                                  << QStringLiteral("FAKE_CUPTI_LOG=") + log << environment));
    for (int round = 0; round < 2; ++round) {
        const QString path = target.file(QStringLiteral("round%1.tlc").arg(round));
        QVERIFY(target.arm(plan(path, 1, 5, 0, 0)));
        QVERIFY(target.client.waitFor(AgentState::Finished));
        const CaptureContents file = readCapture(path);
        QVERIFY(file.ended);
        QCOMPARE(cuptiOf(file)[QStringLiteral("state")].toString(), state);
        const auto kernels = file.all<format::KernelRecord>(RecordKind::Kernel);
        QCOMPARE(!kernels.empty(), state == QStringLiteral("on"));
        const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        for (const auto &kernel : kernels)
            QVERIFY(kernel.start > now - 30'000'000'000 && kernel.start < now && kernel.end > kernel.start);
        QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 5);
    }
    QCOMPARE(target.finish(), 7);
    QFile calls(log);
    QVERIFY(calls.open(QIODevice::ReadOnly));
    QVERIFY2(!calls.readAll().contains("unsubscribe"), "the subscription isn't ours to give up");
}

void TestAgentCupti::letsGoAfterEachCapture()
{
    Target target;
    const QString log = target.file(QStringLiteral("calls.txt"));
    QVERIFY(target.start({QStringLiteral("steps=2000"), QStringLiteral("marks=1")},
                         fakeEnvironment(QStringLiteral("130001")) << QStringLiteral("FAKE_CUPTI_LOG=") + log));
    for (int round = 0; round < 3; ++round) {
        const CaptureContents file = target.capture(plan(target.file(QString::number(round)), 1, 20, 0, 0));
        QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).size() > 5);
    }
    QFile calls(log);
    QVERIFY(calls.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = calls.readAll().split('\n');
    for (const char *once : {"subscribe_v2", "unsubscribe", "register", "flush forced", "enable 10", "disable 10"})
        QCOMPARE(lines.count(once), 3);
    QVERIFY(!lines.contains("enable 3")); // would serialise the program's kernels
    QVERIFY(lines.indexOf("subscribe_v2") < lines.indexOf("register"));
    QVERIFY(lines.indexOf("register") < lines.indexOf("enable 10"));
    QVERIFY(lines.indexOf("disable 10") < lines.indexOf("flush forced"));
    QVERIFY(lines.indexOf("flush forced") < lines.indexOf("unsubscribe"));
}

void TestAgentCupti::slowFlushesDontHoldUpTheProgram()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=800"), QStringLiteral("marks=1")},
                         fakeEnvironment(QStringLiteral("130001")) << QStringLiteral("FAKE_CUPTI_SLOW_MS=300")));
    const CaptureContents file = target.capture(plan(target.file(), 1, 200, 0, 2));
    QVERIFY(file.ended);
    QVERIFY(file.all<format::KernelRecord>(RecordKind::Kernel).size() > 50);
    auto steps = file.all<format::StepTimeRecord>(RecordKind::StepTime);
    std::erase_if(steps, [](const auto &s) { return s.phase != format::StepPhase::Inside; });
    std::sort(steps.begin(), steps.end(),
              [](const auto &a, const auto &b) { return a.end - a.start < b.end - b.start; });
    QVERIFY(steps[steps.size() / 2].end - steps[steps.size() / 2].start < 20'000'000);
    QCOMPARE(target.finish(), 7);
}

void TestAgentCupti::aLibraryThatIsNoneIsExplained()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=500"), QStringLiteral("marks=1")},
                         {QStringLiteral("TUNELINE_CUPTI_LIBRARY=/nonexistent/libcupti.so")}));
    const CaptureContents file = target.capture(plan(target.file(), 1, 5, 0, 0));
    QVERIFY(file.ended);
    QCOMPARE(cuptiOf(file)[QStringLiteral("state")].toString(), QStringLiteral("failed"));
    QVERIFY(cuptiOf(file)[QStringLiteral("message")].toString().contains(QStringLiteral("libcupti")));
    QCOMPARE(file.countOps(QStringLiteral("aten::linear")), 5);
}

void TestAgentCupti::cutsVersionsOffNames_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("plain");
    QTest::addColumn<bool>("kept");
    QTest::newRow("runtime") << "cudaLaunchKernel_v7000"
                             << "cudaLaunchKernel" << true;
    QTest::newRow("per-thread stream") << "cudaMemcpyAsync_ptsz_v7000"
                                       << "cudaMemcpyAsync" << true;
    QTest::newRow("driver, both") << "cuMemcpyHtoD_v2_ptds"
                                  << "cuMemcpyHtoD" << true;
    QTest::newRow("nothing to cut") << "cuLaunchKernelEx"
                                    << "cuLaunchKernelEx" << true;
    QTest::newRow("not a version") << "cudaFoo_value"
                                   << "cudaFoo_value" << false;
    QTest::newRow("noise") << "cudaStreamIsCapturing_v10000"
                           << "cudaStreamIsCapturing" << false;
    QTest::newRow("noise too") << "cudaGetLastError_v3020"
                               << "cudaGetLastError" << false;
    QTest::newRow("empty") << ""
                           << "" << false;
}

void TestAgentCupti::cutsVersionsOffNames()
{
    QFETCH(QString, name);
    QFETCH(QString, plain);
    QFETCH(bool, kept);
    const std::string text = name.toStdString();
    const std::string_view found = agent::cupti::plainName(text);
    QCOMPARE(QString::fromUtf8(found.data(), qsizetype(found.size())), plain);
    QCOMPARE(agent::cupti::isKept(found), kept);
}

#ifdef TUNELINE_HAVE_CUPTI_HEADERS
#define SAME(ours, structure, member) QCOMPARE(agent::cupti::ours, offsetof(structure, member))
#endif

void TestAgentCupti::offsetsAreThoseOfTheHeaders()
{
#ifdef TUNELINE_HAVE_CUPTI_HEADERS
    SAME(kernel::kRegisters, CUpti_ActivityKernel10, registersPerThread);
    SAME(kernel::kStart, CUpti_ActivityKernel10, start);
    SAME(kernel::kEnd, CUpti_ActivityKernel10, end);
    SAME(kernel::kDevice, CUpti_ActivityKernel10, deviceId);
    SAME(kernel::kContext, CUpti_ActivityKernel10, contextId);
    SAME(kernel::kStream, CUpti_ActivityKernel10, streamId);
    SAME(kernel::kGrid, CUpti_ActivityKernel10, gridX);
    SAME(kernel::kBlock, CUpti_ActivityKernel10, blockX);
    SAME(kernel::kStaticShared, CUpti_ActivityKernel10, staticSharedMemory);
    SAME(kernel::kDynamicShared, CUpti_ActivityKernel10, dynamicSharedMemory);
    SAME(kernel::kCorrelation, CUpti_ActivityKernel10, correlationId);
    SAME(kernel::kName, CUpti_ActivityKernel10, name);
    SAME(kernel::kGraphNode, CUpti_ActivityKernel10, graphNodeId);
    SAME(kernel::kGraph, CUpti_ActivityKernel10, graphId);
    SAME(memcpy::kCopyKind, CUpti_ActivityMemcpy6, copyKind);
    SAME(memcpy::kFlags, CUpti_ActivityMemcpy6, flags);
    SAME(memcpy::kBytes, CUpti_ActivityMemcpy6, bytes);
    SAME(memcpy::kStart, CUpti_ActivityMemcpy6, start);
    SAME(memcpy::kDevice, CUpti_ActivityMemcpy6, deviceId);
    SAME(memcpy::kStream, CUpti_ActivityMemcpy6, streamId);
    SAME(memcpy::kCorrelation, CUpti_ActivityMemcpy6, correlationId);
    SAME(memcpy::kGraphNode, CUpti_ActivityMemcpy6, graphNodeId);
    SAME(peercopy::kDestinationDevice, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
    SAME(peercopy::kCorrelation, CUpti_ActivityMemcpyPtoP4, correlationId);
    SAME(peercopy::kGraphNode, CUpti_ActivityMemcpyPtoP4, graphNodeId);
    SAME(memset::kValue, CUpti_ActivityMemset4, value);
    SAME(memset::kBytes, CUpti_ActivityMemset4, bytes);
    SAME(memset::kStart, CUpti_ActivityMemset4, start);
    SAME(memset::kCorrelation, CUpti_ActivityMemset4, correlationId);
    SAME(memset::kMemoryKind, CUpti_ActivityMemset4, memoryKind);
    SAME(memset::kGraphNode, CUpti_ActivityMemset4, graphNodeId);
    SAME(api::kCallback, CUpti_ActivityAPI, cbid);
    SAME(api::kStart, CUpti_ActivityAPI, start);
    SAME(api::kThread, CUpti_ActivityAPI, threadId);
    SAME(api::kCorrelation, CUpti_ActivityAPI, correlationId);
    SAME(api::kResult, CUpti_ActivityAPI, returnValue);
    SAME(synchronization::kType, CUpti_ActivitySynchronization2, type);
    SAME(synchronization::kStart, CUpti_ActivitySynchronization2, start);
    SAME(synchronization::kCorrelation, CUpti_ActivitySynchronization2, correlationId);
    SAME(synchronization::kEvent, CUpti_ActivitySynchronization2, cudaEventId);
    SAME(overhead::kOverheadKind, CUpti_ActivityOverhead3, overheadKind);
    SAME(overhead::kObjectThread, CUpti_ActivityOverhead3, objectId.pt.threadId);
    SAME(overhead::kStart, CUpti_ActivityOverhead3, start);
    SAME(event::kStream, CUpti_ActivityCudaEvent2, streamId);
    SAME(event::kEvent, CUpti_ActivityCudaEvent2, eventId);
    SAME(memory::kOperation, CUpti_ActivityMemory4, memoryOperationType);
    SAME(memory::kBytes, CUpti_ActivityMemory4, bytes);
    SAME(memory::kTimestamp, CUpti_ActivityMemory4, timestamp);
    SAME(memory::kDevice, CUpti_ActivityMemory4, deviceId);
    SAME(graph::kStart, CUpti_ActivityGraphTrace2, start);
    SAME(graph::kGraph, CUpti_ActivityGraphTrace2, graphId);
    SAME(graph::kStream, CUpti_ActivityGraphTrace2, streamId);
    SAME(jit::kOperation, CUpti_ActivityJit2, jitOperationType);
    SAME(jit::kStart, CUpti_ActivityJit2, start);
    SAME(jit::kThread, CUpti_ActivityJit2, threadId);
    QCOMPARE(sizeof(agent::cupti::SubscriberParams), sizeof(CUpti_SubscriberParams));
    QCOMPARE(quint32(agent::cupti::Kind::ConcurrentKernel), quint32(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    QCOMPARE(quint32(agent::cupti::Kind::Synchronization), quint32(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
    QCOMPARE(quint32(agent::cupti::Kind::Memory2), quint32(CUPTI_ACTIVITY_KIND_MEMORY2));
    QCOMPARE(quint32(agent::cupti::Kind::Jit), quint32(CUPTI_ACTIVITY_KIND_JIT));
    QCOMPARE(agent::cupti::kDomainRuntime, quint32(CUPTI_CB_DOMAIN_RUNTIME_API));
    QCOMPARE(agent::cupti::kObjectThread, quint32(CUPTI_ACTIVITY_OBJECT_THREAD));
#else
    QSKIP("CUPTI's headers are not installed");
#endif
}

QTEST_GUILESS_MAIN(TestAgentCupti)
#include "tst_agentcupti.moc"
