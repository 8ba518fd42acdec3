// SPDX-License-Identifier: GPL-3.0-or-later
// The number of events that the readers find is the number that Python's json and sqlite3 find, in every file of our
// own: the cases and the samples, which are exported for it.
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "analysis/import/writers/writers.h"
#include "analysis/report/inspect.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;
using nlohmann::json;

namespace {

// Damage and encodings that Python's json refuses; tst_cases has their values.
const QStringList kPythonRefuses{"01_backslash.json",     "02_quote.json",   "04_inf_nan.json",     "06_truncated.json",
                                 "08_one_bad_event.json", "10_utf16le.json", "11_concatenated.json"};

json pythonCounts(const QStringList &files)
{
    QProcess python;
    python.start("python3", QStringList{TUNELINE_SOURCE_DIR "/tests/unit/import/count_events.py"} + files);
    if (!python.waitForFinished(60000) || python.exitCode() != 0)
        return json();
    return json::parse(python.readAllStandardOutput().toStdString(), nullptr, false);
}

json ownCounts(const QString &file)
{
    Progress progress;
    auto trace = openTrace({file.toStdString()}, progress);
    if (!trace)
        return trace.error().message;
    const auto analysis = analyse(*trace, {}, progress);
    return analysis ? inspectJson(**analysis)["counts"] : json(analysis.error().message);
}

} // namespace

class TestCounts : public QObject
{
    Q_OBJECT
private slots:
    void cases();
    void samples();

private:
    void compare(const QStringList &files);
    int m_compared = 0;
};

void TestCounts::compare(const QStringList &files)
{
    const json counts = pythonCounts(files);
    QVERIFY2(counts.is_object(), "python3 can't run count_events.py");
    for (const QString &file : files) {
        const json &python = counts.at(file.toStdString());
        const bool refused = kPythonRefuses.contains(QFileInfo(file).fileName());
        QVERIFY2(python.is_null() == refused, qPrintable(file));
        if (refused)
            continue;
        const json own = ownCounts(file);
        QVERIFY2(own.is_object(), own.dump().c_str());
        for (const auto &[what, number] : python.items()) {
            const std::string words = QFileInfo(file).fileName().toStdString() + ", " + what + ": Python finds "
                + number.dump() + ", we " + own.value(what, json()).dump();
            QVERIFY2(own.value(what, json()) == number, words.c_str());
        }
        ++m_compared;
    }
}

void TestCounts::cases()
{
    QStringList files;
    for (const QFileInfo &file : QDir(TUNELINE_TEST_DATA "/cases").entryInfoList(QDir::Files)) {
        const QString name = file.fileName();
        if (name != "expected.json" && (name.contains(".json") || name.endsWith(".sqlite")))
            files << file.absoluteFilePath();
    }
    QVERIFY(files.size() > 50);
    compare(files);
    QCOMPARE(m_compared, int(files.size() - kPythonRefuses.size()));
}

void TestCounts::samples()
{
    QTemporaryDir folder;
    QStringList exported;
    for (const QFileInfo &sample : QDir(TUNELINE_SOURCE_DIR "/resources/samples").entryInfoList({"*.tlc.gz"})) {
        Progress progress;
        const auto trace = openTrace({sample.absoluteFilePath().toStdString()}, progress);
        QVERIFY(trace);
        const QString file = folder.path() + "/" + sample.baseName() + ".json";
        std::ofstream out(file.toStdString());
        QVERIFY(writeChromeTrace(**trace, out, progress));
        out.close();
        const json before = ownCounts(sample.absoluteFilePath()), after = ownCounts(file);
        QVERIFY2(before == after, (before.dump() + " became " + after.dump()).c_str()); // the export lost nothing
        exported << file;
    }
    QVERIFY(exported.size() >= 4);
    compare(exported);
}

QTEST_GUILESS_MAIN(TestCounts)
#include "tst_counts.moc"
