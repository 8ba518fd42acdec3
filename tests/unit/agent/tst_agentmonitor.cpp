// SPDX-License-Identifier: MIT
// The facts of the machine in a capture, with a fake NVML and a fake driver: two GPUs, an old driver, errors,
// throttling, other processes; and what /proc tells.
#include "capture/agent/machinefacts.h"
#include "tests/fakes/agenttesting.h"

#include <QFile>
#include <QJsonArray>
#include <QStorageInfo>
#include <QTest>

#include <set>

using namespace tuneline;
using namespace tuneline::testing;
using format::RecordKind;

namespace {

QString fake(const QString &library)
{
    return QFileInfo(fakeCupti()).absolutePath() + QStringLiteral("/lib") + library + QStringLiteral(".so");
}

// A program that has loaded the driver, and where NVML is.
QStringList withDriver(const QString &nvml, const QStringList &more = {})
{
    return QStringList{QStringLiteral("LD_PRELOAD=") + agentLibrary() + u':' + fake(QStringLiteral("cuda")),
                       QStringLiteral("TUNELINE_NVML_LIBRARY=") + nvml,
                       QStringLiteral("TUNELINE_CUPTI_LIBRARY=/nowhere/libcupti.so")}
    + more;
}

CaptureContents captured(Target &target, const QStringList &environment)
{
    const QStringList program{QStringLiteral("steps=2000"), QStringLiteral("marks=1")};
    return target.start(program, environment) ? target.capture(plan(target.file(), 1, 150, 0, 1)) : CaptureContents();
}

// The values of a counter, in file order.
std::vector<double> counter(const CaptureContents &file, const QString &name)
{
    std::vector<double> values;
    for (const auto &record : file.all<format::CounterRecord>(RecordKind::Counter)) {
        if (file.name(record.name) == name)
            values.push_back(record.value);
    }
    return values;
}

std::set<QString> gpuCounters(const CaptureContents &file)
{
    std::set<QString> names;
    for (const auto &record : file.all<format::CounterRecord>(RecordKind::Counter)) {
        if (file.name(record.name).startsWith(QStringLiteral("gpu")))
            names.insert(file.name(record.name));
    }
    return names;
}

QJsonObject gpu(const CaptureContents &file, int index)
{
    return file.metadata[QStringLiteral("gpus")].toArray()[index].toObject();
}

QString nvmlState(const CaptureContents &file)
{
    return file.metadata[QStringLiteral("nvml")].toObject()[QStringLiteral("state")].toString();
}

} // namespace

class TestAgentMonitor : public QObject
{
    Q_OBJECT

private slots:
    void samplesTheGpuInUse();
    void matchesTwoGpusToPhysicalOnes();
    void anOldDriverLacksSomeFacts();
    void withoutNvmlNothingIsKnown();
    void withoutCudaNobodyAsks();
    void anNvmlThatRefusesIsQuoted();
    void callsThatFailLeaveNoFigures();
    void namesAnotherProcess();
    void inAContainerOnlyTheNumberIsKnown();
    void recordsThrottling();
    void factsAreThereAfterAKill();
    void tellsOfDisksAndLoad();
    void parsesMounts_data();
    void parsesMounts();
};

