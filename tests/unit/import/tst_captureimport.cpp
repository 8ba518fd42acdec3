// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/open.h"
#include "tests/unit/import/capturewriter.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

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
    void opensWhenCutAtAnyByte();
    void damageIsReported();
    void newerRecordsAreRead();
    void ranksOfAFolder();

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
