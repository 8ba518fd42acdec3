// SPDX-License-Identifier: MIT
// Marks from C, C++ and Python: with and without the agent.
#include "tests/fakes/agenttesting.h"
#include "tuneline/marks.h"

#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>
#include <map>

using namespace tuneline;
using namespace tuneline::testing;
using format::MarkKind;
using format::RecordKind;

class TestMarks : public QObject
{
    Q_OBJECT

private slots:
    void kindsAreThoseOfTheFormat();
    void costNextToNothingWithoutAnAgent();
    void work_data();
    void work();
    void doNothingWithoutAnAgent_data() { work_data(); }
    void doNothingWithoutAnAgent();
    void factsToldEarlyAreKept();
};

void TestMarks::kindsAreThoseOfTheFormat()
{
    QCOMPARE(quint32(TUNELINE_MARK_STEP), quint32(MarkKind::Step));
    QCOMPARE(quint32(TUNELINE_MARK_STEP_END), quint32(MarkKind::StepEnd));
    QCOMPARE(quint32(TUNELINE_MARK_SCOPE_BEGIN), quint32(MarkKind::ScopeBegin));
    QCOMPARE(quint32(TUNELINE_MARK_SCOPE_END), quint32(MarkKind::ScopeEnd));
    QCOMPARE(quint32(TUNELINE_MARK_UNITS), quint32(MarkKind::Units));
    QCOMPARE(quint32(TUNELINE_MARK_VALID_UNITS), quint32(MarkKind::ValidUnits));
    QCOMPARE(quint32(TUNELINE_MARK_LOSS), quint32(MarkKind::Loss));
    QCOMPARE(quint32(TUNELINE_MARK_GRADIENT_NORM), quint32(MarkKind::GradientNorm));
    QCOMPARE(quint32(TUNELINE_MARK_SKIPPED_STEP), quint32(MarkKind::SkippedStep));
    QCOMPARE(quint32(TUNELINE_MARK_CORRUPTED_SAMPLES), quint32(MarkKind::CorruptedSamples));
    QCOMPARE(quint32(TUNELINE_MARK_METRIC), quint32(MarkKind::Metric));
    QCOMPARE(quint32(TUNELINE_MARK_CONFIG), quint32(MarkKind::Config));
}

// Not a benchmark: a bound that only a lookup or a system call in each call could break.
void TestMarks::costNextToNothingWithoutAnAgent()
{
    constexpr int kCalls = 1'000'000;
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < kCalls; ++i)
        tuneline_loss(i);
    const qint64 marks = timer.nsecsElapsed();
    QVERIFY2(marks / kCalls < 50, QByteArray::number(marks / kCalls));
}

void TestMarks::work_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QStringList>("environment");
    QTest::newRow("C and C++") << QStringList{QStringLiteral(TUNELINE_BUILD_DIR "/bin/markprogram"),
                                              QStringLiteral("400"), QStringLiteral("1000")}
                               << QStringList{};
    const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"), {QStringLiteral("/usr/bin")});
    if (!python.isEmpty())
        QTest::newRow("Python") << QStringList{python,
                                               QStringLiteral(TUNELINE_SOURCE_DIR "/tests/fakes/markprogram.py"),
                                               QStringLiteral("400"), QStringLiteral("0.001")}
                                << QStringList{QStringLiteral("PYTHONPATH=" TUNELINE_SOURCE_DIR "/capture/marks"),
                                               QStringLiteral("PYTHONDONTWRITEBYTECODE=1")};
}

void TestMarks::work()
{
    QFETCH(QStringList, command);
    QFETCH(QStringList, environment);
    Target target;
    QVERIFY(target.start(command.first(), command.mid(1), environment));
    const CaptureContents file = target.capture(plan(target.file(), 5, 10, 0, 2));
    QVERIFY(file.ended);
    QCOMPARE(file.damage, QString());
    QCOMPARE(target.finish(), 0);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("agent: yes\n"));

    std::map<MarkKind, std::vector<format::MarkRecord>> marks;
    for (const auto &mark : file.all<format::MarkRecord>(RecordKind::Mark))
        marks[mark.kind].push_back(mark);
    for (auto &[kind, list] : marks)
        std::sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.time < b.time; });
    for (const MarkKind kind : {MarkKind::Units, MarkKind::ValidUnits, MarkKind::Loss, MarkKind::GradientNorm,
                                MarkKind::SkippedStep, MarkKind::CorruptedSamples, MarkKind::Metric})
        QCOMPARE(marks[kind].size(), std::size_t(10));
    QCOMPARE(marks[MarkKind::Step].size(), std::size_t(11));
    QCOMPARE(marks[MarkKind::ScopeBegin].size(), std::size_t(20));
    QCOMPARE(marks[MarkKind::ScopeEnd].size(), std::size_t(20));
    QCOMPARE(marks[MarkKind::Units].front().value, 8.0);
    QCOMPARE(marks[MarkKind::ValidUnits].front().value, 7.0);
    QCOMPARE(marks[MarkKind::Loss].front().value, 0.5);
    QCOMPARE(marks[MarkKind::GradientNorm].front().value, 1.5);
    QCOMPARE(marks[MarkKind::CorruptedSamples].front().value, 2.0);
    QCOMPARE(file.name(marks[MarkKind::Metric].front().name), QStringLiteral("accuracy"));
    QCOMPARE(marks[MarkKind::Metric].back().value - marks[MarkKind::Metric].front().value, 9.0);
    QCOMPARE(marks[MarkKind::Step].back().value - marks[MarkKind::Step].front().value, 10.0);
    QCOMPARE(file.name(marks[MarkKind::ScopeBegin][0].name), QStringLiteral("data"));
    QCOMPARE(file.name(marks[MarkKind::ScopeBegin][1].name), QStringLiteral("from C++"));
    const QJsonObject config = file.metadata[QStringLiteral("config")].toObject();
    QCOMPARE(config[QStringLiteral("batch_size")].toString(), QStringLiteral("8"));
    QCOMPARE(config[QStringLiteral("precision")].toString(), QStringLiteral("bf16"));
}

void TestMarks::doNothingWithoutAnAgent()
{
    QFETCH(QStringList, command);
    QFETCH(QStringList, environment);
    Target target;
    QStringList arguments = command.mid(1);
    arguments[arguments.size() - 2] = QStringLiteral("40");
    QVERIFY(target.start(command.first(), arguments, environment << QStringLiteral("LD_PRELOAD=")));
    QCOMPARE(target.finish(), 0);
    QCOMPARE(target.process.readAllStandardOutput(), QByteArray("agent: no\n"));
    QCOMPARE(target.process.readAllStandardError(), QByteArray());
}

// This program has no agent: what it tells is kept for one that may come.
void TestMarks::factsToldEarlyAreKept()
{
    tuneline_config("seed", "42");
    tuneline_config("very long", QByteArray(1000, 'x').constData());
    QCOMPARE(tuneline_marks_state_.configs, 2U);
    QCOMPARE(QByteArray(tuneline_marks_state_.config_names[0]), QByteArray("seed"));
    QCOMPARE(QByteArray(tuneline_marks_state_.config_texts[0]), QByteArray("42"));
    QCOMPARE(qstrlen(tuneline_marks_state_.config_texts[1]), std::size_t(TUNELINE_KEPT_TEXT) - 1);
    for (int i = 0; i < 100; ++i)
        tuneline_config("more", "of it");
    QCOMPARE(tuneline_marks_state_.configs, quint32(TUNELINE_KEPT_CONFIGS));
}

QTEST_GUILESS_MAIN(TestMarks)
#include "tst_marks.moc"
