// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/open.h"
#include "analysis/trace/counters.h"
#include "analysis/trace/eventwaits.h"
#include "tests/unit/import/capturewriter.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <map>

using namespace tuneline;
using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kRealtimeAhead = 1'700'000'000'000'000'000; // realtime − monotonic at the first reading
constexpr std::uint32_t kThread = 4242;

format::MarkRecord mark(std::int64_t time, format::MarkKind kind, double value = 0, std::uint32_t name = 0,
                        std::uint32_t text = 0)
{
    return {time, kind, name, text, kThread, value};
}

// Three steps of 1 ms with a scope, one operator, a kernel and its launch; the last step has no end.
test::CaptureWriter sampleCapture(bool whole = true)
{
    using format::MarkKind;
    using format::RecordKind;
    test::CaptureWriter file;
    file.metadata(R"({"pid": 77, "detail": "normal", "rank": 1, "world_size": 2, "config": {"batch_size": "64"}})");
    file.strings(1, {"aten::mm", "_Z4gemmPf", "cudaLaunchKernel", "forward", "samples", "workers", "4", "main"});
    // The device clock runs ahead by 100 ns more at the second reading: drift.
    file.records<format::ClockRecord>(
        RecordKind::Clock,
        {{1'000'000 + kRealtimeAhead, 1'000'000, 1'000'000 + kRealtimeAhead, 0},
         {5'000'000 + kRealtimeAhead + 100, 5'000'000, 5'000'000 + kRealtimeAhead + 100, 0}});
    file.records<format::MarkRecord>(RecordKind::Mark,
                                     {mark(1'000'000, MarkKind::WindowBegin), mark(1'000'000, MarkKind::Step, 6),
                                      mark(2'000'000, MarkKind::Step, 7), mark(1'100'000, MarkKind::ScopeBegin, 0, 4),
                                      mark(1'600'000, MarkKind::ScopeEnd), mark(1'900'000, MarkKind::Units, 64, 5),
                                      mark(1'950'000, MarkKind::Loss, 2.5), mark(3'000'000, MarkKind::Step, 8),
                                      mark(1'000'000, MarkKind::Config, 0, 6, 7),
                                      mark(3'500'000, MarkKind::WindowEnd)});
    format::OpRecord op;
    op.start = 1'200'000;
    op.end = 1'400'000;
    op.name = 1;
    op.thread = kThread;
    op.id = 9;
    file.records<format::OpRecord>(RecordKind::Op, {op});
    file.records<format::OpDetailRecord>(RecordKind::OpDetail, {});
    format::ApiRecord api;
    api.start = 1'250'000 + kRealtimeAhead;
    api.end = 1'260'000 + kRealtimeAhead;
    api.name = 3;
    api.thread = kThread;
    api.correlation = 5;
    file.records<format::ApiRecord>(RecordKind::Api, {api});
    format::KernelRecord kernel;
    kernel.start = 5'000'000 + kRealtimeAhead + 100;
    kernel.end = kernel.start + 50'000;
    kernel.name = 2;
    kernel.stream = 7;
    kernel.correlation = 5;
    kernel.grid[0] = 132;
    kernel.grid[1] = kernel.grid[2] = 1;
    file.records<format::KernelRecord>(RecordKind::Kernel, {kernel});
    file.records<format::StepTimeRecord>(RecordKind::StepTime,
                                         {{0, 1'000'000, format::StepPhase::Before, 0},
                                          {0, 1'200'000, format::StepPhase::Inside, 0},
                                          {0, 1'000'000, format::StepPhase::After, 0}});
    file.records<format::ThreadRecord>(RecordKind::Thread, {{kThread, 8}});
    format::MemoryRecord memory;
    memory.time = 1'300'000;
    memory.bytes = 4096;
    memory.deviceType = 1;
    memory.deviceIndex = 0;
    file.records<format::MemoryRecord>(RecordKind::Memory, {memory});
    if (whole)
        file.end(20, 3);
    return file;
}

EventId find(const Trace &trace, std::string_view name)
{
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
        if (trace.name(EventId{i}) == name)
            return EventId{i};
    }
    return {};
}

} // namespace

class TestCaptureImport : public QObject
{
    Q_OBJECT
private slots:
    void recordsBecomeEvents();
    void factsAreRead();
    void slowdownIsOfTheStepsBefore();
    void opensWhenCutAtAnyByte();
    void damageIsReported();
    void newerRecordsAreRead();
    void ranksOfAFolder();
    void factsOfTheDevices();
    void countersOfTheDevices();
    void eventsJoinStreams();

private:
    Result<TracePtr> open(const std::string &bytes, const char *name = "a.tlc")
    {
        const std::filesystem::path path = std::filesystem::path(m_folder.path().toStdString()) / name;
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        Progress progress;
        return openTrace({path}, progress);
    }
    QTemporaryDir m_folder;
};

