// SPDX-License-Identifier: GPL-3.0-or-later
// Which collective is which, how far clocks are apart, who is late and why.
#include "analysis/metrics/rankcauses.h"
#include "analysis/trace/collectivematch.h"
#include "tests/unit/metrics/tracemaker.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = 1000, kMs = 1'000'000;

// Ends of collectives in steps whose lengths differ.
std::vector<std::int64_t> ends(std::size_t n, std::int64_t offset = 0)
{
    std::vector<std::int64_t> times;
    std::int64_t at = offset;
    for (std::size_t i = 0; i < n; ++i) {
        at += 10 * kMs + static_cast<std::int64_t>((i * 7919) % 13) * 100 * kUs;
        times.push_back(at);
    }
    return times;
}

// Two ranks with an all-reduce in each of six steps. Rank 1 arrives `late` µs later, and its clock is `skew` µs ahead.
void twoRanks(TraceMaker &maker, double late, double skew, const char *host = "")
{
    maker.builder().alignBy(collectiveKind);
    for (int rank = 0; rank < 2; ++rank) {
        maker.nextRank(rank);
        maker.source().host = host;
        maker.builder().setBase(SourceId{static_cast<std::uint32_t>(rank)}, 1'700'000'000'000'000'000);
        for (int i = 0; i < 6; ++i) {
            const double end = 10'000 * i + (i % 3) * 400, start = rank == 1 ? end - 100 : end - 100 - late;
            maker.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", start + rank * skew + 50'000, end - start, 0, 20);
        }
    }
}

} // namespace

class TestRanks : public QObject
{
    Q_OBJECT

private slots:
    void sameWindow();
    void windowThatBeganLater();
    void equalStepsAreTakenAsTheyAre();
    void tooFewToMatch();
    void clocksOfTwoMachines();
    void oneMachineHasOneClock();
    void gloo();
    void oneHiccupIsNoStraggler();
    void whyARankIsLate();
    void waitingOnTheHostIsCommunication();
};

void TestRanks::sameWindow()
{
    const auto match = matchCollectives(ends(20), ends(20, -3000 * kMs), false);
    QVERIFY(match);
    QCOMPARE(match->shift, 0);
    QCOMPARE(match->offsetNs, 3000 * kMs);
    QCOMPARE(match->residualNs, 0);
    QCOMPARE(match->pairs, std::size_t{20});
}

void TestRanks::windowThatBeganLater()
{
    auto later = ends(20, 500 * kMs); // its clock is ahead as well
    later.erase(later.begin(), later.begin() + 3);
    const auto match = matchCollectives(ends(20), later, false);
    QVERIFY(match);
    QCOMPARE(match->shift, 3);
    QCOMPARE(match->offsetNs, -500 * kMs);
    QCOMPARE(match->residualNs, 0);
}

void TestRanks::equalStepsAreTakenAsTheyAre()
{
    std::vector<std::int64_t> regular, apart;
    for (int i = 0; i < 10; ++i) {
        regular.push_back(i * 10 * kMs);
        apart.push_back((i + 1) * 10 * kMs + 20 * kUs);
    }
    // One clock: the second window began a step later.
    QCOMPARE(matchCollectives(regular, apart, true)->shift, 1);
    QCOMPARE(matchCollectives(regular, apart, true)->offsetNs, -20 * kUs);
    // Two clocks: as many collectives, so the same steps.
    QCOMPARE(matchCollectives(regular, apart, false)->shift, 0);
}

void TestRanks::tooFewToMatch()
{
    QVERIFY(!matchCollectives(ends(2), ends(2), false));
    QVERIFY(!matchCollectives({}, ends(5), false));
}

