// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of the JSON reader that no single case shows: windows, damage in large files, cancelling, what is no
// trace.
#include "analysis/import/jsontext.h"
#include "analysis/import/open.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <zlib.h>

using namespace tuneline::analysis;

namespace {

// Many events with nasty but legal content, longer than several windows. Event i is named "op i" and lasts i % 7 + 1
// us.
std::string manyEvents(int count, const std::string &separator)
{
    std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
    for (int i = 0; i < count; ++i) {
        text += i == 0 ? "" : separator;
        text += "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op " + std::to_string(i)
            + "\", \"pid\": 1, \"tid\": 2, \"ts\": " + std::to_string(i * 10)
            + ".5, \"dur\": " + std::to_string(i % 7 + 1)
            + R"(, "args": {"note": "}, {\"ph\": \"X\"} ] \\", "list": [{"name": "a"}, {"name": "b"}], "External id": )"
            + std::to_string(i + 1) + "}}";
    }
    return text + "], \"traceName\": \"x\"}";
}

} // namespace

class TestJsonImport : public QObject
{
    Q_OBJECT
private slots:
    void windowsLoseNothing_data();
    void windowsLoseNothing();
    void threadsMakeNoDifference();
    void damageStaysLocal();
    void damagedEvents_data();
    void damagedEvents();
    void cutGzipOpens();
    void bareListAndLines();
    void cancelStops();
    void oddNumbers();
    void aPipeIsNotWaitedFor();
    void decimalText_data();
    void decimalText();
    void numbersAreTheNearest();
    void whatIsNoTrace_data();
    void whatIsNoTrace();

private:
    Result<TracePtr> open(const std::string &bytes, const char *name = "a.json")
    {
        const std::filesystem::path path = std::filesystem::path(m_folder.path().toStdString()) / name;
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        return openTrace({path}, m_progress);
    }
    static std::string gzip(const std::string &text)
    {
        std::string out(compressBound(text.size()) + 64, '\0');
        z_stream z{};
        deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
        z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
        z.avail_in = static_cast<uInt>(text.size());
        z.next_out = reinterpret_cast<Bytef *>(out.data());
        z.avail_out = static_cast<uInt>(out.size());
        deflate(&z, Z_FINISH);
        out.resize(out.size() - z.avail_out);
        deflateEnd(&z);
        return out;
    }
    QTemporaryDir m_folder;
    Progress m_progress;
};

void TestJsonImport::windowsLoseNothing_data()
{
    QTest::addColumn<QByteArray>("separator");
    QTest::addColumn<bool>("compressed");
    for (const bool compressed : {false, true}) {
        QTest::addRow("compact %d", compressed) << QByteArray(",") << compressed;
        QTest::addRow("lines %d", compressed) << QByteArray(",\n") << compressed;
        QTest::addRow("wide %d", compressed) << QByteArray(" \t\r\n , \n\n  ") << compressed;
    }
}

void TestJsonImport::windowsLoseNothing()
{
    QFETCH(QByteArray, separator);
    QFETCH(bool, compressed);
    constexpr int kCount = 40000; // about 8 MB
    const std::string text = manyEvents(kCount, separator.toStdString());
    const auto opened = open(compressed ? gzip(text) : text);
    QVERIFY(opened);
    const Trace &trace = **opened;
    QCOMPARE(trace.events.size(), static_cast<std::size_t>(kCount));
    QVERIFY(trace.report.problems().empty());
    QVERIFY(!trace.sources[0].truncated);
    for (std::uint32_t i = 0; i < kCount; i += 997) {
        QCOMPARE(trace.name(EventId{i}), "op " + std::to_string(i));
        QCOMPARE(trace.start(EventId{i}), std::int64_t{i} * 10000);
        QCOMPARE(trace.duration(EventId{i}), std::int64_t{i % 7 + 1} * 1000);
        QCOMPARE(text.compare(trace.events.argsOffset[i], 5, "{\"ph\""), 0); // offsets are those of the inflated text
    }
}

