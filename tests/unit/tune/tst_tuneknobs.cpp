// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tuneknobs.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tuneline::cli;

class TestTuneKnobs : public QObject
{
    Q_OBJECT

private slots:
    void parses();
    void turns_data();
    void turns();
    void knobFile();
    void brokenKnobFiles_data();
    void brokenKnobFiles();

private:
    QString write(const QByteArray &text)
    {
        QFile file(m_folder.filePath("knobs.json"));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
    }
    QTemporaryDir m_folder;
};

void TestTuneKnobs::parses()
{
    const auto settings = parseKnobs("pin_memory=true, workers=6,broken,=1");
    QCOMPARE(settings.size(), 2U);
    QCOMPARE(settings[0].key, std::string("pin_memory"));
    QCOMPARE(settings[1].key, std::string("workers"));
    QCOMPARE(settings[1].value, std::string("6"));
    QVERIFY(parseKnobs("").empty());
}

void TestTuneKnobs::turns_data()
{
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QStringList>("after");
    QTest::newRow("new") << QStringList{"./t", "data"} << QStringList{"./t", "data", "--batch-size=64"};
    QTest::newRow("joined") << QStringList{"./t", "--batch-size=8", "data"}
                            << QStringList{"./t", "data", "--batch-size=64"};
    QTest::newRow("two words") << QStringList{"./t", "--batch-size", "8", "x"}
                               << QStringList{"./t", "x", "--batch-size=64"};
    QTest::newRow("as a switch") << QStringList{"./t", "--batch-size", "--y"}
                                 << QStringList{"./t", "--y", "--batch-size=64"};
    QTest::newRow("at the end") << QStringList{"./t", "--batch-size"} << QStringList{"./t", "--batch-size=64"};
    QTest::newRow("empty word") << QStringList{"./t", "--batch-size", ""} << QStringList{"./t", "--batch-size=64"};
    QTest::newRow("longer name stays") << QStringList{"./t", "--batch-size-max=9"}
                                       << QStringList{"./t", "--batch-size-max=9", "--batch-size=64"};
}

void TestTuneKnobs::turns()
{
    QFETCH(QStringList, before);
    QFETCH(QStringList, after);
    Arguments program;
    for (const auto &word : before)
        program.push_back(word.toStdString());
    const auto changed = KnobFlags().apply(program, {"batch_size", "64"});
    QVERIFY(changed);
    QStringList words;
    for (const auto &word : *changed)
        words << QString::fromStdString(word);
    QCOMPARE(words, after);
}

void TestTuneKnobs::knobFile()
{
    const auto flags =
        KnobFlags::read(write(R"({"workers": "--num-workers {}", "batch_size": "data.batch={}"})").toStdString());
    QVERIFY(flags);
    QCOMPARE(*flags->apply({"./t", "--num-workers", "0"}, {"workers", "4"}), (Arguments{"./t", "--num-workers", "4"}));
    QCOMPARE(*flags->apply({"./t", "data.batch=8"}, {"batch_size", "16"}), (Arguments{"./t", "data.batch=16"}));
    QVERIFY(!flags->apply({"./t"}, {"precision", "bf16"})); // not in the file: not turned
}

void TestTuneKnobs::brokenKnobFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "[]", "{", R"({"workers": 4})", R"({"workers": "--num-workers"})"})
        QTest::newRow(text) << QByteArray(text);
}

void TestTuneKnobs::brokenKnobFiles()
{
    QFETCH(QByteArray, text);
    QVERIFY(!KnobFlags::read(write(text).toStdString()));
    QVERIFY(!KnobFlags::read("/no/such/file"));
}

QTEST_GUILESS_MAIN(TestTuneKnobs)
#include "tst_tuneknobs.moc"
