// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/differences.h"

#include <QTest>

using namespace tuneline::analysis;

class DifferencesTest : public QObject
{
    Q_OBJECT

private slots:
    void oneKnob();
    void seedIsNoVariable();
    void prefetchFollowsTheWorkers();
    void anotherModelIsAnotherExperiment();
    void unknownIsNotDifferent();
    void readsTheMetadata();
};

void DifferencesTest::oneKnob()
{
    const BaselineRecord before{{"batch_size", "64"}, {"workers", "0"}}, after{{"batch_size", "64"}, {"workers", "2"}};
    const Differences d = findDifferences(before, after);
    QCOMPARE(d.list.size(), std::size_t(1));
    QCOMPARE(d.list[0].key, std::string("workers"));
    QCOMPARE(d.list[0].before, std::string("0"));
    QCOMPARE(d.list[0].after, std::string("2"));
    QCOMPARE(d.variables, 1U);
    QVERIFY(d.recorded);
    QVERIFY(d.comparable());
}

void DifferencesTest::seedIsNoVariable()
{
    const Differences d = findDifferences({{"batch_size", "64"}, {"seed", "1"}}, {{"batch_size", "64"}, {"seed", "2"}});
    QCOMPARE(d.list.size(), std::size_t(1));
    QCOMPARE(d.variables, 0U);
}

void DifferencesTest::prefetchFollowsTheWorkers()
{
    const BaselineRecord before{{"batch_size", "64"}, {"workers", "0"}, {"prefetch", "0"}};
    const BaselineRecord after{{"batch_size", "64"}, {"workers", "2"}, {"prefetch", "4"}};
    QCOMPARE(findDifferences(before, after).variables, 1U);
    BaselineRecord onlyPrefetch = before;
    onlyPrefetch["prefetch"] = "4";
    QCOMPARE(findDifferences(before, onlyPrefetch).variables, 1U);
}

void DifferencesTest::anotherModelIsAnotherExperiment()
{
    const Differences d = findDifferences({{"batch_size", "64"}, {"model", "cnn"}, {"a", "1"}},
                                          {{"batch_size", "64"}, {"model", "gpt"}, {"a", "2"}});
    QVERIFY(!d.comparable());
    QCOMPARE(d.list.front().key, std::string("model")); // the reason comes first
}

void DifferencesTest::unknownIsNotDifferent()
{
    // An imported trace states no knobs: nothing can be said about them.
    const Differences d = findDifferences({{"gpu", "H200"}}, {{"batch_size", "64"}, {"gpu", "H200"}});
    QVERIFY(d.list.empty());
    QVERIFY(!d.recorded);
}

void DifferencesTest::readsTheMetadata()
{
    Trace trace;
    Source source;
    source.config = {{"batch_size", "32"}};
    DeviceProperties device;
    device.name = "NVIDIA H200";
    source.devices = {device};
    source.metadataJson = R"({"torch_version": "2.11", "env": {"OMP_NUM_THREADS": "4", "LD_PRELOAD": "/x/agent.so"},
                              "session": {"git_revision": "abc"}, "pid": 7})";
    trace.sources.push_back(source);
    const BaselineRecord expected{{"batch_size", "32"},
                                  {"gpu", "NVIDIA H200"},
                                  {"torch_version", "2.11"},
                                  {"env.OMP_NUM_THREADS", "4"},
                                  {"code_revision", "abc"}};
    QCOMPARE(baselineRecord(trace), expected);

    trace.sources[0].metadataJson = "{damaged";
    QCOMPARE(baselineRecord(trace).at("batch_size"), std::string("32"));
}

QTEST_GUILESS_MAIN(DifferencesTest)
#include "tst_differences.moc"
