// SPDX-License-Identifier: GPL-3.0-or-later
// What is exported must read back as what was there.
#include "analysis/import/open.h"
#include "analysis/import/writers/writers.h"
#include "analysis/trace/tracebuilder.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sstream>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kBase = 1'700'000'000'000'000'001; // an odd nanosecond: no double holds it

// An operator that launches a kernel and a copy, a range with a comma and a quote in its name, a counter, memory, a
// mark.
TracePtr smallTrace()
{
    TraceBuilder b;
    Source source;
    source.file = "small";
    source.label = "small";
    source.format = SourceFormat::KinetoJson;
    DeviceProperties device;
    device.name = "NVIDIA H200";
    device.multiprocessors = 132;
    source.devices = {device};
    const SourceId s = b.addSource(source);
    const LaneId cpu = b.lane({LaneKind::Cpu, s, "7", "8", {}, {}});
    const LaneId stream = b.lane({LaneKind::Stream, s, "0", "3", 0, 3});
    auto name = [&](const char *text) { return b.strings().intern(text); };

    OpDetail op;
    op.sequence = 5;
    op.externalId = 11;
    op.shapes = name("[[4,8],[8,2]]");
    b.add({kBase, 100'001, name("aten::mm"), cpu, EventKind::Op, 0, b.addOp(op)});
    RawEvent launch{kBase + 10'000, 5'000, name("cudaLaunchKernel"), cpu, EventKind::Runtime};
    launch.correlation = 21;
    b.add(launch);
    RawEvent copyCall{kBase + 20'000, 5'000, name("cudaMemcpyAsync"), cpu, EventKind::Runtime};
    copyCall.correlation = 22;
    b.add(copyCall);
    b.add({kBase + 200'000, 1'000, name("a \"range\", with commas"), cpu, EventKind::Range});

    KernelDetail kernel;
    kernel.grid = {132, 1, 1};
    kernel.block = {256, 1, 1};
    RawEvent k{kBase + 30'003, 40'004, name("sgemm"), stream, EventKind::Kernel, 0, b.addKernel(kernel)};
    k.correlation = 21;
    b.add(k);
    CopyDetail copy;
    copy.bytes = 4096;
    RawEvent c{kBase + 80'000, 3'000, name("Memcpy HtoD (Pageable -> Device)"), stream, EventKind::Copy, 0,
               b.addCopy(copy)};
    c.correlation = 22;
    b.add(c);

    MemoryTrack &memory = b.memory(s, 0);
    memory.time = {kBase + 1'000, kBase + 2'000};
    memory.bytes = {512, -512};
    memory.address = {0xABC, 0xABC};
    memory.allocated = {512, 0};
    memory.reserved = {2048, kUnknown};
    Progress progress;
    return *b.finish(progress);
}

// kind, name, start, duration, launch's name: what must survive.
QStringList facts(const Trace &t)
{
    QStringList list;
    for (std::uint32_t i = 0; i < t.events.size(); ++i) {
        const EventId e{i}, launch = t.events.launch[i];
        list << QStringLiteral("%1 %2 %3 %4 %5")
                    .arg(int(t.kind(e)))
                    .arg(QString::fromUtf8(t.name(e).data(), qsizetype(t.name(e).size())))
                    .arg(t.start(e))
                    .arg(t.duration(e))
                    .arg(launch.valid() ? QString::fromStdString(std::string(t.name(launch))) : QString());
    }
    list.sort();
    return list;
}

} // namespace

class WritersTest : public QObject
{
    Q_OBJECT

private slots:
    void chromeRoundTrip();
    void chromeKeepsDetails();
    void csvQuotes();
    void sqliteHasEveryEvent();
    void cancel();
    void cannotWrite();

private:
    QTemporaryDir m_folder;
};

void WritersTest::chromeRoundTrip()
{
    const TracePtr trace = smallTrace();
    const std::string file = (m_folder.path() + "/small.json").toStdString();
    Progress progress;
    {
        std::ofstream out(file);
        const auto written = writeChromeTrace(*trace, out, progress);
        QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
    }
    Progress again;
    const auto read = openTrace({file}, again);
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(facts(**read), facts(*trace));
    QCOMPARE((*read)->baseUnixNs, trace->baseUnixNs);
    QCOMPARE((*read)->memory.size(), std::size_t(1));
    QCOMPARE((*read)->memory[0].bytes, trace->memory[0].bytes);
    QCOMPARE((*read)->memory[0].allocated, trace->memory[0].allocated);
    QVERIFY((*read)->report.problems().empty());
}

void WritersTest::chromeKeepsDetails()
{
    std::ostringstream out;
    Progress progress;
    QVERIFY(writeChromeTrace(*smallTrace(), out, progress));
    const auto json = nlohmann::json::parse(out.str());
    QCOMPARE(json["deviceProperties"][0]["numSms"].get<int>(), 132);
    for (const auto &e : json["traceEvents"]) {
        if (e["name"] == "sgemm" && e["ph"] == "X") {
            QCOMPARE(e["args"]["grid"][0].get<int>(), 132);
            QCOMPARE(e["dur"].dump(), std::string("40.004"));
        }
        if (e["name"] == "aten::mm") {
            QCOMPARE(e["args"]["Input Dims"].dump(), std::string("[[4,8],[8,2]]"));
            QCOMPARE(e["args"]["Sequence number"].get<int>(), 5);
        }
    }
}

void WritersTest::csvQuotes()
{
    const std::string folder = (m_folder.path() + "/csv").toStdString();
    Progress progress;
    QVERIFY(writeCsv(*smallTrace(), folder, progress));
    QFile file(QString::fromStdString(folder + "/events.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("\"a \"\"range\"\", with commas\""));
    QCOMPARE(text.count('\n'), 7); // a header and six events
}

void WritersTest::sqliteHasEveryEvent()
{
    const TracePtr trace = smallTrace();
    const std::string file = (m_folder.path() + "/small.sqlite").toStdString();
    Progress progress;
    QVERIFY(writeSqlite(*trace, file, progress));
    QVERIFY(writeSqlite(*trace, file, progress)); // replaces, doesn't add

    sqlite3 *db = nullptr;
    QCOMPARE(sqlite3_open(file.c_str(), &db), SQLITE_OK);
    sqlite3_stmt *query = nullptr;
    QCOMPARE(
        sqlite3_prepare_v2(
            db,
            "SELECT k.duration_ns, l.name, (SELECT count(*) FROM event) FROM event k JOIN event l ON l.id = k.launch "
            "WHERE k.name = 'sgemm'",
            -1, &query, nullptr),
        SQLITE_OK);
    QCOMPARE(sqlite3_step(query), SQLITE_ROW);
    QCOMPARE(sqlite3_column_int64(query, 0), 40'004);
    QCOMPARE(reinterpret_cast<const char *>(sqlite3_column_text(query, 1)), "cudaLaunchKernel");
    QCOMPARE(sqlite3_column_int64(query, 2), 6);
    sqlite3_finalize(query);
    sqlite3_close(db);
}

void WritersTest::cancel()
{
    Progress progress;
    progress.cancel = true;
    std::ostringstream out;
    const auto result = writeChromeTrace(*smallTrace(), out, progress);
    QVERIFY(!result);
    QVERIFY(result.error().code == Error::Code::Cancelled);
}

void WritersTest::cannotWrite()
{
    Progress progress;
    const auto csv = writeCsv(*smallTrace(), "/proc/no/such", progress);
    QVERIFY(!csv && csv.error().code == Error::Code::CannotWrite);
    const auto sqlite = writeSqlite(*smallTrace(), "/proc/no/such.sqlite", progress);
    QVERIFY(!sqlite && sqlite.error().code == Error::Code::CannotWrite);
    std::ofstream full("/dev/full");
    const auto chrome = writeChromeTrace(*smallTrace(), full, progress);
    QVERIFY(!chrome && chrome.error().code == Error::Code::CannotWrite);
}

QTEST_GUILESS_MAIN(WritersTest)
#include "tst_writers.moc"
