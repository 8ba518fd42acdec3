// SPDX-License-Identifier: GPL-3.0-or-later
// Names, files and what is in them.
#include "capture/format/frames.h"
#include "capture/format/records.h"
#include "capture/session/capturefile.h"
#include "capture/session/metadata.h"
#include "capture/session/outputfile.h"
#include "capture/session/outputpath.h"
#include "capture/session/rankfiles.h"
#include "capture/session/runcommand.h"
#include "tests/unit/session/fakeproc.h"

#include <QRegularExpression>
#include <QTest>

#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace tuneline;
using namespace tuneline::capture;
namespace fs = std::filesystem;

namespace {

void append(std::string &bytes, const void *data, std::size_t size)
{
    bytes.append(static_cast<const char *>(data), size);
}

void appendFrame(std::string &bytes, format::FrameKind kind, const std::string &payload)
{
    format::FrameHeader header;
    header.kind = kind;
    header.payloadBytes = static_cast<std::uint32_t>(payload.size());
    append(bytes, &header, sizeof header);
    bytes += payload;
}

std::string block(format::RecordKind kind, std::uint32_t count, std::uint32_t recordBytes)
{
    const format::RecordBlock head{kind, recordBytes, count, 0};
    std::string payload;
    append(payload, &head, sizeof head);
    return payload.append(std::size_t(count) * recordBytes, '\0');
}

// Metadata, 3 operators, 1 clock, 2 kernels, end.
std::string sampleCapture(std::vector<std::size_t> *frameEnds = nullptr)
{
    std::string bytes;
    const format::FileHeader header;
    append(bytes, &header, sizeof header);
    const format::EndFrame end{6, 4};
    std::string endPayload;
    append(endPayload, &end, sizeof end);
    const std::vector<std::pair<format::FrameKind, std::string>> frames{
        {format::FrameKind::Metadata, "{}"},
        {format::FrameKind::Records, block(format::RecordKind::Op, 3, 40)},
        {format::FrameKind::Records, block(format::RecordKind::Clock, 1, 32)},
        {format::FrameKind::Records, block(format::RecordKind::Kernel, 2, 88)},
        {format::FrameKind::End, endPayload},
    };
    for (const auto &[kind, payload] : frames) {
        appendFrame(bytes, kind, payload);
        if (frameEnds != nullptr)
            frameEnds->push_back(bytes.size());
    }
    return bytes;
}

} // namespace

class TestOutputs : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void defaultNames();
    void existingOutput();
    void unusableOutputs();
    void oneFile();
    void secondProcessMovesTheFirst();
    void discarded();
    void captureFileCutAtEveryByte();
    void noCaptureFile();
    void metadataFits();
    void commands();
    void commandTakesTooLong();
    void outputFile();

private:
    [[nodiscard]] fs::path at(const std::string &name) const { return fs::path(m_folder->path().toStdString()) / name; }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestOutputs::defaultNames()
{
    static const QRegularExpression kName("^train-\\d{8}-\\d{6}\\.tlc$");
    QVERIFY(kName.match(QString::fromStdString(defaultOutput("./build/train"))).hasMatch());
    QVERIFY(defaultOutput("").string().rfind("capture-", 0) == 0);
}

void TestOutputs::existingOutput()
{
    FakeProc::write(at("a.tlc"), "old");
    const auto refused = prepareOutput(at("a.tlc"), false);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Error::Code::OutputExists);
    QVERIFY(refused.error().advice.find("--force") != std::string::npos);
    QVERIFY(fs::exists(at("a.tlc")));
    QVERIFY(prepareOutput(at("a.tlc"), true));
    QVERIFY(!fs::exists(at("a.tlc")));

    fs::create_directory(at("b.tlc"));
    FakeProc::write(at("b.tlc/rank0.tlc"), "old");
    QVERIFY(prepareOutput(at("b.tlc"), true));
    QVERIFY(!fs::exists(at("b.tlc")));

    fs::create_directory(at("home"));
    FakeProc::write(at("home/thesis.tex"), "years of work");
    QVERIFY(!prepareOutput(at("home"), true));
    QVERIFY(fs::exists(at("home/thesis.tex")));
}

void TestOutputs::unusableOutputs()
{
    QVERIFY(!prepareOutput(at("none/a.tlc"), false));
    QVERIFY(!prepareOutput(at("x") / "", false));
    QVERIFY(!prepareOutput("", false));
    QVERIFY(!prepareOutput(at(std::string(1100, 'n')), false));
    QVERIFY(!prepareOutput("/dev/null", true)); // neither file nor folder
    QVERIFY(fs::exists("/dev/null"));
    QVERIFY(prepareOutput("relative.tlc", false)->is_absolute());
}

void TestOutputs::oneFile()
{
    RankFiles files(at("run.tlc"));
    const auto index = files.add(std::nullopt, false);
    QVERIFY(index);
    QCOMPARE(files.file(*index), at("run.tlc"));
}

void TestOutputs::secondProcessMovesTheFirst()
{
    RankFiles files(at("run.tlc"));
    const auto first = *files.add(std::nullopt, false);
    std::ofstream writing(at("run.tlc"));
    writing << "begun " << std::flush;
    const auto second = *files.add(1, false);
    const auto third = *files.add(1, false); // claims the same rank
    writing << "goes on" << std::flush;
    QCOMPARE(files.file(first), at("run.tlc/rank0.tlc"));
    QCOMPARE(files.file(second), at("run.tlc/rank1.tlc"));
    QVERIFY(files.file(third) != files.file(second));
    std::ifstream in(files.file(first));
    QCOMPARE(std::string(std::istreambuf_iterator<char>(in), {}), std::string("begun goes on"));
}