// Lanes, names and details appear in all windows, and which thread reads which of them is chance.
void TestJsonImport::threadsMakeNoDifference()
{
    std::string text = "[";
    for (int i = 0; i < 30000; ++i) {
        const std::string row = R"("pid": )" + std::to_string(i / 4000) + R"(, "tid": )" + std::to_string(i % 7)
            + R"(, "ts": )" + std::to_string(i * 3) + ".25";
        text += R"({"ph": "X", "cat": "cpu_op", "name": "op )" + std::to_string(i % 1003) + R"(", "dur": 2, )" + row
            + R"(, "args": {"Input Dims": [[)" + std::to_string(i % 501) + R"(]], "Sequence number": )"
            + std::to_string(i) + "}},\n";
        text += R"({"ph": "X", "cat": "kernel", "name": "kernel )" + std::to_string(i % 17) + R"(", "dur": 1, )" + row
            + R"(, "args": {"device": 0, "stream": )" + std::to_string(i % 7) + R"(, "correlation": )"
            + std::to_string(i + 1) + R"(, "grid": [)" + std::to_string(i % 77) + ", 1, 1]}},\n";
        text += R"({"ph": ")" + std::string(i % 2 == 0 ? "B" : "E") + R"(", "name": "range", )" + row + "},\n";
    }
    text += "]";
    const auto fingerprint = [&] {
        const auto opened = open(text);
        QByteArray all;
        if (!opened)
            return all;
        const Trace &trace = **opened;
        for (const Lane &lane : trace.lanes)
            all += QByteArray::number(lane.count) + trace.strings.view(lane.process).data() + ' ';
        for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
            const EventId e{i};
            all += QByteArray::number(qint64{trace.start(e)}) + trace.name(e).data();
            if (const OpDetail *op = trace.op(e))
                all += QByteArray::number(qint64{op->sequence}) + trace.strings.view(op->shapes).data();
            if (const KernelDetail *kernel = trace.kernel(e))
                all += QByteArray::number(kernel->grid[0]);
        }
        return all;
    };
    const QByteArray first = fingerprint();
    QVERIFY(first.size() > 1'000'000);
    for (int i = 0; i < 4; ++i)
        QVERIFY(fingerprint() == first);
}

void TestJsonImport::damageStaysLocal()
{
    constexpr int kCount = 20000;
    std::string text = manyEvents(kCount, ",\n");
    const auto damage = [&](int i, const char *from, const char *to) {
        const std::size_t at = text.find(from, text.find("\"op " + std::to_string(i) + "\""));
        text.replace(at, std::strlen(from), to);
    };
    damage(5000, "\"pid\"", "pid\""); // a quote is missing: this event is lost
    damage(9000, "op 9000", "op \"9000\""); // quotes inside a name: mended
    damage(15000, "op 15000",
           "op \xFF"
           "15000"); // no UTF-8
    const auto opened = open(text);
    QVERIFY(opened);
    const Trace &trace = **opened;
    QCOMPARE(trace.events.size(), static_cast<std::size_t>(kCount - 1));
    QCOMPARE(trace.report.count("event-skipped"), 1U);
    QCOMPARE(trace.report.count("string-repaired"), 2U);
    QVERIFY(trace.strings.find("op \"9000\"").valid());
    QVERIFY(trace.strings
                .find("op \xEF\xBF\xBD"
                      "15000")
                .valid());
    const ProblemExample &example = trace.report.problems().at(0).examples.at(0);
    QCOMPARE(example.line, 5001);
    QCOMPARE(text.compare(static_cast<std::size_t>(example.offset), 5, "{\"ph\""), 0);
}

void TestJsonImport::damagedEvents_data()
{
    QTest::addColumn<QByteArray>("entry");
    QTest::addColumn<QString>("name"); // of the event that comes of it, empty: none
    QTest::addColumn<QString>("problem");
    const QByteArray head = R"({"ph":"X","cat":"x","pid":1,"tid":1,"ts":2,"dur":1,"name":")";
    QTest::addRow("path of legal escapes") << head + R"(C:\temp\new.py(3): f"})"
                                           << R"(C:\temp\new.py(3): f)"
                                           << "string-repaired";
    QTest::addRow("backslash before the quote")
        << QByteArray(R"({"ph":"X","name":"C:\proj\","pid":1,"tid":1,"ts":2,"dur":1})") << R"(C:\proj\)"
        << "string-repaired";
    QTest::addRow("objects inside a name") << head + R"({"k": [1], "z": "y"}, {"b": 2} (7): run"})"
                                           << R"({"k": [1], "z": "y"}, {"b": 2} (7): run)"
                                           << "string-repaired";
    QTest::addRow("quote in args") << QByteArray(
        R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":1,"args":{"stack":"f("a"); g","Bytes":5}})")
                                   << "n"
                                   << "string-repaired";
    QTest::addRow("raw control bytes") << head + "a\nb\x01\"}"
                                       << "a\nb\x01"
                                       << "control-character";
    QTest::addRow("key twice") << head + R"(one","name":"two"})"
                               << "two"
                               << "duplicate-key";
    QTest::addRow("null") << QByteArray("null") << ""
                          << "event-skipped";
    QTest::addRow("list") << QByteArray("[1, {}]") << ""
                          << "event-skipped";
    QTest::addRow("number for a key") << QByteArray(R"({"ph":"X", 5: 6})") << ""
                                      << "event-skipped";
    QTest::addRow("lost time") << head + R"(n","ts":NaN})"
                               << "n"
                               << "timestamp-invalid";
    QTest::addRow("endless") << head + R"(n","dur":Infinity})"
                             << "n"
                             << "duration-invalid";
    QTest::addRow("unknown phase") << QByteArray(R"({"ph":"D","name":"n","pid":1,"tid":1,"ts":2})") << ""
                                   << "phase-not-shown";
}