void TestRanks::clocksOfTwoMachines()
{
    TraceMaker maker;
    twoRanks(maker, 300, 25'000);
    const auto analysis = maker.analysis();
    const auto &moved = analysis->trace->sources[1].alignment;
    QVERIFY(moved.byCollectives);
    QCOMPARE(moved.offsetNs, -25'000 * kUs);
    QCOMPARE(moved.residualNs.value(), 0);
    QCOMPARE(moved.collectives, std::size_t{6});
    QVERIFY(!analysis->trace->sources[0].alignment.residualNs);
    QCOMPARE(analysis->trace->spanBegin, 0);
    QCOMPARE(analysis->trace->spanEnd, 50'000 * kUs + 800 * kUs + 400 * kUs); // both on one axis now
    QCOMPARE(analysis->ranks.ranks[1].clockOffsetNs, 0);
    QCOMPARE(analysis->ranks.straggler.value_or(-1), 1);
    const auto &problems = analysis->trace->report.problems();
    QVERIFY(std::any_of(problems.begin(), problems.end(), [](const auto &p) { return p.name == "ranks-aligned"; }));
}

void TestRanks::oneMachineHasOneClock()
{
    TraceMaker maker;
    twoRanks(maker, 300, 70, "gpu3"); // ends lie 70 µs apart: the collective's own way of ending
    const auto analysis = maker.analysis();
    const auto &kept = analysis->trace->sources[1].alignment;
    QVERIFY(!kept.byCollectives);
    QCOMPARE(kept.offsetNs, 0);
    QCOMPARE(kept.residualNs.value(), 70 * kUs);
}

void TestRanks::gloo()
{
    QCOMPARE(collectiveKind("gloo:all_reduce", EventKind::Range), std::string("all_reduce"));
    QCOMPARE(collectiveKind("nccl:all_reduce", EventKind::Range), std::string()); // only its launch
    QCOMPARE(collectiveKind("ncclDevKernel_AllGather_RING_LL(x)", EventKind::Kernel), std::string("AllGather"));
    QCOMPARE(collectiveKind("ampere_sgemm_128", EventKind::Kernel), std::string());
}

void TestRanks::oneHiccupIsNoStraggler()
{
    TraceMaker maker;
    for (int rank = 0; rank < 2; ++rank) {
        maker.nextRank(rank);
        for (int i = 0; i < 10; ++i) { // each is late every second time by 10 µs; rank 1 once by 2 ms
            const double late = i == 4 && rank == 1 ? 2000 : i % 2 == rank ? 10 : 0;
            maker.kernel("ncclDevKernel_AllReduce_Sum", 10'000 * i + late, 3000 - late, 0, 20);
        }
    }
    const auto analysis = maker.analysis();
    QCOMPARE(analysis->ranks.collectives.size(), std::size_t{10});
    QVERIFY(!analysis->ranks.straggler);
}

void TestRanks::whyARankIsLate()
{
    StepBreakdown usual;
    usual.computeNs = 5 * kMs;
    usual.exposedCommNs = 20 * kMs;
    usual.idle[IdleCause::InputWait] = 1 * kMs;
    StepBreakdown late = usual;
    late.exposedCommNs = 0;
    late.computeNs = 6 * kMs;
    late.idle[IdleCause::InputWait] = 20 * kMs;
    const auto cause = whyLate({usual, late, usual}, 1);
    QVERIFY(cause);
    QCOMPARE(cause->what, std::string("waiting for input"));
    QCOMPARE(cause->excessNs, 19 * kMs);
    QVERIFY(!whyLate({usual, usual}, 1)); // nothing takes longer there
    QVERIFY(!whyLate({usual, std::nullopt}, 1));
    QVERIFY(!whyLate({std::nullopt, late}, 1)); // nobody to compare with
}

void TestRanks::waitingOnTheHostIsCommunication()
{
    TraceMaker maker;
    for (int i = 0; i < 8; ++i) {
        maker.step(i, 10'000 * i, 10'000);
        maker.op("aten::mm", 10'000 * i + 100, 2900);
        maker.host(EventKind::Range, "gloo:all_reduce", 10'000 * i + 2000, 7000, 0, "2"); // 3 to 9 ms: nothing else
    }
    const auto analysis = maker.analysis();
    QVERIFY(analysis->steps.size() >= 6);
    QCOMPARE(analysis->breakdown.exposedCommNs, 6000 * kUs);
    QCOMPARE(analysis->breakdown.idle.of(IdleCause::HostOperators), 2900 * kUs);
    QCOMPARE(analysis->stepSet().bound, StepBound::Sync);
}

QTEST_GUILESS_MAIN(TestRanks)
#include "tst_ranks.moc"
