// SPDX-License-Identifier: GPL-3.0-or-later
// One device against two, by hand-made steps: efficiency in closed form, the cause by its name.
#include "analysis/compare/scaling.h"

#include "analysis/compare/compare.h"
#include "analysis/report/comparereport.h"
#include "tests/unit/findings/scene.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;

namespace {

constexpr double kCompute = 1600; // µs on each device

struct Rank
{
    double input = 50; // µs until the batch is there
    double compute = kCompute;
};

// Steps of `length` µs: input, compute, then a collective up to 100 µs before the end where there are several ranks.
ComparedRun run(const std::vector<Rank> &ranks, double length, const char *batch = "32")
{
    Scene s;
    if (batch)
        s.config("batch_size", batch);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        s.beginRank(static_cast<int>(r));
        s.steps(6, length, [&](double t) {
            s.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t, ranks[r].input);
            const double at = t + ranks[r].input;
            s.op("aten::relu", at, 20);
            s.kernel("void at::native::big_kernel", at + 2, 5, at + 10, ranks[r].compute);
            const double end = at + 11 + ranks[r].compute;
            if (ranks.size() > 1)
                s.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", at + 30, 5, end,
                         t + length - 100 - end);
            s.call("cudaDeviceSynchronize", at + 60, t + length - 90 - (at + 60));
        });
    }
    const AnalysisPtr analysis = s.analysis();
    return {analysis, std::make_shared<const Advice>(advise(*analysis))};
}

const FindingChange *findingIn(const Comparison &c)
{
    const auto it =
        std::find_if(c.findings.begin(), c.findings.end(), [](const FindingChange &f) { return f.rule == "scaling"; });
    return it == c.findings.end() ? nullptr : &*it;
}

} // namespace

class ScalingTest : public QObject
{
    Q_OBJECT

private slots:
    void communicationIsNamed();
    void nearMissIsNoFinding();
    void stragglerIsNamed();
    void inputIsNamed();
    void unitsOfWorkCount();
    void eitherSideMayBeTheLarger();
    void sameNumberOfDevicesHasNone();
    void unknownWorkIsSaid();
    void noVerdictByStepTime();
    void otherWorldsHaveNoVerdictEither();
    void inTheReport();
};

// 1,800 µs alone and 2,400 µs each on two devices: 1.5 times the throughput.
void ScalingTest::communicationIsNamed()
{
    const Comparison c = compare({run({{}}, 1800)}, {run({{}, {}}, 2400)});
    QVERIFY(c.scaling);
    QCOMPARE(c.scaling->devices, 2);
    QVERIFY(std::abs(c.scaling->efficiency - 0.75) < 0.01);
    QVERIFY(std::abs(c.scaling->speedup - 1.5) < 0.02);
    QCOMPARE(c.scaling->cause, std::string("comm-exposed"));
    const FindingChange *f = findingIn(c);
    QVERIFY(f);
    QVERIFY(std::abs(f->afterShare - 0.25) < 0.01);
    QVERIFY(f->title.find('{') == std::string::npos);
}

void ScalingTest::nearMissIsNoFinding()
{
    const Comparison c = compare({run({{}}, 1800)}, {run({{}, {}}, 1900)});
    QVERIFY(c.scaling);
    QVERIFY(std::abs(c.scaling->efficiency - 1800.0 / 1900) < 0.01);
    QVERIFY(!findingIn(c));
}

// The first rank is done at once and waits 600 µs for the second.
void ScalingTest::stragglerIsNamed()
{
    const Comparison c = compare({run({{}}, 1800)}, {run({{}, {50, kCompute + 600}}, 2420)});
    QVERIFY(c.scaling);
    QCOMPARE(c.scaling->cause, std::string("straggler"));
}

void ScalingTest::inputIsNamed()
{
    const Comparison c = compare({run({{}}, 1800)}, {run({{850}, {850}}, 2620)});
    QVERIFY(c.scaling);
    QCOMPARE(c.scaling->cause, std::string("input-wait"));
}

// Half the batch on each device: the same step time is half the throughput of each.
void ScalingTest::unitsOfWorkCount()
{
    const auto s = compare({run({{}}, 1900, "32")}, {run({{}, {}}, 1900, "16")}).scaling;
    QVERIFY(s);
    QVERIFY(std::abs(s->efficiency - 0.5) < 0.01);
    QVERIFY(!s->sameWorkAssumed);
}

void ScalingTest::eitherSideMayBeTheLarger()
{
    const Comparison c = compare({run({{}, {}}, 2400)}, {run({{}}, 1800)});
    QVERIFY(c.scaling);
    QVERIFY(std::abs(c.scaling->efficiency - 0.75) < 0.01);
}

void ScalingTest::sameNumberOfDevicesHasNone()
{
    QVERIFY(!compare({run({{}}, 1800)}, {run({{}}, 2400)}).scaling);
    QVERIFY(!compare({run({{}, {}}, 1800)}, {run({{}, {}}, 2400)}).scaling);
}

void ScalingTest::unknownWorkIsSaid()
{
    const auto s = compare({run({{}}, 1800, nullptr)}, {run({{}, {}}, 2400, nullptr)}).scaling;
    QVERIFY(s);
    QVERIFY(s->sameWorkAssumed);
    QVERIFY(scalingText(*s).find("units of work are not recorded") != std::string::npos);
}

// Longer steps on more devices are no regression, shorter ones on fewer confirm nothing.
void ScalingTest::noVerdictByStepTime()
{
    const ComparedRun one = run({{}}, 1800), two = run({{}, {}}, 2400);
    for (const Comparison &c : {compare({one}, {two}), compare({two}, {one})}) {
        QCOMPARE(toText(c.verdict), "not-comparable");
        QVERIFY(!c.comparable);
        QCOMPARE(c.differences.front().key, std::string("world_size"));
        QVERIFY(c.differences.front().decisive);
        QVERIFY2(c.why.find("scaling efficiency, 75 %") != std::string::npos, c.why.c_str());
        QVERIFY(!c.prediction);
    }
    const Comparison equal = compare({two}, {run({{}, {}}, 2400)});
    QVERIFY(equal.comparable);
    QCOMPARE(toText(compare({one}, {run({{}}, 2400, "64")}).verdict), "confirmed"); // by unit of work
}

void ScalingTest::otherWorldsHaveNoVerdictEither()
{
    const Comparison c = compare({run({{}, {}}, 1900)}, {run({{}, {}, {}}, 2400)});
    QVERIFY(!c.scaling);
    QCOMPARE(toText(c.verdict), "not-comparable");
    QVERIFY2(c.why.find("on 2 and 3 devices") != std::string::npos, c.why.c_str());
}

void ScalingTest::inTheReport()
{
    const Comparison c = compare({run({{}}, 1800)}, {run({{}, {}}, 2400)});
    const nlohmann::json json = compareJson(c);
    QCOMPARE(json["scaling"]["devices"].get<int>(), 2);
    QCOMPARE(json["scaling"]["cause"].get<std::string>(), std::string("comm-exposed"));
    QVERIFY(compareText(c).find("Scaling efficiency 75 %") != std::string::npos);
    QVERIFY(compareJson(compare({run({{}}, 1800)}, {run({{}}, 1800)}))["scaling"].is_null());
}

QTEST_GUILESS_MAIN(ScalingTest)
#include "tst_scaling.moc"
