// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers must make of each synthetic case in tests/data/cases (EXPECTED.md there says why).
#include "analysis/import/open.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = 1000;

// Short words for questions to a trace.
class Asked
{
public:
    explicit Asked(const Trace &trace)
        : m_trace(trace)
    { }
    [[nodiscard]] std::size_t events() const { return m_trace.events.size(); }
    [[nodiscard]] std::size_t ofKind(EventKind kind) const
    {
        return static_cast<std::size_t>(std::count(m_trace.events.kind.begin(), m_trace.events.kind.end(), kind));
    }
    [[nodiscard]] std::uint64_t problem(std::string_view name) const { return m_trace.report.count(name); }
    [[nodiscard]] std::size_t lanes(LaneKind kind) const
    {
        return static_cast<std::size_t>(
            std::count_if(m_trace.lanes.begin(), m_trace.lanes.end(), [&](const Lane &l) { return l.kind == kind; }));
    }
    [[nodiscard]] std::uint64_t overlaps() const
    {
        return std::accumulate(m_trace.lanes.begin(), m_trace.lanes.end(), std::uint64_t{0},
                               [](auto sum, const Lane &l) { return sum + l.overlaps; });
    }
    [[nodiscard]] EventId find(std::string_view name) const
    {
        for (std::uint32_t i = 0; i < m_trace.events.size(); ++i) {
            if (m_trace.name(EventId{i}) == name)
                return EventId{i};
        }
        return {};
    }
    [[nodiscard]] std::int64_t length(std::string_view name) const
    {
        return find(name).valid() ? m_trace.duration(find(name)) : -1;
    }
    [[nodiscard]] std::int64_t start(std::string_view name) const { return m_trace.start(find(name)); }
    [[nodiscard]] std::string_view parent(std::string_view name) const
    {
        const EventId e = m_trace.events.parent[find(name).value];
        return e.valid() ? m_trace.name(e) : std::string_view();
    }
    [[nodiscard]] std::string_view launch(std::string_view name) const
    {
        const EventId e = m_trace.events.launch[find(name).value];
        return e.valid() ? m_trace.name(e) : std::string_view();
    }
    [[nodiscard]] bool flag(std::string_view name, std::uint8_t bit) const { return m_trace.hasFlag(find(name), bit); }
    [[nodiscard]] std::int64_t busy(LaneKind kind) const
    {
        return std::accumulate(m_trace.lanes.begin(), m_trace.lanes.end(), std::int64_t{0},
                               [&](auto sum, const Lane &l) { return l.kind == kind ? sum + l.busyNs : sum; });
    }
    const Trace *operator->() const { return &m_trace; }

private:
    const Trace &m_trace;
};

struct Check
{
    const char *file;
    const char *what;
    std::function<bool(const Asked &)> holds;
};

using Kind = EventKind;