void TestAgentMonitor::samplesTheGpuInUse()
{
    Target target;
    const QString log = target.file(QStringLiteral("nvml.log"));
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakenvml")), {QStringLiteral("FAKE_NVML_LOG=") + log}));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(nvmlState(file), QStringLiteral("on"));
    QCOMPARE(gpuCounters(file),
             (std::set<QString>{QStringLiteral("gpu0/used_share"), QStringLiteral("gpu0/memory_busy_share"),
                                QStringLiteral("gpu0/memory_used_bytes"), QStringLiteral("gpu0/clock/sm_mhz"),
                                QStringLiteral("gpu0/clock/memory_mhz"), QStringLiteral("gpu0/power_watts"),
                                QStringLiteral("gpu0/temperature_c"), QStringLiteral("gpu0/throttle_reasons")}));
    // 150 steps of 2 ms: at the start, about every 100 ms, at the end.
    const auto clock = counter(file, QStringLiteral("gpu0/clock/sm_mhz"));
    QVERIFY2(clock.size() >= 3, QByteArray::number(qsizetype(clock.size())));
    QCOMPARE(clock.front(), 1965.0);
    QCOMPARE(counter(file, QStringLiteral("gpu0/clock/memory_mhz")).front(), 2619.0);
    QCOMPARE(counter(file, QStringLiteral("gpu0/used_share")).front(), 0.93);
    QCOMPARE(counter(file, QStringLiteral("gpu0/memory_busy_share")).front(), 0.41);
    QCOMPARE(counter(file, QStringLiteral("gpu0/memory_used_bytes")).front(), double(20ULL << 30));
    QCOMPARE(counter(file, QStringLiteral("gpu0/power_watts")).front(), 512.345);
    QCOMPARE(counter(file, QStringLiteral("gpu0/temperature_c")).front(), 71.0);
    QCOMPARE(counter(file, QStringLiteral("gpu0/throttle_reasons")).front(), 0.0);

    const QJsonObject facts = gpu(file, 0);
    QCOMPARE(facts[QStringLiteral("name")].toString(), QStringLiteral("Fake H200"));
    QCOMPARE(facts[QStringLiteral("uuid")].toString(), QStringLiteral("GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"));
    QCOMPARE(facts[QStringLiteral("pci_bus_id")].toString(), QStringLiteral("0000:99:00.0"));
    QCOMPARE(facts[QStringLiteral("clock_sm_max_mhz")].toInt(), 1980);
    QCOMPARE(facts[QStringLiteral("power_limit_watts")].toDouble(), 700.0);
    QCOMPARE(facts[QStringLiteral("pcie_generation")].toInt(), 4);
    QCOMPARE(facts[QStringLiteral("pcie_generation_max")].toInt(), 5);
    QCOMPARE(facts[QStringLiteral("pcie_width")].toInt(), 8);
    QCOMPARE(facts[QStringLiteral("pcie_width_max")].toInt(), 16);
    QCOMPARE(facts[QStringLiteral("ecc")].toBool(), true);
    QCOMPARE(facts[QStringLiteral("persistence")].toBool(), true);
    QCOMPARE(facts[QStringLiteral("other_processes")].toInt(-1), 0);
    QCOMPARE(file.metadata[QStringLiteral("gpu_driver")].toString(), QStringLiteral("580.42.01"));
    // Visible and unused: CUDA's facts only.
    QCOMPARE(file.metadata[QStringLiteral("gpus")].toArray().size(), 3);
    QVERIFY(!gpu(file, 2).contains(QStringLiteral("clock_sm_max_mhz")));
    QFile lines(log);
    QVERIFY(lines.open(QIODevice::ReadOnly));
    QCOMPARE(lines.readAll(), QByteArray("init\nshutdown\n"));
}

void TestAgentMonitor::matchesTwoGpusToPhysicalOnes()
{
    Target target;
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakenvml")), {QStringLiteral("FAKE_CUDA_USED=2")}));
    QCOMPARE(counter(file, QStringLiteral("gpu0/temperature_c")).front(), 71.0);
    QCOMPARE(counter(file, QStringLiteral("gpu1/temperature_c")).front(), 38.0);
    QCOMPARE(gpu(file, 1)[QStringLiteral("uuid")].toString(),
             QStringLiteral("GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f"));
}

void TestAgentMonitor::anOldDriverLacksSomeFacts()
{
    Target target;
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakeoldnvml")), {QStringLiteral("FAKE_NVML_THROTTLE=4")}));
    QCOMPARE(nvmlState(file), QStringLiteral("on"));
    // By their former names.
    QCOMPARE(counter(file, QStringLiteral("gpu0/throttle_reasons")).front(), 4.0);
    QCOMPARE(gpu(file, 0)[QStringLiteral("power_limit_watts")].toDouble(), 700.0);
    QCOMPARE(gpu(file, 0)[QStringLiteral("other_processes")].toInt(-1), 0); // from the two-field struct
    QVERIFY(!gpu(file, 0).contains(QStringLiteral("ecc")));
}

