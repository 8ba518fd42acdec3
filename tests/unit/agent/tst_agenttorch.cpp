// SPDX-License-Identifier: MIT
// The agent on the real LibTorch: operators, memory, the bridge, and that it leaves the training as it was.
#include "tests/fakes/agenttesting.h"

#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <algorithm>
#include <set>

using namespace tuneline;
using namespace tuneline::testing;
using format::RecordKind;

namespace {

QString torchLoop()
{
    return QStringLiteral(TUNELINE_BUILD_DIR "/bin/torchloop");
}

} // namespace

class TestAgentTorch : public QObject
{
    Q_OBJECT

private slots:
    void operatorsOfEachStep();
    void unmarkedStepsAreRecordedOnceTheyRun();
    void bridgeAddsShapesAndSequenceNumbers();
    void aBridgeOfAnotherLibTorchIsRefused();
    void resultsAreBitIdentical_data();
    void resultsAreBitIdentical();
};

void TestAgentTorch::operatorsOfEachStep()
{
    Target target;
    QVERIFY(target.start(torchLoop(), {QStringLiteral("1000000"), QStringLiteral("--marks")}));
    const CaptureContents file = target.capture(plan(target.file(), 5, 10, 0, 3));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(file.metadata[QStringLiteral("operators")].toString(), QStringLiteral("observer"));
    QVERIFY(file.metadata[QStringLiteral("torch_version")].toString().contains(QLatin1Char('.')));
    QCOMPARE(file.countOps(QStringLiteral("aten::addmm")), 20); // two linear layers
    QCOMPARE(file.countOps(QStringLiteral("AddmmBackward0")), 20);
    QCOMPARE(file.countOps(QStringLiteral("aten::mse_loss")), 10);
    qsizetype nested = 0;
    for (const auto &op : file.all<format::OpRecord>(RecordKind::Op)) {
        QVERIFY(op.end >= op.start);
        nested += op.depth > 0 ? 1 : 0;
        if (file.name(op.name) == QStringLiteral("AddmmBackward0"))
            QCOMPARE(op.scope, format::OpScope::Backward);
    }
    QVERIFY(nested > 100);
}

// Four seconds of loading, no marks: a window by time must hold the training and not the loading.
void TestAgentTorch::unmarkedStepsAreRecordedOnceTheyRun()
{
    Target target;
    QVERIFY(target.start(torchLoop(), {QStringLiteral("1000000"), QStringLiteral("--load"), QStringLiteral("4")}));
    const CaptureContents file = target.capture(plan(target.file(), -1, 0, 200'000'000, 0));
    QVERIFY(file.ended);
    QVERIFY(file.countOps(QStringLiteral("aten::addmm")) > 20);
    QVERIFY(file.countOps(QStringLiteral("AddmmBackward0")) > 20);
}

void TestAgentTorch::bridgeAddsShapesAndSequenceNumbers()
{
    Target target;
    QVERIFY(target.start(torchLoop(), {QStringLiteral("1000000"), QStringLiteral("--marks")}));
    const CaptureContents file = target.capture(plan(target.file(), 5, 6, 0, 2, format::Detail::Full));
    QVERIFY(file.ended);
    QCOMPARE(file.metadata[QStringLiteral("operators")].toString(), QStringLiteral("bridge"));
    QVERIFY(file.metadata[QStringLiteral("memory_reports")].toBool());
    QHash<quint64, QString> names;
    for (const auto &op : file.all<format::OpRecord>(RecordKind::Op))
        names.insert(op.id, file.name(op.name));
    const auto details = file.all<format::OpDetailRecord>(RecordKind::OpDetail);
    QCOMPARE(details.size(), std::size_t(names.size())); // each operator once: no second observer
    std::set<qint64> forward;
    std::set<qint64> backward;
    std::set<QString> shapes;
    for (const auto &detail : details) {
        QVERIFY(names.contains(detail.op));
        QVERIFY(detail.logicalThread > 0);
        if (detail.shapes != 0)
            QVERIFY(QJsonDocument::fromJson(file.name(detail.shapes).toUtf8()).isArray());
        if (names[detail.op] == QStringLiteral("aten::addmm")) {
            shapes.insert(file.name(detail.shapes));
            forward.insert(detail.sequence);
            QCOMPARE(file.name(detail.types), QStringLiteral("[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]"));
        }
        if (names[detail.op] == QStringLiteral("AddmmBackward0")) {
            backward.insert(detail.sequence);
            QVERIFY(detail.forwardThread > 0);
        }
    }
    QCOMPARE(shapes,
             (std::set<QString>{QStringLiteral("[[64],[16,64],[64,64],[],[]]"),
                                QStringLiteral("[[8],[16,64],[64,8],[],[]]")}));
    QCOMPARE(forward.size(), std::size_t(12));
    QCOMPARE(forward, backward); // each backward node finds its forward operator
    QVERIFY(file.all<format::MemoryRecord>(RecordKind::Memory).size() > 50);
}

void TestAgentTorch::aBridgeOfAnotherLibTorchIsRefused()
{
    Target target;
    QFile bridge(target.file(QStringLiteral("other.so")));
    QVERIFY(bridge.open(QIODevice::WriteOnly));
    bridge.write("ELF-like bytes tuneline-torch-bridge 9.9.9; and more");
    bridge.close();
    // Only this one: the agent is used from a folder without a bridge beside it.
    const QString agent = target.file(QStringLiteral("libtuneline_agent.so"));
    QVERIFY(QFile::copy(agentLibrary(), agent));
    QVERIFY(target.start(
        torchLoop(), {QStringLiteral("1000000"), QStringLiteral("--marks")},
        {QStringLiteral("TUNELINE_TORCH_BRIDGE=") + bridge.fileName(), QStringLiteral("LD_PRELOAD=") + agent}));
    const CaptureContents file = target.capture(plan(target.file(), 3, 4, 0, 0, format::Detail::Full));
    const QString operators = file.metadata[QStringLiteral("operators")].toString();
    QVERIFY2(operators.startsWith(QStringLiteral("observer: ")), qPrintable(operators));
    QCOMPARE(file.countOps(QStringLiteral("aten::addmm")), 8);
}

void TestAgentTorch::resultsAreBitIdentical_data()
{
    QTest::addColumn<int>("mode");
    QTest::newRow("dormant") << 0;
    QTest::newRow("capturing, normal") << 1;
    QTest::newRow("capturing, full") << 2;
}

void TestAgentTorch::resultsAreBitIdentical()
{
    QFETCH(int, mode);
    const QStringList arguments{QStringLiteral("1500"), QStringLiteral("--marks")};
    Target plain;
    QVERIFY(plain.start(torchLoop(), arguments, {QStringLiteral("LD_PRELOAD=")}));
    QCOMPARE(plain.finish(), 0);
    Target watched;
    QVERIFY(watched.start(torchLoop(), arguments));
    if (mode > 0)
        QVERIFY(watched.arm(
            plan(watched.file(), 5, 100000, 0, 1, mode == 1 ? format::Detail::Normal : format::Detail::Full)));
    QCOMPARE(watched.finish(60000), 0);
    const QByteArray expected = plain.process.readAllStandardOutput().split(' ').first();
    QCOMPARE(expected.size(), 16);
    QCOMPARE(watched.process.readAllStandardOutput().split(' ').first(), expected);
    if (mode > 0)
        QVERIFY(readCapture(watched.file()).countOps(QStringLiteral("aten::addmm")) > 100);
}

QTEST_GUILESS_MAIN(TestAgentTorch)
#include "tst_agenttorch.moc"
