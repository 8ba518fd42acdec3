// SPDX-License-Identifier: MIT
// The capture file's container: what the writer writes is byte for byte what FORMAT.md says.
#include "capture/agent/batches.h"
#include "capture/agent/framefile.h"
#include "capture/agent/names.h"
#include "capture/format/frames.h"
#include "capture/format/records.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <random>
#include <zlib.h>

using namespace tuneline;

class TestFormat : public QObject
{
    Q_OBJECT

private slots:
    void checksumIsZlibs();
    void bytesAreAsDocumented();
    void namesStandBeforeTheirRecords();
    void largeBatchesBecomeSeveralFrames();
    void neverOverwrites();
};

void TestFormat::checksumIsZlibs()
{
    std::mt19937 random(1);
    for (const std::size_t size : {0, 1, 7, 8, 9, 4096, 100'001}) {
        QByteArray data(qsizetype(size), 0);
        for (char &c : data)
            c = char(random());
        const auto expected = quint32(crc32(0, reinterpret_cast<const Bytef *>(data.constData()), uInt(size)));
        QCOMPARE(format::checksum(data.constData(), size), expected);
    }
}

void TestFormat::bytesAreAsDocumented()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.tlc"));
    {
        agent::FrameFile file;
        QCOMPARE(file.create(QFile::encodeName(path).constData()), 0);
        file.writeMetadata("{}");
        file.writeEnd(3);
        QCOMPARE(file.error(), 0);
        QCOMPARE(file.bytesWritten(), quint64(16 + 16 + 2 + 16 + 16));
    }
    QFile written(path);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray bytes = written.readAll();
    QByteArray expected = QByteArray::fromHex("54554e454c494e45"
                                              "01000000"
                                              "10000000" // TUNELINE, version 1, 16 bytes
                                              "01000000"
                                              "02000000"
                                              "43bfa6a3"
                                              "00000000") // Metadata, 2 bytes, CRC of {}, first
        + "{}"
        + QByteArray::fromHex("04000000"
                              "10000000"); // End, 16 bytes
    const QByteArray end = QByteArray::fromHex("0000000000000000"
                                               "0300000000000000");
    const quint32 crc = format::checksum(end.constData(), std::size_t(end.size()));
    expected += QByteArray(reinterpret_cast<const char *>(&crc), 4) + QByteArray::fromHex("01000000") + end;
    QCOMPARE(bytes.toHex(), expected.toHex());
}

void TestFormat::namesStandBeforeTheirRecords()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.tlc"));
    const quint32 id = agent::NameTable::instance().intern("aten::mm").id;
    QCOMPARE(agent::NameTable::instance().intern("aten::mm").id, id); // once
    QVERIFY(id != agent::NameTable::instance().intern("aten::add").id);
    agent::FrameFile file;
    QCOMPARE(file.create(QFile::encodeName(path).constData()), 0);
    agent::Batches batches(file);
    batches.add(format::RecordKind::Op, format::OpRecord{1, 2, id, 3, 0, format::OpScope::Function, 0, 0, 9});
    batches.flush();
    file.close();
    QFile written(path);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray bytes = written.readAll();
    format::FrameHeader first;
    std::memcpy(&first, bytes.constData() + 16, sizeof first);
    QCOMPARE(first.kind, format::FrameKind::Strings);
    const qsizetype name = bytes.indexOf("aten::mm");
    QVERIFY(name > 0);
    format::FrameHeader second;
    const qsizetype at = 16 + qsizetype(sizeof first) + first.payloadBytes;
    std::memcpy(&second, bytes.constData() + at, sizeof second);
    QCOMPARE(second.kind, format::FrameKind::Records);
    QCOMPARE(second.payloadBytes, quint32(sizeof(format::RecordBlock) + sizeof(format::OpRecord)));
    QVERIFY(name < at);
}

void TestFormat::largeBatchesBecomeSeveralFrames()
{
    QTemporaryDir folder;
    agent::FrameFile file;
    QCOMPARE(file.create(QFile::encodeName(folder.filePath(QStringLiteral("a.tlc"))).constData()), 0);
    agent::Batches batches(file);
    constexpr int kRecords = 100'000;
    for (int i = 0; i < kRecords; ++i)
        batches.add(format::RecordKind::Op, format::OpRecord{});
    batches.flush();
    QCOMPARE(file.records(), quint64(kRecords));
    const quint64 content = quint64(kRecords) * sizeof(format::OpRecord);
    QVERIFY(file.bytesWritten() > content);
    QVERIFY(file.bytesWritten() < content + content / 100 + 4096); // frames are large: little of it is headers
}

void TestFormat::neverOverwrites()
{
    QTemporaryDir folder;
    QFile precious(folder.filePath(QStringLiteral("a.tlc")));
    QVERIFY(precious.open(QIODevice::WriteOnly));
    precious.write("data");
    precious.close();
    agent::FrameFile file;
    QCOMPARE(file.create(QFile::encodeName(precious.fileName()).constData()), EEXIST);
    QVERIFY(precious.open(QIODevice::ReadOnly));
    QCOMPARE(precious.readAll(), QByteArray("data"));
}

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