void TestAgentMonitor::withoutNvmlNothingIsKnown()
{
    Target target;
    const CaptureContents file = captured(target, withDriver(QStringLiteral("/nowhere/libnvidia-ml.so.1")));
    QVERIFY(file.ended);
    QCOMPARE(nvmlState(file), QStringLiteral("absent"));
    QVERIFY(gpuCounters(file).empty());
    QCOMPARE(gpu(file, 0)[QStringLiteral("multiprocessors")].toInt(), 132); // CUDA's
    for (const char *key : {"clock_sm_max_mhz", "power_limit_watts", "other_processes", "processes", "pcie_width"})
        QVERIFY2(!gpu(file, 0).contains(QLatin1String(key)), key);
}

void TestAgentMonitor::withoutCudaNobodyAsks()
{
    Target target;
    const QString log = target.file(QStringLiteral("nvml.log"));
    const CaptureContents file = captured(target,
                                          {QStringLiteral("TUNELINE_NVML_LIBRARY=") + fake(QStringLiteral("fakenvml")),
                                           QStringLiteral("FAKE_NVML_LOG=") + log});
    QVERIFY(file.ended);
    QVERIFY(!file.metadata.contains(QStringLiteral("nvml")));
    QVERIFY(!QFile::exists(log));
}

void TestAgentMonitor::anNvmlThatRefusesIsQuoted()
{
    Target target;
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakenvml")), {QStringLiteral("FAKE_NVML_FAIL=18")}));
    QVERIFY(file.ended);
    QCOMPARE(nvmlState(file), QStringLiteral("failed"));
    QCOMPARE(file.metadata[QStringLiteral("nvml")].toObject()[QStringLiteral("message")].toString(),
             QStringLiteral("NVML can't be used: Driver/library version mismatch"));
    QVERIFY(gpuCounters(file).empty());
}

void TestAgentMonitor::callsThatFailLeaveNoFigures()
{
    Target target;
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakenvml")), {QStringLiteral("FAKE_NVML_FAIL_CALLS=3")}));
    QVERIFY(file.ended);
    QVERIFY(gpuCounters(file).empty());
    QVERIFY(!gpu(file, 0).contains(QStringLiteral("power_limit_watts")));
    QVERIFY(!gpu(file, 0).contains(QStringLiteral("other_processes")));
}

void TestAgentMonitor::namesAnotherProcess()
{
    QProcess other;
    other.start(QStringLiteral("sleep"), {QStringLiteral("60")});
    QVERIFY(other.waitForStarted());
    const QString pid = QString::number(other.processId());
    Target target;
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakenvml")), {QStringLiteral("FAKE_NVML_OTHERS=") + pid}));
    other.kill();
    other.waitForFinished();
    QCOMPARE(gpu(file, 0)[QStringLiteral("other_processes")].toInt(-1), 1);
    const QJsonObject process = gpu(file, 0)[QStringLiteral("processes")].toArray()[0].toObject();
    QCOMPARE(process[QStringLiteral("pid")].toInteger(), pid.toLongLong());
    QCOMPARE(process[QStringLiteral("name")].toString(), QStringLiteral("sleep"));
    QCOMPARE(process[QStringLiteral("memory_bytes")].toInteger(), qint64(3) << 30);
    QCOMPARE(process[QStringLiteral("used_share")].toDouble(), 0.37); // not the 99 % from before the capture
}

void TestAgentMonitor::inAContainerOnlyTheNumberIsKnown()
{
    Target target;
    const CaptureContents file = captured(
        target,
        withDriver(fake(QStringLiteral("fakenvml")),
                   {QStringLiteral("FAKE_NVML_NOT_US=1"), QStringLiteral("FAKE_NVML_OTHERS=1")})); // not our pid 1
    QCOMPARE(gpu(file, 0)[QStringLiteral("other_processes")].toInt(-1), 1);
    QVERIFY(!gpu(file, 0).contains(QStringLiteral("processes")));
}

void TestAgentMonitor::recordsThrottling()
{
    Target target;
    const CaptureContents file =
        captured(target, withDriver(fake(QStringLiteral("fakenvml")), {QStringLiteral("FAKE_NVML_THROTTLE=32")}));
    QCOMPARE(counter(file, QStringLiteral("gpu0/throttle_reasons")).front(), 32.0);
    QCOMPARE(counter(file, QStringLiteral("gpu0/clock/sm_mhz")).back(), 1200.0);
}