const std::vector<Check> kChecks{
    {"01_backslash.json", "the path keeps its backslashes",
     [](const Asked &t) { return t.events() == 3 && t.find("C:\\proj\\train.py(12): step").valid(); }},
    {"01_backslash.json", "one repair, at line 5",
     [](const Asked &t) {
         return t.problem("string-repaired") == 1 && t->report.problems().at(0).examples.at(0).line == 5;
     }},
    {"02_quote.json", "the name ends at the next key",
     [](const Asked &t) {
         return t.events() == 3 && t.find("{\"device\": \"cpu\", \"mode\": \"x\"}(7): run").valid()
             && t.problem("string-repaired") == 1;
     }},
    {"04_inf_nan.json", "infinity is unknown",
     [](const Asked &t) {
         return t.events() == 2 && std::isnan(t->copies.at(0).gigabytesPerSecond)
             && t->copies.at(1).gigabytesPerSecond == 2.0F && t.problem("number-invalid") == 1;
     }},
    {"06_truncated.json", "what is whole is there",
     [](const Asked &t) {
         return t.events() == 4 && t->sources[0].truncated && t.problem("file-truncated") == 1
             && t.lanes(LaneKind::Stream) == 1;
     }},
    {"08_one_bad_event.json", "one event is skipped",
     [](const Asked &t) { return t.events() == 2 && t.problem("event-skipped") == 1; }},
    {"09_bom_utf8.json", "a byte order mark is no fault",
     [](const Asked &t) { return t.events() == 1 && t->report.problems().empty(); }},
    {"10_utf16le.json", "UTF-16 is converted",
     [](const Asked &t) {
         return t.events() == 1 && t.find("aten::add").valid() && t.problem("encoding-converted") == 1;
     }},
    {"11_concatenated.json", "two documents are two sources",
     [](const Asked &t) {
         return t->sources.size() == 2 && t.problem("second-document") == 1 && t.lanes(LaneKind::Cpu) == 2;
     }},
    {"12_multi_member.json.gz", "all members are read",
     [](const Asked &t) { return t.events() == 3 && t->report.problems().empty(); }},
    {"14_gzip_named.json", "gzip is found by content", [](const Asked &t) { return t.events() == 3; }},
    {"14_plain_named.json.gz", "plain text too", [](const Asked &t) { return t.events() == 3; }},
    {"15_bracket_in_tracename.json", "brackets in a string are no brackets",
     [](const Asked &t) { return t.events() == 1 && t->report.problems().empty() && !t->sources[0].truncated; }},
    {"17_header_after_events.json", "a base behind the events counts",
     [](const Asked &t) { return t->baseUnixNs.value_or(0) + t->spanBegin == 1700000000001000500; }},
    {"18_duplicate_key.json", "the last value wins",
     [](const Asked &t) { return t->lanes.size() == 1 && t->lanes[0].stream == 20; }},
    {"20_string_ts.json", "texts are numbers, to the ns",
     [](const Asked &t) {
         return t.start("aclnnMul") == t.length("aclnnAdd") && t.length("aclnnMul") == 2380 && t.overlaps() == 0;
     }},
    {"22_ns_precision.json", "no digit is lost",
     [](const Asked &t) {
         return t.start("k1") == 1250 && t.start("k2") == 3251 && t.busy(LaneKind::Stream) == 4750 && t.overlaps() == 0
             && t->baseUnixNs == 1712195495406752750;
     }},
    {"25_tid0_tid1.json", "0 and 1 are different rows",
     [](const Asked &t) {
         return t.lanes(LaneKind::Cpu) == 3 && t.lanes(LaneKind::Stream) == 2 && t.problem("overlap") == 0;
     }},
    {"26_same_tid_two_pids.json", "rows of two processes don't nest",
     [](const Asked &t) { return t.lanes(LaneKind::Cpu) == 2 && t.parent("worker_fetch").empty(); }},
    {"28_missing_name_pid.json", "names and pids may be missing",
     [](const Asked &t) {
         return t.events() == 2 && t->lanes.size() == 1 && t->strings.view(t->lanes[0].thread) == "block 0"
             && t.find("(no name)").valid() && t->counters.at(0).value.at(0) == 3;
     }},
    {"29_begin_end.json", "begins and ends pair",
     [](const Asked &t) { return t.length("E1") == 50 * kUs && t.length("E2") == 20 * kUs && t.parent("E2") == "E1"; }},
    {"29_begin_end.json", "what doesn't pair is counted",
     [](const Asked &t) {
         return t.problem("end-without-begin") == 1 && t.problem("begin-without-end") == 1 && t.length("E3") == 10 * kUs
             && t.flag("E3", EventFlag::kUnfinished) && t.parent("E4") == "E3";
     }},
    {"31_missing_dur.json", "no duration is not 0",
     [](const Asked &t) {
         return t.flag("k0", EventFlag::kNoDuration) && !t.flag("k1", EventFlag::kNoDuration)
             && t.problem("duration-invalid") == 1;
     }},
    {"32_async_counter.json", "async slices may overlap",
     [](const Asked &t) {
         return t.ofKind(Kind::Async) == 2 && t.problem("overlap") == 0 && t->lanes.at(0).depth == 2
             && t->counters.size() == 1 && t->counters[0].value == std::vector<double>{0.5, 1.0};
     }},
    {"33_overlap_same_stream.json", "overlaps are kept",
     [](const Asked &t) {
         return t.ofKind(Kind::Kernel) == 3 && t.busy(LaneKind::Stream) == 9 * kUs && t.overlaps() == 1
             && t->lanes.at(0).depth == 2;
     }},
    {"34_kernel_before_launch.json", "a skewed pair stays linked",
     [](const Asked &t) {
         return t->links.linked == 2 && t->links.clockSkew == 1
             && t.launch("ncclDevKernel_SendRecv") == "cudaLaunchKernelExC"
             && t.flag("ncclDevKernel_SendRecv", EventFlag::kClockSkew);
     }},
    {"35_ts_zero.json", "lost times don't stretch the trace",
     [](const Asked &t) {
         return t->spanEnd - t->spanBegin == 140 * kUs && t.problem("timestamp-invalid") == 2
             && t.flag("g1", EventFlag::kNoTimestamp);
     }},
    {"36_negative_dur.json", "a negative duration is none",
     [](const Asked &t) { return t.busy(LaneKind::Stream) == 12 * kUs && t.problem("duration-invalid") == 1; }},
    {"38_stray_early_event.json", "a stray is outside the span",
     [](const Asked &t) {
         return t->spanEnd == 200 * kUs && t.flag("stale_k", EventFlag::kStray) && t.problem("stray-event") == 1
             && t.busy(LaneKind::Stream) == 100 * kUs && t.start("ProfilerStep#1") == 0;
     }},
    {"40_sync_on_gpu_rows.json", "waits are not work",
     [](const Asked &t) {
         return t.ofKind(Kind::Kernel) == 2 && t.ofKind(Kind::DeviceSync) == 3 && t.busy(LaneKind::Stream) == 200 * kUs;
     }},
    {"41_cuda_graph.json", "one call launches five kernels",
     [](const Asked &t) {
         return t->links.linked == 5 && t->links.orphans == 0 && t->links.launchesWithoutWork == 0
             && t->deviceRecordsOf(t.find("cudaGraphLaunch")).size() == 5 && t->kernels.at(0).graphNode == 100;
     }},
    {"43_correlation_zero.json", "0 is unknown",
     [](const Asked &t) { return t->links.unlinked == 3 && t->links.linked == 1 && t->links.orphans == 0; }},
    {"44_gpu_user_annotation.json", "labels are not work",
     [](const Asked &t) {
         return t.ofKind(Kind::DeviceRange) == 2 && t->lanes.size() == 1 && t.busy(LaneKind::Stream) == 90 * kUs;
     }},
    {"45_nested_ops.json", "operators nest",
     [](const Asked &t) {
         return t.parent("cudaLaunchKernel") == "aten::cudnn_convolution"
             && t.parent("aten::convolution") == "aten::conv2d" && t.launch("implicit_gemm") == "cudaLaunchKernel";
     }},
    {"47_external_id_zero.json", "correlation and nesting decide",
     [](const Asked &t) {
         const auto op = [&](const char *kernel) {
             return t->events.parent[t->events.launch[t.find(kernel).value].value];
         };
         return t->name(op("a")) == "aten::mm" && t->name(op("b")) == "aten::add" && !op("c").valid();
     }},
    {"64_memory_events.json", "memory is a curve for each device",
     [](const Asked &t) {
         const auto gpu =
             std::find_if(t->memory.begin(), t->memory.end(), [](const MemoryTrack &m) { return m.device == 0; });
         return t->memory.size() == 2 && gpu->bytes.size() == 4 && gpu->bytes[0] == -1048576
             && gpu->allocated[3] == 64424509440 && t.events() == 1;
     }},
    {"66_cpu_only.json", "no device, no device row",
     [](const Asked &t) { return t.lanes(LaneKind::Stream) == 0 && t->links.linked == 0; }},
    {"68_deep_stack.json", "depth has no limit",
     [](const Asked &t) {
         return t->lanes.at(0).depth == 3000 && t.parent("f.py(2999): level") == "f.py(2998): level";
     }},
    {"71_no_device_properties.json", "unknown is not 0",
     [](const Asked &t) {
         return t.lanes(LaneKind::Stream) == 2 && t->lanes[1].device == 3 && std::isnan(t->kernels.at(0).occupancy)
             && t->sources[0].devices.empty();
     }},
    {"73_spans_traces_rows.json", "the profiler's own rows are windows",
     [](const Asked &t) {
         return t.busy(LaneKind::Cpu) == 10 * kUs && t.lanes(LaneKind::Cpu) == 1 && t.ofKind(Kind::Window) == 1;
     }},
    {"74_cpu_op_with_stream_arg.json", "the category decides",
     [](const Asked &t) {
         return t.ofKind(Kind::Kernel) == 1 && t.ofKind(Kind::Op) == 1 && t.busy(LaneKind::Stream) == 6 * kUs;
     }},
    {"76_nsys_no_kernel_table.sqlite", "tables may be missing",
     [](const Asked &t) {
         return t.ofKind(Kind::Runtime) == 1 && t.ofKind(Kind::Kernel) == 0 && t.length("cudaLaunchKernel") == 2 * kUs;
     }},
    {"77_nsys_v2_table.sqlite", "suffixed tables, texts by id",
     [](const Asked &t) {
         return t.ofKind(Kind::Range) == 2 && t.length("train_step") == 3 * kUs && t->links.linked == 2
             && t.parent("cudaLaunchKernel") == "train_step";
     }},
    {"79_nsys_graph_launch.sqlite", "graph launches launch",
     [](const Asked &t) { return t->links.linked == 6 && t->deviceRecordsOf(t.find("cudaGraphLaunch")).size() == 6; }},
};

