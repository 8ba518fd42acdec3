// SPDX-License-Identifier: GPL-3.0-or-later
// The rule `clocks` on what NVML says in a capture: held back, slow, shared, and what looks like it and is none.
#include "analysis/findings/gpustate.h"
#include "tests/unit/findings/scene.h"

#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr double kAbsent = -1;

struct Gpu
{
    double clock = 1980, reasons = 0; // of every sample but the first; kAbsent: no such counter
    double firstClock = 1980, firstReasons = 0;
    int otherProcesses = 0;
    std::vector<DeviceProcess> processes;
};

void counter(Scene &s, const std::string &name, double first, double rest)
{
    if (rest == kAbsent)
        return;
    CounterTrack &track = s.builder().counter(s.source(), name);
    for (int i = 0; i < 5; ++i) {
        track.time.push_back((100 + 2000 * i) * 1000);
        track.value.push_back(i == 0 ? first : rest);
    }
}

Advice adviceOn(const Gpu &gpu)
{
    Scene s;
    s.steps(5, 2000, [&](double t) {
        s.op("aten::relu", t, 20);
        s.kernel("void at::native::big_kernel", t + 2, 5, t + 10, 1980);
        s.call("cudaDeviceSynchronize", t + 25, 1970);
    });
    DeviceProperties &device = s.builder().source(s.source()).devices.front();
    device.smClockMaxMhz = 1980;
    device.powerLimitWatts = 700;
    device.otherProcesses = gpu.otherProcesses;
    device.processes = gpu.processes;
    counter(s, "gpu0/clock/sm_mhz", gpu.firstClock, gpu.clock);
    counter(s, "gpu0/throttle_reasons", gpu.firstReasons, gpu.reasons);
    counter(s, "gpu0/temperature_c", 60, 87);
    counter(s, "gpu0/clock/memory_mhz", 1000, 3201); // no matter
    return s.advice();
}

std::string found(const Advice &advice)
{
    const Finding *f = findingOf(advice, "clocks");
    return f ? f->explanation : "";
}