void TestJsonImport::damagedEvents()
{
    QFETCH(QByteArray, entry);
    QFETCH(QString, name);
    QFETCH(QString, problem);
    const std::string event = R"({"ph":"X","cat":"x","name":"good","pid":1,"tid":1,"ts":10,"dur":1})";
    const auto opened = open("{\"traceEvents\": [" + event + ",\n" + entry.toStdString() + ",\n" + event + "]}");
    QVERIFY(opened);
    const Trace &trace = **opened;
    QCOMPARE(trace.report.count(problem.toStdString()), 1U);
    QCOMPARE(trace.events.size(), name.isEmpty() ? 2U : 3U); // both neighbours are whole
    if (!name.isEmpty())
        QVERIFY(trace.strings.find(name.toStdString()).valid());
}

void TestJsonImport::cutGzipOpens()
{
    const std::string packed = gzip(manyEvents(40000, ",\n"));
    const auto opened = open(packed.substr(0, packed.size() / 2), "cut.json.gz");
    QVERIFY(opened);
    QVERIFY((*opened)->events.size() > 10000 && (*opened)->events.size() < 30000);
    QVERIFY((*opened)->sources[0].truncated);
    QVERIFY((*opened)->report.count("file-truncated") > 0);
}

void TestJsonImport::bareListAndLines()
{
    const std::string event = R"({"ph":"X","cat":"x","name":"n","pid":1,"tid":1,"ts":1,"dur":1})";
    for (const std::string &text :
         {"[" + event + "," + event + "]", "[" + event + ",\n" + event + ",\n", event + "\n" + event + "\n"}) {
        const auto opened = open(text);
        QVERIFY(opened);
        QCOMPARE((*opened)->events.size(), 2U);
        QVERIFY(!(*opened)->sources[0].truncated);
        QCOMPARE((*opened)->sources[0].format, SourceFormat::ChromeJson);
    }
}

void TestJsonImport::cancelStops()
{
    m_progress.cancel = true;
    const auto opened = open(manyEvents(40000, ","));
    m_progress.cancel = false;
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, Error::Code::Cancelled);
}

// A number that can't be held is unknown, never another number.
void TestJsonImport::oddNumbers()
{
    const auto trace = open(R"({"distributedInfo":{"rank":"3","world_size":"4"},"traceEvents":[
{"ph":"X","cat":"kernel","name":"k0","pid":0,"tid":7,"ts":1,"dur":2,"args":{"grid":[4294967296,1,1],"block":["128","1","1"]}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":5,"dur":2,"args":{"grid":[5.0,1.0,2e0],"block":[1,2]}},
{"ph":"X","cat":"cpu_op","name":"a","pid":"C:\\p","tid":"t\u0031","ts":5,"dur":2,"args":{"External id":4294967301}}]})",
                            "odd.json");
    QVERIFY(trace);
    const Trace &t = **trace;
    QCOMPARE(t.sources[0].rank.value_or(-1), 3);
    QCOMPARE(t.sources[0].worldSize.value_or(-1), 4);
    using Triple = std::array<std::int32_t, 3>;
    for (std::uint32_t i = 0; i < t.events.size(); ++i) {
        const EventId e{i};
        if (t.name(e) == "k0") {
            QVERIFY(t.kernel(e)->grid == Triple{});
            QVERIFY((t.kernel(e)->block == Triple{128, 1, 1}));
        } else if (t.name(e) == "k1") {
            QVERIFY((t.kernel(e)->grid == Triple{5, 1, 2}));
            QVERIFY(t.kernel(e)->block == Triple{});
        } else {
            QCOMPARE(t.op(e)->externalId, 0U);
            QCOMPARE(std::string(t.strings.view(t.laneOf(e).pid)), std::string("C:\\p"));
            QCOMPARE(std::string(t.strings.view(t.laneOf(e).tid)), std::string("t1"));
        }
    }
}

