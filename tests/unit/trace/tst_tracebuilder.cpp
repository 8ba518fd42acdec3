// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/tracebuilder.h"

#include <QElapsedTimer>
#include <QTest>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

// Builds traces in few words. Times in ns; lanes by name.
class Scene
{
public:
    Scene() { m_source = builder.addSource({}); }
    RawEvent event(std::string_view name, LaneId lane, std::int64_t start, std::int64_t duration,
                   EventKind kind = EventKind::Op, std::uint64_t correlation = 0)
    {
        RawEvent e;
        e.name = builder.strings().intern(name);
        e.lane = lane;
        e.start = start;
        e.duration = duration;
        e.kind = kind;
        e.correlation = correlation;
        return e;
    }
    template <typename... Args> void add(Args... args) { builder.add(event(args...)); }
    LaneId cpu(const char *tid = "1") { return builder.lane({LaneKind::Cpu, m_source, "1", tid, {}, {}}); }
    LaneId stream(int number = 7)
    {
        return builder.lane({LaneKind::Stream, m_source, "0", std::to_string(number), 0, number});
    }
    void newSource() { m_source = builder.addSource({}); }
    [[nodiscard]] SourceId source() const { return m_source; }
    TracePtr finish()
    {
        Progress progress;
        return builder.finish(progress).value();
    }
    TraceBuilder builder;

private:
    SourceId m_source;
};

EventId find(const Trace &trace, std::string_view name, int nth = 0)
{
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
        if (trace.name(EventId{i}) == name && nth-- == 0)
            return EventId{i};
    }
    return {};
}

} // namespace

class TestTraceBuilder : public QObject
{
    Q_OBJECT
private slots:
    void nestingAndRows();
    void crossingSlicesAreKept();
    void manyCrossingSlicesAreFast();
    void depthBeyond16Bits();
    void roundedTimesStillNest();
    void correlationsOfTwoSources();
    void correlationUsedAgain();
    void orphansAndUnlinked();
    void flowsReplaceCorrelations();
    void externalIdsReplaceCorrelations();
    void forwardAndBackward();
    void visibleRange();
    void unfinishedReachesTheEnd();
    void absurdDurations();
    void twoWindowsAreNoStrays();
    void emptyTrace();
};

void TestTraceBuilder::nestingAndRows()
{
    Scene s;
    s.add("b", s.cpu(), 20, 10); // out of order on purpose
    s.add("inner", s.cpu(), 2, 3);
    s.add("a", s.cpu(), 0, 10);
    s.add("same", s.cpu(), 0, 10, EventKind::Runtime); // equal times: an API call is inside an operator
    const TracePtr trace = s.finish();
    QCOMPARE(trace->events.parent[find(*trace, "same").value], find(*trace, "a"));
    QCOMPARE(trace->events.parent[find(*trace, "inner").value], find(*trace, "same"));
    QCOMPARE(int{trace->events.depth[find(*trace, "inner").value]}, 2);
    QVERIFY(!trace->events.parent[find(*trace, "b").value].valid());
    QCOMPARE(trace->lanes[0].depth, 3U);
    QCOMPARE(trace->lanes[0].busyNs, 20);
    QCOMPARE(trace->lanes[0].overlaps, 0U);
}

void TestTraceBuilder::crossingSlicesAreKept()
{
    Scene s;
    s.add("outer", s.cpu(), 0, 100);
    s.add("first", s.cpu(), 10, 20);
    s.add("crossing", s.cpu(), 20, 20);
    s.add("inside", s.cpu(), 25, 2); // in both: the later one is the inner one
    s.add("after", s.cpu(), 50, 5);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->lanes[0].overlaps, 1U);
    QCOMPARE(trace->report.count("overlap"), 1U);
    QCOMPARE(trace->events.parent[find(*trace, "crossing").value], find(*trace, "outer"));
    QCOMPARE(trace->events.parent[find(*trace, "inside").value], find(*trace, "crossing"));
    QVERIFY(trace->events.depth[find(*trace, "crossing").value] != trace->events.depth[find(*trace, "first").value]);
    QCOMPARE(int{trace->events.depth[find(*trace, "after").value]}, 1);
    QCOMPARE(trace->lanes[0].busyNs, 100);
}

void TestTraceBuilder::manyCrossingSlicesAreFast()
{
    Scene s;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i)
        s.add("x", s.cpu(), i, kCount); // each crosses all before it
    QElapsedTimer timer;
    timer.start();
    const TracePtr trace = s.finish();
    QVERIFY2(timer.elapsed() < 20000, "the layout must not be quadratic");
    QCOMPARE(trace->lanes[0].overlaps, std::uint32_t{kCount - 1});
    QCOMPARE(trace->events.size(), std::size_t{kCount});
}

