// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of real runs whose marks were taken out: as many as with the marks, and in the same places. Samples, our own
// captures, and two cases that have no steps. More traces: a folder in TUNELINE_MARKED_TRACES.
#include "analysis/import/open.h"
#include "analysis/steps/steps.h"
#include "tests/unit/steps/withoutmarks.h"

#include <QDir>
#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr double kNear = 0.02; // of a step

TracePtr opened(const QString &path)
{
    Progress progress;
    const auto trace = openTrace({path.toStdString()}, progress);
    return trace ? *trace : nullptr;
}

StepSet stepsOf(const Trace &trace, std::size_t source)
{
    return findSteps(trace, NameTable(trace), SourceId{source});
}

// Begins of all steps and the end of the last, on the side that limits.
std::vector<std::int64_t> boundaries(const StepSet &set)
{
    std::vector<std::int64_t> times;
    for (const Step &s : set.list)
        times.push_back(s.start);
    times.push_back(set.end());
    return times;
}

// How far the boundaries of `found` are from the marked ones, in steps: usual ones, or where longer ones meet (they
// hold a checkpoint) the shorter of those.
double farthest(const StepSet &marked, const StepSet &found)
{
    const auto x = boundaries(marked), y = boundaries(found);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::int64_t before = i > 0 ? x[i] - x[i - 1] : x[1] - x[0];
        const std::int64_t after = i + 1 < x.size() ? x[i + 1] - x[i] : before;
        const std::int64_t step = std::max(marked.medianNs.value(), std::min(before, after));
        most = std::max(most, std::abs(static_cast<double>(x[i] - y[i])) / static_cast<double>(step));
    }
    return most;
}

void addFolder(const QString &folder, const QStringList &filters, QDir::Filters kinds = QDir::Files)
{
    for (const QString &name : QDir(folder).entryList(filters, kinds | QDir::NoDotAndDotDot))
        QTest::newRow(qPrintable(QDir(folder).dirName() + '/' + name)) << folder + '/' + name;
}

} // namespace

class TestWithoutMarks : public QObject
{
    Q_OBJECT

private slots:
    void sameSteps_data();
    void sameSteps();
    void noSteps_data();
    void noSteps();
};

void TestWithoutMarks::sameSteps_data()
{
    QTest::addColumn<QString>("path");
    addFolder(TUNELINE_SOURCE_DIR "/resources/samples", {"*.tlc.gz", "*.tlc"}, QDir::Files | QDir::Dirs);
    addFolder(TUNELINE_TEST_DATA "/pairs", {"*.tlc.gz"});
    if (const QString more = qEnvironmentVariable("TUNELINE_MARKED_TRACES"); !more.isEmpty())
        addFolder(more, {"*.json.gz", "*.tlc.gz"});
}

void TestWithoutMarks::sameSteps()
{
    QFETCH(QString, path);
    const TracePtr marked = opened(path);
    QVERIFY(marked);
    std::size_t dropped = 0;
    const TracePtr plain = withoutMarks(*marked, dropped);
    QCOMPARE(plain->events.size() + dropped, marked->events.size());
    QCOMPARE(plain->spanEnd - plain->spanBegin <= marked->spanEnd - marked->spanBegin, true);
    const std::int64_t shift = plain->baseUnixNs.value_or(0) - marked->baseUnixNs.value_or(0);
    for (std::size_t s = 0; s < marked->sources.size(); ++s) {
        const StepSet with = stepsOf(*marked, s);
        StepSet without = stepsOf(*plain, s);
        QVERIFY2(with.from == StepSource::Marker || with.from == StepSource::Optimizer, with.why.c_str());
        QVERIFY2(without.from == StepSource::Periodicity || without.from == StepSource::Optimizer, without.why.c_str());
        QCOMPARE(without.list.size(), with.list.size());
        for (Step &step : without.list) { // to the same zero
            step.start += shift;
            step.end += shift;
        }
        const double off = farthest(with, without);
        QVERIFY2(off <= kNear, qPrintable(QString("%1 of a step off").arg(off)));
    }
}

void TestWithoutMarks::noSteps_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<std::size_t>("steps");
    QTest::newRow("53: one operator again and again") << "53_no_steps.json" << std::size_t{0};
    QTest::newRow("66: no device, its mark removed") << "66_cpu_only.json" << std::size_t{1};
}

void TestWithoutMarks::noSteps()
{
    QFETCH(QString, name);
    QFETCH(std::size_t, steps);
    const TracePtr marked = opened(TUNELINE_TEST_DATA "/cases/" + name);
    QVERIFY(marked);
    std::size_t dropped = 0;
    const TracePtr plain = withoutMarks(*marked, dropped);
    QCOMPARE(stepsOf(*marked, 0).list.size(), steps); // with its marks, that is
    const StepSet set = stepsOf(*plain, 0);
    QVERIFY(set.empty());
    QVERIFY(set.from == StepSource::None);
    QVERIFY(!set.why.empty());
}

QTEST_GUILESS_MAIN(TestWithoutMarks)
#include "tst_withoutmarks.moc"