void TestJsonImport::aPipeIsNotWaitedFor()
{
    const std::string path = (m_folder.path() + "/pipe.json").toStdString();
    QCOMPARE(mkfifo(path.c_str(), 0600), 0);
    const auto opened = openTrace({path}, m_progress);
    QVERIFY(!opened);
    QVERIFY2(opened.error().message.find("pipe") != std::string::npos, opened.error().message.c_str());
}

void TestJsonImport::decimalText_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("ns");
    QTest::addRow("16 digits and 3") << QByteArray("1712195495406752.751") << qint64{1712195495406752751};
    QTest::addRow("quoted") << QByteArray("\"4.620\"") << qint64{4620};
    QTest::addRow("below a ns") << QByteArray("0.0015") << qint64{2};
    QTest::addRow("negative") << QByteArray("-12.25") << qint64{-12250};
    QTest::addRow("exponent") << QByteArray("1.5e3") << qint64{1500000};
    QTest::addRow("negative exponent") << QByteArray("25E-1") << qint64{2500};
    QTest::addRow("more digits than fit") << QByteArray("3.1234567890123456789012") << qint64{3123};
    QTest::addRow("no point") << QByteArray("1712195495406752") << qint64{1712195495406752000};
    QTest::addRow("19 digits and 1") << QByteArray("9223372036854775.8") << qint64{9223372036854775800};
    QTest::addRow("the last one") << QByteArray("9223372036854775.807") << qint64{9223372036854775807};
    QTest::addRow("one more") << QByteArray("9223372036854775.808") << qint64{-999};
    QTest::addRow("20 digits") << QByteArray("00000000000000000012") << qint64{12000};
    QTest::addRow("two points") << QByteArray("1.2.3") << qint64{-999};
    QTest::addRow("ends in a point") << QByteArray("12.") << qint64{12000};
    QTest::addRow("no number") << QByteArray("nan") << qint64{-999};
    QTest::addRow("overflow") << QByteArray("18446744073709551615") << qint64{-999};
    QTest::addRow("empty") << QByteArray("") << qint64{-999};
}

void TestJsonImport::decimalText()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, ns);
    QCOMPARE(json::microsecondsToNs(text.toStdString()).value_or(-999), ns);
}

void TestJsonImport::numbersAreTheNearest()
{
    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {
        std::string text = std::to_string(random() >> (random() % 64));
        if (const std::size_t point = random() % 24; point > 0 && point < text.size())
            text.insert(point, 1, '.');
        QCOMPARE(json::toDouble(text).value_or(-1), std::strtod(text.c_str(), nullptr));
        const bool whole = text.find('.') == std::string::npos;
        if (whole)
            QCOMPARE(json::toUnsigned(text).value_or(0), std::strtoull(text.c_str(), nullptr, 10));
        if (whole && text.size() < 19)
            QCOMPARE(json::toInt(text).value_or(-1), std::strtoll(text.c_str(), nullptr, 10));
    }
}

void TestJsonImport::whatIsNoTrace_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("word");
    QTest::addRow("empty") << QByteArray() << "empty";
    QTest::addRow("zip") << QByteArray("PK\x03\x04....archive/data.pkl") << "zip archive";
    QTest::addRow("nsys report") << QByteArray("QuadDCommon....") << "nsys export";
    QTest::addRow("program") << QByteArray("\x7F"
                                           "ELF\x02\x01")
                             << "program";
    QTest::addRow("page") << QByteArray("\n<!DOCTYPE html><html>") << "web page";
    QTest::addRow("git-lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
                             << "git lfs pull";
    QTest::addRow("other json") << QByteArray("{\"a\": [1, 2, 3]}") << "no trace event";
    QTest::addRow("text") << QByteArray("hello\n") << "text file";
    QTest::addRow("sqlite") << QByteArray() << "SQLite";
}

void TestJsonImport::whatIsNoTrace()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, word);
    if (word == "SQLite") // a valid empty database: one page
        bytes = QByteArray("SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20", 24) + QByteArray(4072, '\0');
    const auto opened = open(bytes.toStdString(), "thing");
    QVERIFY(!opened);
    QVERIFY2(QString::fromStdString(opened.error().message).contains(word), opened.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestJsonImport)
#include "tst_jsonimport.moc"
