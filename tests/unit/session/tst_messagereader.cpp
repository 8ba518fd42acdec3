// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/linesplitter.h"
#include "capture/session/messagereader.h"

#include <QTest>

using namespace tuneline;
using namespace tuneline::capture;

namespace {

std::vector<char> twoMessages()
{
    format::HelloMessage hello;
    hello.pid = 77;
    setText(hello.executable, "/bin/train");
    format::StatusMessage status;
    status.records = 12345;
    auto bytes = encodeMessage(format::ControlKind::Hello, &hello, sizeof hello);
    const auto second = encodeMessage(format::ControlKind::Status, &status, sizeof status);
    bytes.insert(bytes.end(), second.begin(), second.end());
    return bytes;
}

// All messages that are there; fails the test on an error.
std::vector<ControlMessage> takeAll(MessageReader &reader)
{
    std::vector<ControlMessage> messages;
    for (;;) {
        auto next = reader.next();
        if (!next || !*next)
            return messages;
        messages.push_back(std::move(**next));
    }
}

} // namespace

class TestMessageReader : public QObject
{
    Q_OBJECT

private slots:
    void cutAtEveryByte();
    void byteByByte();
    void noise_data();
    void noise();
    void newerProtocolSaysWhatToDo();
    void shorterAndLongerPayloads();
    void textsAreTerminated();
    void lines_data();
    void lines();
    void longLinesComeInPieces();
};

void TestMessageReader::cutAtEveryByte()
{
    const auto bytes = twoMessages();
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        MessageReader reader;
        reader.feed(bytes.data(), cut);
        auto messages = takeAll(reader);
        reader.feed(bytes.data() + cut, bytes.size() - cut);
        for (auto &message : takeAll(reader))
            messages.push_back(std::move(message));
        QCOMPARE(messages.size(), 2U);
        QCOMPARE(messages[0].as<format::HelloMessage>().pid, 77);
        QCOMPARE(textOf(messages[0].as<format::HelloMessage>().executable), std::string("/bin/train"));
        QCOMPARE(messages[1].as<format::StatusMessage>().records, std::uint64_t(12345));
    }
}

void TestMessageReader::byteByByte()
{
    MessageReader reader;
    std::size_t seen = 0;
    for (const char byte : twoMessages()) {
        reader.feed(&byte, 1);
        seen += takeAll(reader).size();
    }
    QCOMPARE(seen, 2U);
}

void TestMessageReader::noise_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("text") << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n");
    QTest::newRow("zeros") << QByteArray(64, '\0');
    format::ControlHeader huge;
    huge.kind = format::ControlKind::Status;
    huge.payloadBytes = 0xFFFFFFFFU;
    QTest::newRow("huge payload") << QByteArray(reinterpret_cast<const char *>(&huge), sizeof huge);
}

void TestMessageReader::noise()
{
    QFETCH(QByteArray, bytes);
    MessageReader reader;
    reader.feed(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    const auto next = reader.next();
    QVERIFY(!next);
    QCOMPARE(next.error().code, Error::Code::AgentSilent);
}

void TestMessageReader::newerProtocolSaysWhatToDo()
{
    format::ControlHeader header;
    header.version = format::kControlVersion + 1;
    MessageReader reader;
    reader.feed(reinterpret_cast<const char *>(&header), sizeof header);
    const auto next = reader.next();
    QVERIFY(!next);
    QVERIFY(next.error().message.find("protocol 2") != std::string::npos);
    QVERIFY(!next.error().advice.empty());
}

void TestMessageReader::shorterAndLongerPayloads()
{
    format::StatusMessage status;
    status.state = format::AgentState::Recording;
    status.dropped = 9;
    std::vector<char> longer(sizeof status + 40, 'x');
    std::memcpy(longer.data(), &status, sizeof status);
    MessageReader reader;
    const auto first = encodeMessage(format::ControlKind::Status, longer.data(), longer.size());
    const auto second = encodeMessage(format::ControlKind::Status, &status, 8); // only state and error
    reader.feed(first.data(), first.size());
    reader.feed(second.data(), second.size());
    const auto messages = takeAll(reader);
    QCOMPARE(messages.size(), 2U);
    QCOMPARE(messages[0].as<format::StatusMessage>().dropped, std::uint64_t(9));
    QCOMPARE(messages[1].as<format::StatusMessage>().state, format::AgentState::Recording);
    QCOMPARE(messages[1].as<format::StatusMessage>().dropped, std::uint64_t(0));
}

void TestMessageReader::textsAreTerminated()
{
    format::ArmMessage message;
    QVERIFY(setText(message.path, std::string(1023, 'a')));
    QVERIFY(!setText(message.path, std::string(1024, 'b')));
    QCOMPARE(message.path[1023], '\0');
    QCOMPARE(textOf(message.path).size(), 1023U);
    char full[4] = {'a', 'b', 'c', 'd'}; // as a broken agent may send it
    QCOMPARE(textOf(full), std::string("abcd"));
}

void TestMessageReader::lines_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("two") << QByteArray("a\nbc\n") << QStringList{"a", "bc"};
    QTest::newRow("dos") << QByteArray("a\r\nb\r\n") << QStringList{"a", "b"};
    QTest::newRow("empty lines") << QByteArray("\n\nx\n") << QStringList{"", "", "x"};
    QTest::newRow("no end") << QByteArray("a\nrest") << QStringList{"a"};
    QTest::newRow("inner return") << QByteArray("50%\r100%\n") << QStringList{"50%\r100%"};
}

void TestMessageReader::lines()
{
    QFETCH(QByteArray, text);
    QFETCH(QStringList, expected);
    for (int cut = 0; cut <= text.size(); ++cut) { // in every two pieces
        LineSplitter splitter(1000);
        QStringList seen;
        for (const auto &piece : {text.left(cut), text.mid(cut)}) {
            for (const auto &line : splitter.feed({piece.constData(), static_cast<std::size_t>(piece.size())}))
                seen << QString::fromStdString(line.text);
        }
        QCOMPARE(seen, expected);
    }
}

void TestMessageReader::longLinesComeInPieces()
{
    LineSplitter splitter(4);
    const auto lines = splitter.feed("abcdefghij\nkl\n");
    QCOMPARE(lines.size(), 4U);
    QCOMPARE(lines[0].text, std::string("abcd"));
    QVERIFY(!lines[0].whole && !lines[1].whole && !lines[2].whole);
    QCOMPARE(lines[2].text, std::string("ij"));
    QVERIFY(lines[3].whole);
    QCOMPARE(lines[3].text, std::string("kl"));
}

QTEST_GUILESS_MAIN(TestMessageReader)
#include "tst_messagereader.moc"
