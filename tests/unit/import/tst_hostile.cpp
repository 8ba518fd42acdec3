// SPDX-License-Identifier: GPL-3.0-or-later
// Several hundred small inputs that are odd or broken in one way each (tests/data/import): what opens, what is counted,
// what is linked and which problem is named. The expected values were checked by hand when each input was written.
#include "analysis/analysis.h"
#include "analysis/import/open.h"
#include "analysis/report/inspect.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

using namespace tuneline::analysis;
using nlohmann::json;

namespace {

json inputs(const char *file)
{
    QFile data(QString(TUNELINE_TEST_DATA "/import/") + file);
    if (!data.open(QIODevice::ReadOnly))
        return json();
    return json::parse(data.readAll().toStdString(), nullptr, false);
}

void addRows(const char *file)
{
    QTest::addColumn<QByteArray>("input");
    for (const json &input : inputs(file))
        QTest::newRow(input["name"].get<std::string>().c_str()) << QByteArray::fromStdString(input.dump());
}

// What the expected values speak of, in their own shape.
json summary(const json &inspected)
{
    json out{{"span_ns", inspected["span_ns"]},
             {"truncated", inspected["truncated"]},
             {"documents", inspected["documents"]},
             {"counts", json::object()},
             {"lanes", json::object()},
             {"problems", json::object()}};
    for (const auto &[what, count] : inspected["counts"].items()) {
        if (count != 0)
            out["counts"][what] = count;
    }
    for (const json &lane : inspected["lanes"])
        out["lanes"][lane["kind"].get<std::string>()] = out["lanes"].value(lane["kind"].get<std::string>(), 0) + 1;
    for (const json &problem : inspected["problems"])
        out["problems"][problem["name"].get<std::string>()] = problem["count"];
    for (const char *link : {"linked", "unlinked", "orphans", "clock_skew"})
        out["links"][link] = inspected["links"][link];
    return out;
}

} // namespace

class TestHostile : public QObject
{
    Q_OBJECT
private slots:
    void json_data() { addRows("hostile.json"); }
    void json();
    void nsys_data() { addRows("nsys.json"); }
    void nsys();

private:
    void check(const std::filesystem::path &file, const nlohmann::json &input);
    QTemporaryDir m_folder;
};

void TestHostile::check(const std::filesystem::path &file, const nlohmann::json &input)
{
    Progress progress;
    const auto trace = openTrace({file}, progress);
    if (input.contains("error")) {
        QVERIFY(!trace);
        const std::string &message = trace.error().message;
        QVERIFY2(message.find(input["error"].get<std::string>()) != std::string::npos, message.c_str());
        return;
    }
    QVERIFY2(trace, trace ? "" : trace.error().message.c_str());
    const auto analysis = analyse(*trace, {}, progress);
    QVERIFY(analysis);
    const std::string got = summary(inspectJson(**analysis)).dump(), wanted = input["expect"].dump();
    QCOMPARE(QByteArray::fromStdString(got), QByteArray::fromStdString(wanted));
}

void TestHostile::json()
{
    QFETCH(QByteArray, input);
    const auto spec = nlohmann::json::parse(input.toStdString());
    const std::string bytes = spec.contains("base64")
        ? QByteArray::fromBase64(QByteArray::fromStdString(spec["base64"].get<std::string>())).toStdString()
        : spec["text"].get<std::string>();
    const std::filesystem::path file =
        std::filesystem::path(m_folder.path().toStdString()) / ("input" + spec["ending"].get<std::string>());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    check(file, spec);
}

void TestHostile::nsys()
{
    QFETCH(QByteArray, input);
    const auto spec = nlohmann::json::parse(input.toStdString());
    const std::filesystem::path file = std::filesystem::path(m_folder.path().toStdString()) / "input.sqlite";
    std::filesystem::remove(file);
    sqlite3 *raw = nullptr;
    QCOMPARE(sqlite3_open(file.c_str(), &raw), SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3 *)> database(raw, sqlite3_close);
    QCOMPARE(sqlite3_exec(raw, spec["sql"].get<std::string>().c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    check(file, spec);
}

QTEST_GUILESS_MAIN(TestHostile)
#include "tst_hostile.moc"