void TestTraceBuilder::depthBeyond16Bits()
{
    Scene s;
    constexpr int kDepth = 70000;
    for (int i = 0; i < kDepth; ++i)
        s.add("x", s.cpu(), i, 2 * kDepth - 2 * i);
    const TracePtr trace = s.finish();
    QCOMPARE(int{trace->events.depth[kDepth - 1]}, 0xFFFF);
    QCOMPARE(trace->events.parent[kDepth - 1], EventId{std::uint32_t{kDepth - 2}});
}

void TestTraceBuilder::roundedTimesStillNest()
{
    Scene s;
    s.add("outer", s.cpu(), 1000, 9000);
    s.add("inner", s.cpu(), 5000, 6000); // sticks out by 1 us: both were rounded down
    const TracePtr rounded = s.finish();
    QCOMPARE(rounded->events.parent[find(*rounded, "inner").value], find(*rounded, "outer"));
    QCOMPARE(rounded->lanes[0].overlaps, 0U);
    s = Scene();
    s.add("outer", s.cpu(), 1001, 9000);
    s.add("inner", s.cpu(), 5000, 6000);
    const TracePtr exact = s.finish();
    QCOMPARE(exact->lanes[0].overlaps, 1U);
}

void TestTraceBuilder::correlationsOfTwoSources()
{
    Scene s;
    s.add("call 0", s.cpu(), 10, 5, EventKind::Runtime, 9);
    s.add("kernel 0", s.stream(), 20, 5, EventKind::Kernel, 9);
    s.newSource();
    s.add("call 1", s.cpu(), 11, 5, EventKind::Runtime, 9);
    s.add("kernel 1", s.stream(), 21, 5, EventKind::Kernel, 9);
    const TracePtr trace = s.finish();
    for (const char *number : {"0", "1"}) {
        const EventId call = find(*trace, std::string("call ") + number),
                      kernel = find(*trace, std::string("kernel ") + number);
        QCOMPARE(trace->events.launch[kernel.value], call);
        QCOMPARE(trace->deviceRecordsOf(call).size(), 1U);
        QCOMPARE(trace->deviceRecordsOf(call)[0], kernel);
    }
}

void TestTraceBuilder::correlationUsedAgain()
{
    Scene s;
    for (const std::int64_t at : {0, 1000, 2000}) {
        s.add("call", s.cpu(), at, 5, EventKind::Runtime, 3);
        s.add("kernel", s.stream(), at + 20, 5, EventKind::Kernel, 3);
    }
    const TracePtr trace = s.finish();
    for (int i = 0; i < 3; ++i)
        QCOMPARE(trace->events.launch[find(*trace, "kernel", i).value], find(*trace, "call", i));
}

void TestTraceBuilder::orphansAndUnlinked()
{
    Scene s;
    s.add("early", s.stream(), 5, 5, EventKind::Kernel, 1); // launched before the window
    s.add("unknown", s.stream(), 12, 2, EventKind::Kernel, 0); // nothing is known about its launch
    s.add("call", s.cpu(), 10, 5, EventKind::Runtime, 2);
    s.add("linked", s.stream(), 20, 5, EventKind::Kernel, 2);
    s.add("late", s.stream(), 30, 5, EventKind::Kernel, 4); // its launch is missing in the middle
    s.add("cudaLaunchKernel", s.cpu(), 40, 5, EventKind::Runtime, 7);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->links.orphans, 1U);
    QCOMPARE(trace->links.unlinked, 2U);
    QCOMPARE(trace->links.linked, 1U);
    QCOMPARE(trace->links.launchesWithoutWork, 1U);
    QVERIFY(trace->hasFlag(find(*trace, "early"), EventFlag::kOrphan));
    QVERIFY(!trace->hasFlag(find(*trace, "late"), EventFlag::kOrphan));
}

void TestTraceBuilder::flowsReplaceCorrelations()
{
    Scene s;
    const LaneId cpu = s.cpu(), stream = s.stream();
    s.add("launch", cpu, 10, 5, EventKind::Runtime);
    s.add("kernel", stream, 20, 5, EventKind::Kernel);
    s.builder.addFlow({77, 10, cpu, RawFlow::Type::Launch, true});
    s.builder.addFlow({77, 20, stream, RawFlow::Type::Launch, false});
    s.builder.addFlow({78, 20, stream, RawFlow::Type::Launch, false}); // without a beginning
    const TracePtr trace = s.finish();
    QCOMPARE(trace->events.launch[find(*trace, "kernel").value], find(*trace, "launch"));
    QVERIFY(trace->hasFlag(find(*trace, "kernel"), EventFlag::kGuessedLink));
}