std::string fine(const Advice &advice)
{
    const CheckedRule *checked = checkOf(advice, "clocks");
    return checked && checked->result == CheckResult::Fine ? checked->why : "";
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

#define VERIFY_CONTAINS(TEXT, PART) QVERIFY2(contains(TEXT, PART), (TEXT).c_str())

class TestClocks : public QObject
{
    Q_OBJECT

private slots:
    void fullSpeedIsFine()
    {
        const std::string why = fine(adviceOn({}));
        VERIFY_CONTAINS(why, "GPU 0 at 1,980 MHz of 1,980 MHz, not held back, not shared");
    }

    void heatIsARiskAtAnyClock()
    {
        Gpu gpu;
        gpu.reasons = 32;
        const Advice advice = adviceOn(gpu);
        const std::string what = found(advice);
        VERIFY_CONTAINS(what, "held back by heat in 80 %");
        VERIFY_CONTAINS(what, "up to 87 °C");
        QCOMPARE(findingOf(advice, "clocks")->severity, FindingSeverity::Risk);
    }

    void powerLimitThatCostsClock()
    {
        Gpu gpu;
        gpu.reasons = 4;
        gpu.clock = 1410;
        const Advice advice = adviceOn(gpu);
        VERIFY_CONTAINS(found(advice), "its power limit in 80 % of the samples; it runs at 1,410 MHz of 1,980 MHz");
        VERIFY_CONTAINS(found(advice), "(limit 700 W)");
        QVERIFY(qAbs(findingOf(advice, "clocks")->share - (1 - 1410.0 / 1980)) < 0.001);
    }

    void powerLimitAtFullClockIsFullLoad()
    {
        Gpu gpu;
        gpu.reasons = 4;
        gpu.clock = 1950;
        QCOMPARE(found(adviceOn(gpu)), std::string());
    }

    void aSettingIsNamed()
    {
        Gpu gpu;
        gpu.clock = gpu.firstClock = 1200;
        gpu.reasons = gpu.firstReasons = 2;
        VERIFY_CONTAINS(found(adviceOn(gpu)), "1,200 MHz of 1,980 MHz because of a clock setting");
    }

    void idleClocksDontCount()
    {
        Gpu gpu;
        gpu.firstClock = 345;
        gpu.firstReasons = 1; // nothing to do yet
        QCOMPARE(found(adviceOn(gpu)), std::string());
    }

    void aDipIsAFinding()
    {
        Gpu gpu;
        gpu.firstClock = 1200;
        VERIFY_CONTAINS(found(adviceOn(gpu)), "falls to 1,200 MHz of 1,980 MHz");
    }

    void withoutReasonsTheClockStillCounts()
    {
        Gpu gpu;
        gpu.reasons = kAbsent;
        VERIFY_CONTAINS(fine(adviceOn(gpu)), "throttle reasons not known");
        gpu.clock = gpu.firstClock = 1500;
        VERIFY_CONTAINS(found(adviceOn(gpu)), "1,500 MHz of 1,980 MHz, for no reason that NVML gives");
    }

    void anotherProcessIsNamed()
    {
        Gpu gpu;
        gpu.otherProcesses = 1;
        gpu.processes = {{812, "blender", 3'000'000'000, 0.37}};
        const Advice advice = adviceOn(gpu);
        VERIFY_CONTAINS(found(advice), "GPU 0 is shared with blender (pid 812, 3.00 GB, up to 37 % of the time)");
        QCOMPARE(findingOf(advice, "clocks")->share, 0.37);
    }

    void aNeighbourThatOnlyHoldsMemoryIsNoFinding()
    {
        Gpu gpu;
        gpu.otherProcesses = 1;
        gpu.processes = {{812, "notebook", 3'000'000'000, 0}};
        const Advice advice = adviceOn(gpu);
        QCOMPARE(found(advice), std::string());
        VERIFY_CONTAINS(fine(advice), "notebook (pid 812, 3.00 GB, idle)");
    }

    void invisibleNeighboursAreCounted()
    {
        Gpu gpu;
        gpu.otherProcesses = 2;
        VERIFY_CONTAINS(found(adviceOn(gpu)), "2 other processes (not visible from this container)");
    }

    // Another user of CUPTI is the business of capture-quality: its figures of the device are missing, not zero.
    void whoHoldsCuptiIsNamed()
    {
        Scene s;
        s.steps(5, 2000, [&](double t) { s.op("aten::relu", t, 1900); });
        Source &source = s.builder().source(s.source());
        source.format = SourceFormat::Tuneline;
        source.rank = 1;
        source.metadataJson =
            R"({"cupti": {"state": "busy", "message": "CUPTI is in use by Nsight: this capture has no GPU records"}})";
        const Advice advice = s.advice();
        const Finding *f = findingOf(advice, "capture-quality");
        QVERIFY(f);
        VERIFY_CONTAINS(f->explanation, "rank 1: CUPTI is in use by Nsight");
        QCOMPARE(advice.capture.verdict, CaptureVerdict::Limited);
    }

    void withoutFiguresNothingIsClaimed()
    {
        Gpu gpu;
        gpu.clock = gpu.reasons = kAbsent;
        Scene s;
        s.steps(5, 2000, [&](double t) { s.op("aten::relu", t, 1900); });
        s.builder().source(s.source()).capture.nvml = "NVML can't be used: Driver/library version mismatch";
        const Advice advice = s.advice();
        const CheckedRule *checked = checkOf(advice, "clocks");
        QVERIFY(checked);
        QCOMPARE(checked->result, CheckResult::NotMeasurable);
        VERIFY_CONTAINS(checked->why, "version mismatch");
    }
};

QTEST_GUILESS_MAIN(TestClocks)
#include "tst_clocks.moc"