void TestAgentMonitor::factsAreThereAfterAKill()
{
    Target target;
    QVERIFY(target.start({QStringLiteral("steps=2000"), QStringLiteral("marks=1")},
                         withDriver(fake(QStringLiteral("fakenvml")))));
    QVERIFY(target.arm(plan(target.file(), 1, 0, 0, 1)));
    QVERIFY(target.client.waitFor(format::AgentState::Recording));
    QTest::qWait(400);
    target.process.kill();
    target.process.waitForFinished();
    const CaptureContents file = readCapture(target.file());
    QVERIFY(!file.ended);
    QCOMPARE(gpu(file, 0)[QStringLiteral("clock_sm_max_mhz")].toInt(), 1980);
    QVERIFY(counter(file, QStringLiteral("gpu0/power_watts")).size() >= 2);
}

void TestAgentMonitor::tellsOfDisksAndLoad()
{
    Target target;
    QVERIFY(
        target.start({QStringLiteral("steps=2000"), QStringLiteral("marks=1"), QStringLiteral("--data=/proc/sys")}));
    const CaptureContents file = target.capture(plan(target.file(), 1, 20, 0, 1));
    QCOMPARE(file.metadata[QStringLiteral("load_average")].toArray().size(), 3);
    QVERIFY(file.metadata[QStringLiteral("memory_available_bytes")].toInteger() > 1 << 20);
    const QJsonArray disks = file.metadata[QStringLiteral("disks")].toArray();
    QVERIFY(disks.size() >= 3);
    const QJsonObject output = disks[0].toObject();
    QCOMPARE(output[QStringLiteral("use")].toString(), QStringLiteral("output"));
    const QStorageInfo expected(QFileInfo(target.file()).absolutePath());
    QCOMPARE(output[QStringLiteral("mount")].toString(), expected.rootPath());
    QCOMPARE(output[QStringLiteral("fs")].toString(), QString::fromLatin1(expected.fileSystemType()));
    QCOMPARE(output[QStringLiteral("total_bytes")].toInteger(), expected.bytesTotal());
    QVERIFY(output[QStringLiteral("free_bytes")].toInteger() > 0);
    const QJsonObject data = disks[disks.size() - 1].toObject();
    QCOMPARE(data[QStringLiteral("use")].toString(), QStringLiteral("argument"));
    QCOMPARE(data[QStringLiteral("path")].toString(), QStringLiteral("/proc/sys"));
    QCOMPARE(data[QStringLiteral("fs")].toString(), QStringLiteral("proc"));
    QVERIFY(!data.contains(QStringLiteral("rotational")));
}

void TestAgentMonitor::parsesMounts_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<bool>("good");
    QTest::addColumn<QString>("read"); // device number, point, type, device
    QTest::newRow("plain") << QByteArray("36 35 259:2 / /data rw,noatime - ext4 /dev/nvme0n1p2 rw") << true
                           << QStringLiteral("259:2 /data ext4 /dev/nvme0n1p2");
    QTest::newRow("optional fields") << QByteArray("36 35 98:0 /a /mnt2 rw master:1 shared:2 - xfs /dev/root rw")
                                     << true << QStringLiteral("98:0 /mnt2 xfs /dev/root");
    QTest::newRow("blank in the name") << QByteArray("41 28 0:40 / /my\\040disk rw - nfs4 server:/a\\040b rw") << true
                                       << QStringLiteral("0:40 /my disk nfs4 server:/a b");
    QTest::newRow("cut") << QByteArray("36 35 98:0 / /mnt2 rw -") << false << QString();
    QTest::newRow("empty") << QByteArray() << false << QString();
}

void TestAgentMonitor::parsesMounts()
{
    QFETCH(QByteArray, line);
    QFETCH(bool, good);
    QFETCH(QString, read);
    agent::Mount mount;
    QCOMPARE(agent::parseMount(line.toStdString(), mount), good);
    if (good)
        QCOMPARE(QStringLiteral("%1:%2 ").arg(mount.major).arg(mount.minor)
                     + QString::fromStdString(mount.point + ' ' + mount.type + ' ' + mount.device),
                 read);
}

QTEST_GUILESS_MAIN(TestAgentMonitor)
#include "tst_agentmonitor.moc"