Result<TracePtr> open(const std::vector<std::string> &names)
{
    std::vector<std::filesystem::path> files;
    for (const std::string &name : names)
        files.push_back(std::filesystem::path(TUNELINE_TEST_DATA) / "cases" / name);
    Progress progress;
    return openTrace(files, progress);
}

} // namespace

class TestCases : public QObject
{
    Q_OBJECT
private slots:
    void eachCase_data();
    void eachCase();
    void ranksShareAnAxis();
    void sourcesWithoutRank();
};

void TestCases::eachCase_data()
{
    QTest::addColumn<std::size_t>("index");
    for (std::size_t i = 0; i < kChecks.size(); ++i)
        QTest::addRow("%s: %s", kChecks[i].file, kChecks[i].what) << i;
}

void TestCases::eachCase()
{
    QFETCH(std::size_t, index);
    const auto opened = open({kChecks[index].file});
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    QVERIFY(kChecks[index].holds(Asked(**opened)));
}

void TestCases::ranksShareAnAxis()
{
    const auto opened = open({"23_base_rank0.json", "23_base_rank1.json"});
    QVERIFY(opened);
    std::vector<std::int64_t> ends;
    for (std::uint32_t i = 0; i < (*opened)->events.size(); ++i) {
        if ((*opened)->name(EventId{i}).find("AllReduce") != std::string_view::npos)
            ends.push_back((*opened)->end(EventId{i}));
    }
    QCOMPARE(ends.size(), 2U);
    QCOMPARE(ends[0], ends[1]); // both ranks leave the collective together
    QCOMPARE((*opened)->sources[1].rank.value_or(-1), 1);
    QCOMPARE((*opened)->sources[1].worldSize.value_or(-1), 2);
}

void TestCases::sourcesWithoutRank()
{
    const auto opened = open({"67_no_rank_a.json", "67_no_rank_b.json"});
    QVERIFY(opened);
    QCOMPARE((*opened)->sources.size(), 2U);
    QCOMPARE((*opened)->sources[0].label, std::string("67_no_rank_a.json"));
    QVERIFY(!(*opened)->sources[0].rank && !(*opened)->sources[1].rank);
}

QTEST_GUILESS_MAIN(TestCases)
#include "tst_cases.moc"