void TestTraceBuilder::externalIdsReplaceCorrelations()
{
    Scene s;
    RawEvent op = s.event("op", s.cpu(), 10, 5), kernel = s.event("kernel", s.stream(), 20, 5, EventKind::Kernel),
             other = s.event("other", s.stream(), 30, 5, EventKind::Kernel);
    op.externalId = kernel.externalId = 5;
    for (const RawEvent &e : {op, kernel, other})
        s.builder.add(e);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->events.launch[find(*trace, "kernel").value], find(*trace, "op"));
    QVERIFY(!trace->events.launch[find(*trace, "other").value].valid()); // external id 0 is none
}

void TestTraceBuilder::forwardAndBackward()
{
    Scene s;
    const auto add = [&](const char *name, LaneId lane, std::int64_t start, std::int64_t sequence,
                         std::int64_t forwardThread) {
        RawEvent e = s.event(name, lane, start, 100);
        OpDetail detail;
        detail.sequence = sequence;
        detail.forwardThread = forwardThread;
        e.detail = s.builder.addOp(detail);
        s.builder.add(e);
    };
    add("aten::linear", s.cpu(), 0, 8, -1);
    add("aten::relu", s.cpu(), 200, 9, -1);
    add("ReluBackward0", s.cpu("2"), 1000, 9, 1);
    add("AddmmBackward0", s.cpu("2"), 1200, 8, 1);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->forwardBackward.size(), 2U);
    QCOMPARE(trace->name(trace->forwardBackward[0].forward), std::string_view("aten::linear"));
    QCOMPARE(trace->name(trace->forwardBackward[0].backward), std::string_view("AddmmBackward0"));
}

void TestTraceBuilder::visibleRange()
{
    Scene s;
    s.add("long", s.cpu(), 0, 1000);
    for (int i = 0; i < 10; ++i)
        s.add("short", s.cpu(), i * 100, 10);
    s.add("next", s.cpu(), 2000, 10);
    const TracePtr trace = s.finish();
    const Lane &lane = trace->lanes[0];
    QCOMPARE(trace->visible(lane, 450, 460).first, lane.first); // the long one is seen
    QCOMPARE(trace->visible(lane, 1500, 1600).first, trace->visible(lane, 1500, 1600).second);
    QCOMPARE(trace->visible(lane, 1990, 2500).second, lane.first + lane.count);
    QCOMPARE(trace->visible(lane, 1990, 2500).first, find(*trace, "next").value);
}

void TestTraceBuilder::unfinishedReachesTheEnd()
{
    Scene s;
    RawEvent open = s.event("open", s.cpu(), 100, 0);
    open.flags = EventFlag::kUnfinished;
    s.builder.add(open);
    s.add("last", s.cpu("2"), 500, 40);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->end(find(*trace, "open")), trace->spanEnd);
    QCOMPARE(trace->spanEnd, 440);
}

void TestTraceBuilder::absurdDurations()
{
    Scene s;
    s.add("good", s.cpu(), 0, 1000);
    s.add("negative", s.cpu(), 10, -5);
    s.add("wrapped", s.cpu(), 20, std::numeric_limits<std::int64_t>::max());
    s.add("years", s.cpu(), 30, 365 * 24 * kHour);
    s.add("far", s.cpu(), std::numeric_limits<std::int64_t>::max() - 5, 10);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->report.count("duration-invalid"), 2U);
    QCOMPARE(trace->report.count("duration-clipped"), 1U);
    QCOMPARE(trace->report.count("timestamp-invalid"), 1U);
    QCOMPARE(trace->spanEnd, 1000);
    QCOMPARE(trace->end(find(*trace, "years")), 1000);
    QCOMPARE(trace->duration(find(*trace, "negative")), 0);
}

void TestTraceBuilder::twoWindowsAreNoStrays()
{
    Scene s;
    for (int i = 0; i < 100; ++i) {
        s.add("first", s.cpu(), i * 1000, 10);
        s.add("second", s.cpu(), 2 * kHour + i * 1000, 10);
    }
    s.add("stray", s.cpu(), 5 * kHour, 10);
    const TracePtr trace = s.finish();
    QCOMPARE(trace->report.count("stray-event"), 1U);
    QVERIFY(trace->hasFlag(find(*trace, "stray"), EventFlag::kStray));
    QVERIFY(trace->spanEnd > 2 * kHour && trace->spanEnd < 3 * kHour);
}

void TestTraceBuilder::emptyTrace()
{
    Scene s;
    const TracePtr trace = s.finish();
    QCOMPARE(trace->events.size(), 0U);
    QCOMPARE(trace->spanBegin, trace->spanEnd);
    QVERIFY(!trace->baseUnixNs);
}

QTEST_GUILESS_MAIN(TestTraceBuilder)
#include "tst_tracebuilder.moc"
