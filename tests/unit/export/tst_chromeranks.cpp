// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks in one Chrome file: nothing of one is taken for the other's, and all comes back.
#include "analysis/import/open.h"
#include "analysis/import/writers/writers.h"
#include "analysis/trace/tracebuilder.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kBase = 1'700'000'000'000'000'001; // an odd nanosecond: no double holds it

Source sourceOf(int rank)
{
    Source source;
    source.file = "run";
    source.label = "rank " + std::to_string(rank);
    source.rank = rank;
    source.worldSize = 2;
    source.host = rank == 0 ? "left" : "right";
    source.format = SourceFormat::KinetoJson;
    source.config["batch_size"] = rank == 0 ? "32" : "64";
    source.capture.detail = "full";
    source.capture.plainStepsNs = {1'000 + rank};
    source.metadataJson = R"({"hostname":")" + source.host + R"("})";
    DeviceProperties device;
    device.id = rank;
    device.name = "NVIDIA H200";
    device.smClockMaxMhz = 1980 + rank;
    source.devices = {device};
    return source;
}

// Both ranks use the same pid, thread, stream, correlations, external ids and times; the second does everything thrice,
// so that what is mixed up changes a count.
void addRank(TraceBuilder &b, int rank)
{
    const SourceId s = b.addSource(sourceOf(rank));
    const LaneId cpu = b.lane({LaneKind::Cpu, s, "7", "8", {}, {}});
    const LaneId stream = b.lane({LaneKind::Stream, s, "0", "3", 0, 3});
    const LaneId async = b.lane({LaneKind::Async, s, "7", "requests", {}, {}});
    const LaneId window = b.lane({LaneKind::Window, s, "Traces", "Trace", {}, {}});
    const auto name = [&](const std::string &text) { return b.strings().intern(text); };
    for (int i = 0; i < 1 + 2 * rank; ++i) {
        const std::int64_t at = kBase + i * 1'000'000;
        OpDetail op;
        op.externalId = 11U + static_cast<std::uint32_t>(i);
        b.add({at, 100'001, name("aten::mm"), cpu, EventKind::Op, 0, b.addOp(op)});
        RawEvent launch{at + 10'000, 5'000, name("cudaLaunchKernel"), cpu, EventKind::Runtime};
        launch.correlation = 21U + static_cast<std::uint64_t>(i);
        b.add(launch);
        RawEvent kernel{at + 30'003, 40'004, name("sgemm of " + std::to_string(rank)), stream, EventKind::Kernel};
        kernel.correlation = launch.correlation;
        b.add(kernel);
        b.add({at + 50'000, 900'000, name("request"), async, EventKind::Async});
        b.add({at + 60'000, 0, name("step of a request"), async, EventKind::Instant});
        b.add({at + 70'000, 0, name("instant"), cpu, EventKind::Instant});
        // Linked by an arrow only.
        RawEvent bare{at + 80'000, 1'000, name("cudaLaunchKernelExC"), cpu, EventKind::Runtime};
        RawEvent unnumbered{at + 200'000, 10'000, name("unnumbered"), stream, EventKind::Kernel};
        b.add(bare);
        b.add(unnumbered);
        b.addFlow({5, at + 80'000, cpu, RawFlow::Type::Launch, true});
        b.addFlow({5, at + 200'000, stream, RawFlow::Type::Launch, false});
        CounterTrack &counter = b.counter(s, "power");
        counter.time.push_back(at);
        counter.value.push_back(100 + rank);
        MemoryTrack &memory = b.memory(s, 0);
        memory.time.push_back(at + 1'000);
        memory.bytes.push_back(512 + rank);
        memory.address.push_back(0xABC);
        memory.allocated.push_back(512);
        memory.reserved.push_back(kUnknown);
        b.addMark({at + 2'000, MarkKind::Loss, name("loss"), 0.5 + rank, s});
    }
    b.add({kBase - 1'000, 4'000'000, name("PyTorch Profiler (0)"), window, EventKind::Window});
    b.add({kBase + 4'000'000, 0, name("Record Window End"), window, EventKind::Instant});
}

TracePtr twoRanks()
{
    TraceBuilder b;
    addRank(b, 0);
    addRank(b, 1);
    Progress progress;
    return *b.finish(progress);
}

QString text(const Trace &trace, StringId id)
{
    const std::string_view view = trace.strings.view(id);
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

// One line for each event, with whose it is and what launched it.
QStringList events(const Trace &t)
{
    QStringList list;
    for (std::uint32_t i = 0; i < t.events.size(); ++i) {
        const EventId e{i}, launch = t.events.launch[i];
        const Lane &lane = t.laneOf(e);
        QStringList line{QString::fromStdString(t.sources[lane.source.value].label),
                         text(t, lane.process),
                         text(t, lane.thread),
                         text(t, lane.pid),
                         text(t, lane.tid),
                         QString::number(int(lane.kind)),
                         QString::number(lane.rank.value_or(-1)),
                         QString::number(lane.stream.value_or(-1)),
                         QString::number(int(t.kind(e))),
                         text(t, t.events.name[i]),
                         QString::number(t.start(e)),
                         QString::number(t.duration(e)),
                         QString::number(t.events.correlation[i])};
        line << (launch.valid() ? QStringLiteral("%1 at %2 of source %3")
                                      .arg(text(t, t.events.name[launch.value]))
                                      .arg(t.start(launch))
                                      .arg(t.laneOf(launch).source.value)
                                : QString());
        list << line.join(" | ");
    }
    list.sort();
    return list;
}

QStringList tracks(const Trace &t)
{
    QStringList list;
    for (const CounterTrack &c : t.counters)
        for (std::size_t i = 0; i < c.time.size(); ++i)
            list << QStringLiteral("counter %1 %2 %3 %4")
                        .arg(c.source.value)
                        .arg(text(t, c.name))
                        .arg(c.time[i])
                        .arg(c.value[i]);
    for (const MemoryTrack &m : t.memory)
        for (std::size_t i = 0; i < m.time.size(); ++i)
            list << QStringLiteral("memory %1 %2 %3 %4")
                        .arg(m.source.value)
                        .arg(m.device)
                        .arg(m.time[i])
                        .arg(m.bytes[i]);
    for (const Mark &m : t.marks)
        list << QStringLiteral("mark %1 %2 %3 %4").arg(m.source.value).arg(text(t, m.name)).arg(m.time).arg(m.value);
    list.sort();
    return list;
}

QStringList sources(const Trace &t)
{
    QStringList list;
    for (const Source &s : t.sources)
        list << QStringLiteral("%1, rank %2 of %3 on %4, batch %5, detail %6, plain %7, %8, %9 MHz")
                    .arg(QString::fromStdString(s.label))
                    .arg(s.rank.value_or(-1))
                    .arg(s.worldSize.value_or(-1))
                    .arg(QString::fromStdString(s.host), QString::fromStdString(s.config.at("batch_size")),
                         QString::fromStdString(s.capture.detail))
                    .arg(s.capture.plainStepsNs.at(0))
                    .arg(QString::fromStdString(s.metadataJson))
                    .arg(s.devices.at(0).smClockMaxMhz);
    return list;
}

nlohmann::json exported(const Trace &trace)
{
    std::ostringstream out;
    Progress progress;
    const auto written = writeChromeTrace(trace, out, progress);
    return written ? nlohmann::json::parse(out.str()) : nlohmann::json();
}

} // namespace

class ChromeRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void comesBack();
    void exportedAgain();
    void ranksShareNoRow();
    void arrowsStayInTheirRank();
    void damagedHeader_data();
    void damagedHeader();

private:
    TracePtr read(const nlohmann::json &file);
    QTemporaryDir m_folder;
};

TracePtr ChromeRanksTest::read(const nlohmann::json &file)
{
    const std::string path = (m_folder.path() + "/ranks.json").toStdString();
    std::ofstream(path, std::ios::trunc) << file.dump();
    Progress progress;
    const auto trace = openTrace({path}, progress);
    return trace ? *trace : nullptr;
}

void ChromeRanksTest::comesBack()
{
    const TracePtr trace = twoRanks();
    QCOMPARE(trace->links.linked, std::uint64_t(8)); // by correlation and by arrow, one rank once, the other thrice
    const TracePtr again = read(exported(*trace));
    QVERIFY(again);
    QCOMPARE(again->sources.size(), std::size_t(2));
    QCOMPARE(events(*again), events(*trace));
    QCOMPARE(tracks(*again), tracks(*trace));
    QCOMPARE(sources(*again), sources(*trace));
    QCOMPARE(again->baseUnixNs, trace->baseUnixNs);
    QCOMPARE(again->lanes.size(), trace->lanes.size());
    QVERIFY(again->report.problems().empty());
}

void ChromeRanksTest::exportedAgain()
{
    const TracePtr once = read(exported(*twoRanks()));
    QVERIFY(once);
    const TracePtr twice = read(exported(*once));
    QVERIFY(twice);
    QCOMPARE(events(*twice), events(*once));
    QCOMPARE(sources(*twice), sources(*once));
}

void ChromeRanksTest::ranksShareNoRow()
{
    std::map<nlohmann::json, std::set<std::string>> names; // by pid
    const auto file = exported(*twoRanks());
    for (const auto &event : file["traceEvents"]) {
        QVERIFY2(event["pid"].is_number(), event.dump().c_str()); // viewers expect numbers
        if (event["name"] == "process_name")
            names[event["pid"]].insert(event["args"]["name"]);
    }
    for (const auto &event : file["traceEvents"]) {
        QVERIFY(names.contains(event["pid"]));
        QCOMPARE(names[event["pid"]].size(), std::size_t(1));
        const std::string &process = *names[event["pid"]].begin();
        if (event["name"] == "sgemm of 0")
            QCOMPARE(process, std::string("rank 0: GPU 0"));
        if (event["name"] == "sgemm of 1")
            QCOMPARE(process, std::string("rank 1: GPU 0"));
    }
}

void ChromeRanksTest::arrowsStayInTheirRank()
{
    const auto file = exported(*twoRanks());
    std::map<nlohmann::json, std::string> rankOf;
    for (const auto &event : file["traceEvents"])
        if (event["name"] == "process_name")
            rankOf[event["pid"]] = event["args"]["name"].get<std::string>().substr(0, 6);
    std::map<nlohmann::json, std::pair<std::vector<std::string>, std::vector<std::string>>> arrows;
    for (const auto &event : file["traceEvents"])
        if (event["ph"] == "s" || event["ph"] == "f")
            (event["ph"] == "s" ? arrows[event["id"]].first : arrows[event["id"]].second)
                .push_back(rankOf[event["pid"]]);
    QCOMPARE(arrows.size(), std::size_t(8));
    for (const auto &[id, ends] : arrows) {
        QCOMPARE(ends.first.size(), std::size_t(1));
        QCOMPARE(ends.first, ends.second);
    }
}

void ChromeRanksTest::damagedHeader_data()
{
    QTest::addColumn<QByteArray>("sources");
    QTest::newRow("no list") << QByteArray("5");
    QTest::newRow("no objects") << QByteArray("[1, null]");
    QTest::newRow("nothing said") << QByteArray("[{}, {}]");
    QTest::newRow("pids are no texts") << QByteArray(R"([{"label":"a","pids":{"1":7}},{"label":5,"pids":[]}])");
    QTest::newRow("pids of nobody") << QByteArray(R"([{"label":"a","pids":{"x":"y"}},{"pids":{"x":"z"}}])");
}

// The events stay, whatever the header says.
void ChromeRanksTest::damagedHeader()
{
    QFETCH(QByteArray, sources);
    const TracePtr trace = twoRanks();
    auto file = exported(*trace);
    file["tuneline"]["sources"] = nlohmann::json::parse(sources.toStdString());
    const TracePtr again = read(file);
    QVERIFY(again);
    QCOMPARE(again->events.size(), trace->events.size());
}

QTEST_GUILESS_MAIN(ChromeRanksTest)
#include "tst_chromeranks.moc"