void TestOutputs::discarded()
{
    RankFiles files(at("run.tlc"));
    const auto prepare = *files.add(std::nullopt, false);
    FakeProc::write(files.file(prepare), "");
    files.discard(prepare);
    QVERIFY(!fs::exists(at("run.tlc")));
    QCOMPARE(files.file(*files.add(std::nullopt, false)), at("run.tlc")); // as if nothing had been

    RankFiles ranks(at("ranks.tlc"));
    const auto one = *ranks.add(0, true), two = *ranks.add(1, true);
    FakeProc::write(ranks.file(one), "x");
    ranks.discard(two);
    QVERIFY(fs::exists(at("ranks.tlc/rank0.tlc")));
    ranks.discard(one);
    QVERIFY(!fs::exists(at("ranks.tlc")));
}

void TestOutputs::captureFileCutAtEveryByte()
{
    std::vector<std::size_t> ends;
    const auto bytes = sampleCapture(&ends);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        FakeProc::write(at("cut.tlc"), bytes.substr(0, cut));
        const auto facts = readCaptureFile(at("cut.tlc"));
        QCOMPARE(facts.has_value(), cut >= sizeof(format::FileHeader));
        if (!facts)
            continue;
        const std::uint64_t expected =
            (cut >= ends[1] ? 3U : 0U) + (cut >= ends[3] ? 2U : 0U); // the clock doesn't count
        QCOMPARE(facts->records, expected);
        QCOMPARE(facts->complete, cut >= ends[4]);
        QCOMPARE(facts->dropped, std::uint64_t(cut >= ends[4] ? 4 : 0));
    }
}

void TestOutputs::noCaptureFile()
{
    QVERIFY(!readCaptureFile(at("none")));
    FakeProc::write(at("text"), "this is no capture, but long enough to be one");
    QVERIFY(!readCaptureFile(at("text")));
    QVERIFY(!readCaptureFile(m_folder->path().toStdString()));
    auto damaged = sampleCapture();
    damaged[sizeof(format::FileHeader) + 7] = '\x7f'; // a frame of two gigabytes
    FakeProc::write(at("damaged"), damaged);
    QCOMPARE(readCaptureFile(at("damaged"))->records, std::uint64_t(0));
}

void TestOutputs::metadataFits()
{
    qputenv("TUNELINE_PRICE_PER_HOUR", "2.5");
    const auto full = nlohmann::json::parse(sessionMetadata({"./train", "caf\xe9"}, Revision{"abc", true}, 8191));
    QCOMPARE(full["git_revision"].get<std::string>(), std::string("abc"));
    QCOMPARE(full["git_changed"].get<bool>(), true);
    QCOMPARE(full["price_per_hour"].get<double>(), 2.5);
    QCOMPARE(full["command_line"].size(), 2U);
    qputenv("TUNELINE_PRICE_PER_HOUR", "2,5 EUR");
    const auto cut = sessionMetadata({"./train", std::string(10'000, 'x')}, std::nullopt, 8191);
    QVERIFY(cut.size() < 8192);
    const auto parsed = nlohmann::json::parse(cut);
    QVERIFY(!parsed.contains("price_per_hour") && !parsed.contains("git_revision") && !parsed.contains("command_line"));
    QVERIFY(!gitRevision(m_folder->path().toStdString())); // no repository
}

void TestOutputs::commands()
{
    const auto echo = runCommand({"sh", "-c", "echo out; echo err >&2; exit 3"}, std::chrono::seconds(20));
    QCOMPARE(echo.exitCode, 3);
    QCOMPARE(echo.output, std::string("out\n"));
    QCOMPARE(echo.errors, std::string("err\n"));
    QCOMPARE(runCommand({"/no/such/program"}, std::chrono::seconds(5)).exitCode, -1);
    QCOMPARE(runCommand({}, std::chrono::seconds(5)).exitCode, -1);
    const auto much = runCommand({"sh", "-c", "head -c 300000 /dev/zero"}, std::chrono::seconds(20));
    QCOMPARE(much.output.size(), 300'000U);
}

void TestOutputs::commandTakesTooLong()
{
    const auto slow = runCommand({"sleep", "60"}, std::chrono::milliseconds(100));
    QVERIFY(slow.timedOut);
    QCOMPARE(slow.exitCode, -1);
}

void TestOutputs::outputFile()
{
    auto file = OutputFile::create();
    QVERIFY(file);
    const auto print = [&](std::string_view text) {
        QCOMPARE(write(file->writer(), text.data(), text.size()), ssize_t(text.size()));
    };
    QVERIFY(file->read(false).empty());
    print("one\ntw");
    QCOMPARE(file->read(false), (std::vector<std::string>{"one"}));
    print("o\nthree");
    QCOMPARE(file->read(false), (std::vector<std::string>{"two"}));
    QVERIFY(file->drained());
    QCOMPARE(file->read(true), (std::vector<std::string>{"three"}));
    // More than is read at once; what was read gives its space back.
    const std::string line(99, 'x');
    for (int i = 0; i < 20'000; ++i)
        print(line + '\n');
    std::size_t lines = 0;
    while (!file->drained())
        lines += file->read(false).size();
    QCOMPARE(lines, 20'000U);
}

QTEST_GUILESS_MAIN(TestOutputs)
#include "tst_outputs.moc"