void TestCaptureImport::recordsBecomeEvents()
{
    const auto opened = open(sampleCapture().bytes());
    QVERIFY(opened);
    const Trace &trace = **opened;
    const EventId first = find(trace, "TunelineStep#6"), second = find(trace, "TunelineStep#7");
    QVERIFY(first.valid() && second.valid());
    QVERIFY(!find(trace, "TunelineStep#8").valid()); // has no end: partial
    QCOMPARE(trace.report.count("step-unfinished"), 1U);
    QCOMPARE(trace.start(first), 0);
    QCOMPARE(trace.duration(first), 1'000'000);
    QCOMPARE(trace.baseUnixNs.value_or(0), 1'000'000 + kRealtimeAhead);
    const EventId scope = find(trace, "forward"), op = find(trace, "aten::mm"), call = find(trace, "cudaLaunchKernel");
    QCOMPARE(trace.duration(scope), 500'000);
    QCOMPARE(trace.events.parent[scope.value], first);
    QCOMPARE(trace.events.parent[op.value], scope);
    QCOMPARE(trace.events.parent[call.value], op);
    const EventId kernel = find(trace, "gemm(float*)");
    QVERIFY(kernel.valid());
    QCOMPARE(trace.start(kernel), 4'000'000); // drift taken out: 5 ms of host time, less the window's start
    QCOMPARE(trace.duration(kernel), 50'000);
    QCOMPARE(trace.events.launch[kernel.value], call);
    QCOMPARE(trace.events.launch[call.value], kernel);
    QCOMPARE(trace.kernel(kernel)->grid[0], 132);
    QCOMPARE(trace.strings.view(trace.laneOf(op).thread), std::string_view("thread 4242 (main)"));
    QCOMPARE(trace.marks.size(), 2U);
    QCOMPARE(trace.marks[0].value, 64.0);
    QCOMPARE(trace.marks[0].time, 900'000);
    QCOMPARE(trace.memory.size(), 1U);
    QCOMPARE(trace.memory[0].device, 0);
    QCOMPARE(trace.memory[0].time[0], 300'000);
}

void TestCaptureImport::factsAreRead()
{
    const auto opened = open(sampleCapture().bytes());
    QVERIFY(opened);
    const Source &source = (*opened)->sources.at(0);
    QCOMPARE(source.format, SourceFormat::Tuneline);
    QCOMPARE(source.rank.value_or(-1), 1);
    QCOMPARE(source.label, std::string("rank 1"));
    QCOMPARE(source.config.at("batch_size"), std::string("64"));
    QCOMPARE(source.config.at("workers"), std::string("4"));
    QVERIFY(source.capture.complete);
    QCOMPARE(source.capture.dropped, 3U);
    QCOMPARE(source.capture.detail, std::string("normal"));
    QCOMPARE(source.capture.slowdown.value_or(0), 1.2);
    QCOMPARE(source.capture.plainStepsNs.size(), 2U);
}

// Steps after the window still pay for it: with three before it, they don't count.
void TestCaptureImport::slowdownIsOfTheStepsBefore()
{
    test::CaptureWriter file = sampleCapture(false);
    const auto step = [&](std::int64_t ns, format::StepPhase phase) { return format::StepTimeRecord{0, ns, phase, 0}; };
    file.records<format::StepTimeRecord>(
        format::RecordKind::StepTime,
        {step(1'000'000, format::StepPhase::Before), step(1'010'000, format::StepPhase::Before),
         step(1'600'000, format::StepPhase::After), step(1'700'000, format::StepPhase::After)});
    file.end(20, 3);
    const auto opened = open(file.bytes());
    QVERIFY(opened);
    QCOMPARE((*opened)->sources.at(0).capture.plainStepsNs.size(), 3U);
    QCOMPARE((*opened)->sources.at(0).capture.slowdown.value_or(0), 1.2);
}

void TestCaptureImport::factsOfTheDevices()
{
    test::CaptureWriter file = sampleCapture(false);
    file.metadata(
        R"({"nvml": {"state": "on"}, "gpus": [{"id": 0, "name": "H200", "uuid": "GPU-1", "clock_sm_max_mhz": 1980,
        "power_limit_watts": 699.5, "pcie_generation": 4, "pcie_generation_max": 5, "pcie_width": 8, "pcie_width_max": 16,
        "other_processes": 1, "processes": [{"pid": 812, "name": "blender", "used_share": 0.25}]},
        {"id": 1, "name": "H200"}, "junk"]})");
    const auto opened = open(file.bytes());
    QVERIFY(opened);
    const Source &source = (*opened)->sources.at(0);
    QCOMPARE(source.capture.nvml, std::string("on"));
    QCOMPARE(source.devices.size(), 2U);
    const DeviceProperties &device = source.devices[0];
    QCOMPARE(device.uuid, std::string("GPU-1"));
    QCOMPARE(device.smClockMaxMhz, 1980);
    QCOMPARE(device.powerLimitWatts, 699.5);
    QCOMPARE(device.pcieWidth, 8);
    QCOMPARE(device.pcieWidthMax, 16);
    QCOMPARE(device.otherProcesses, 1);
    QCOMPARE(device.processes.size(), 1U);
    QCOMPARE(device.processes[0].pid, 812);
    QCOMPARE(device.processes[0].name, std::string("blender"));
    QCOMPARE(device.processes[0].usedShare, 0.25);
    QCOMPARE(device.processes[0].memoryBytes, -1); // not stated
    QCOMPARE(source.devices[1].smClockMaxMhz, -1);
    QCOMPARE(source.devices[1].otherProcesses, -1);
}

void TestCaptureImport::countersOfTheDevices()
{
    test::CaptureWriter file = sampleCapture(false);
    file.strings(100, {"gpu0/clock/sm_mhz", "gpu0/throttle_reasons", "cpu/used_share"});
    file.records<format::CounterRecord>(format::RecordKind::Counter,
                                        {{1'500'000, 100, 0, 1980},
                                         {1'500'000, 101, 0, 0},
                                         {2'500'000, 100, 0, 1410},
                                         {2'500'000, 101, 0, 36},
                                         {2'500'000, 102, 0, 0.5}});
    const auto opened = open(file.bytes());
    QVERIFY(opened);
    const Trace &trace = **opened;
    std::map<std::string, const CounterTrack *> tracks;
    for (const CounterTrack &track : trace.counters)
        tracks[std::string(trace.strings.view(track.name))] = &track;
    const CounterTrack *clock = tracks["gpu0/clock/sm_mhz"];
    QVERIFY(clock);
    QCOMPARE(clock->time, (std::vector<std::int64_t>{500'000, 1'500'000})); // on the trace's clock
    QCOMPARE(clock->value, (std::vector<double>{1980, 1410}));
    QCOMPARE(trace.strings.view(clock->unit), std::string_view("MHz"));
    // 36 = power cap and heat: a curve for each, none for what never held.
    QVERIFY(tracks["gpu0/throttle/power_cap"] && tracks["gpu0/throttle/heat"]);
    QCOMPARE(tracks["gpu0/throttle/heat"]->value, (std::vector<double>{0, 1}));
    QVERIFY(!tracks["gpu0/throttle/hardware"]);
    QCOMPARE(counterTitle("gpu0/throttle/heat"), std::string("GPU 0 held back by heat"));
    QCOMPARE(counterTitle("gpu12/clock/sm_mhz"), std::string("GPU 12 SM clock"));
    QCOMPARE(counterTitle("gpu/clock"), std::string("gpu/clock"));
    QCOMPARE(counterMeaning("gpu12/clock/sm_mhz").device, 12);
    QVERIFY(counterMeaning("gpuX/clock/sm_mhz").kind == CounterKind::Other);
}

void TestCaptureImport::eventsJoinStreams()
{
    test::CaptureWriter file = sampleCapture(false);
    file.strings(100, {"cudaEventRecord", "cudaStreamWaitEvent"});
    const auto call = [](std::int64_t at, std::uint32_t name, std::uint32_t correlation) {
        format::ApiRecord api;
        api.start = at + kRealtimeAhead;
        api.end = api.start + 1000;
        api.name = name;
        api.thread = kThread;
        api.correlation = correlation;
        return api;
    };
    file.records<format::ApiRecord>(format::RecordKind::Api,
                                    {call(1'500'000, 100, 20), call(1'510'000, 101, 21), call(1'520'000, 100, 22),
                                     call(1'530'000, 101, 23), call(1'540'000, 101, 24)});
    file.records<format::EventRecord>(format::RecordKind::Event, {{20, 1, 7, 4}, {22, 1, 9, 4}});
    // Stream 9 waits for event 4; then stream 7 does, after it was recorded anew on 9; event 5 was never recorded.
    format::SyncRecord wait;
    wait.type = 2;
    wait.context = 1;
    std::vector<format::SyncRecord> waits;
    for (const auto &[correlation, stream, event] :
         {std::tuple(21, 9, 4), std::tuple(23, 7, 4), std::tuple(24, 7, 5)}) {
        wait.start = wait.end = 1'600'000 + kRealtimeAhead + correlation;
        wait.correlation = static_cast<std::uint32_t>(correlation);
        wait.stream = static_cast<std::uint32_t>(stream);
        wait.event = static_cast<std::uint32_t>(event);
        waits.push_back(wait);
    }
    file.records<format::SyncRecord>(format::RecordKind::Sync, waits);
    const auto opened = open(file.bytes());
    QVERIFY(opened);
    const Trace &trace = **opened;
    const std::vector<EventWait> found = eventWaits(trace);
    QCOMPARE(found.size(), 2U);
    QCOMPARE(trace.name(found[0].call), std::string_view("cudaStreamWaitEvent"));
    QCOMPARE(trace.lanes[found[0].from.value].stream.value_or(-1), 7);
    QCOMPARE(trace.lanes[found[0].to.value].stream.value_or(-1), 9);
    QCOMPARE(found[0].recordedAt, trace.start(find(trace, "cudaEventRecord")));
    QCOMPARE(trace.lanes[found[1].from.value].stream.value_or(-1), 9);
    QCOMPARE(trace.lanes[found[1].to.value].stream.value_or(-1), 7);
}

void TestCaptureImport::opensWhenCutAtAnyByte()
{
    const test::CaptureWriter file = sampleCapture();
    const std::string &bytes = file.bytes();
    std::size_t events = 0;
    for (std::size_t cut = sizeof(format::FileHeader); cut <= bytes.size(); ++cut) {
        const auto opened = open(bytes.substr(0, cut));
        QVERIFY2(opened, qPrintable(QString::number(cut)));
        const Source &source = (*opened)->sources.at(0);
        const auto &ends = file.frameEnds();
        const bool border = cut == sizeof(format::FileHeader) || std::find(ends.begin(), ends.end(), cut) != ends.end();
        QCOMPARE(source.truncated, !border);
        QCOMPARE((*opened)->report.count("file-truncated"), border ? 0U : 1U);
        QCOMPARE(source.capture.complete, cut == bytes.size());
        QVERIFY((*opened)->events.size() >= events); // more bytes never give fewer events
        events = (*opened)->events.size();
    }
    QVERIFY(events > 5);
}

void TestCaptureImport::damageIsReported()
{
    const test::CaptureWriter file = sampleCapture();
    std::string bytes = file.bytes();
    bytes[file.frameEnds()[3] + sizeof(format::FrameHeader) + sizeof(format::RecordBlock) + 4] ^= 1; // in the Op frame
    const auto opened = open(bytes);
    QVERIFY(opened);
    QCOMPARE((*opened)->report.count("frame-damaged"), 1U);
    QVERIFY(!find(**opened, "aten::mm").valid());
    QVERIFY(find(**opened, "gemm(float*)").valid()); // frames behind it are good
}

void TestCaptureImport::newerRecordsAreRead()
{
    struct LongerThread
    {
        format::ThreadRecord known{1, 1};
        std::uint64_t added = 0xFFFF;
    };
    test::CaptureWriter file;
    file.strings(1, {"worker"});
    file.records<LongerThread>(format::RecordKind::Thread, {LongerThread{}});
    file.records<format::ThreadRecord>(static_cast<format::RecordKind>(999), {{1, 2}});
    format::OpRecord op;
    op.start = 10;
    op.end = 20;
    op.name = 1;
    op.thread = 1;
    file.records<format::OpRecord>(format::RecordKind::Op, {op});
    file.end(2, 0);
    const auto opened = open(file.bytes());
    QVERIFY(opened);
    QCOMPARE((*opened)->events.size(), 1U);
    QCOMPARE((*opened)->strings.view((*opened)->lanes.at(0).thread), std::string_view("thread 1 (worker)"));
}

void TestCaptureImport::ranksOfAFolder()
{
    const std::filesystem::path folder = std::filesystem::path(m_folder.path().toStdString()) / "run.tlc";
    std::filesystem::create_directory(folder);
    for (const char *name : {"rank0.tlc", "rank1.tlc"})
        std::ofstream(folder / name, std::ios::binary) << sampleCapture().bytes();
    Progress progress;
    const auto opened = openTrace({folder}, progress);
    QVERIFY(opened);
    QCOMPARE((*opened)->sources.size(), 2U);
    QCOMPARE((*opened)->links.linked, 2U); // the same correlation in both files is not the same launch
    QCOMPARE(progress.permille.load(), 1000U);
}

QTEST_GUILESS_MAIN(TestCaptureImport)
#include "tst_captureimport.moc"
