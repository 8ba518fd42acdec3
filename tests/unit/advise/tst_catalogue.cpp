// SPDX-License-Identifier: GPL-3.0-or-later
// The advice catalogue: complete, well-formed, and the same rules as the code's.
#include "analysis/findings/advicetexts.h"
#include "analysis/findings/catalogue.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

#include <set>

using namespace tuneline::analysis;
using Json = nlohmann::json;

namespace {

const std::set<std::string> kFamilies{"input", "synchronisation", "launch", "compute", "memory", "distributed", "run"};

bool isText(const Json &json, const char *key)
{
    return json.contains(key) && json[key].is_string() && !json[key].get<std::string>().empty();
}

bool isTextList(const Json &json, const char *key)
{
    return json.contains(key) && json[key].is_array()
        && std::all_of(json[key].begin(), json[key].end(),
                       [](const Json &x) { return x.is_string() && !x.get<std::string>().empty(); });
}

} // namespace

class TestCatalogue : public QObject
{
    Q_OBJECT

private slots:
    void everyFileFitsTheSchema_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(TUNELINE_SOURCE_DIR "/resources/advice");
        for (const QString &name : folder.entryList({"*.json"}, QDir::Files))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void everyFileFitsTheSchema()
    {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json json = Json::parse(file.readAll().toStdString(), nullptr, false);
        QVERIFY(json.is_object());
        const std::set<std::string> keys{"rule", "family", "title",   "explanation",
                                         "fix",  "verify", "caveats", "makes_useless"};
        for (const auto &[key, value] : json.items())
            QVERIFY2(keys.contains(key), key.c_str());
        for (const char *key : {"rule", "family", "title", "explanation"})
            QVERIFY2(isText(json, key), key);
        QVERIFY(isText(json["fix"], "where") && isText(json["fix"], "cpp") && isText(json["fix"], "python"));
        QVERIFY(isText(json["verify"], "metric") && isText(json["verify"], "expect"));
        QVERIFY(isTextList(json, "caveats") && isTextList(json, "makes_useless"));
        QVERIFY(kFamilies.contains(json["family"].get<std::string>()));
        QCOMPARE(QString::fromStdString(json["rule"].get<std::string>()) + ".json", QFileInfo(path).fileName());
        for (const Json &other : json["makes_useless"])
            QVERIFY2(catalogueEntry(other.get<std::string>()), other.get<std::string>().c_str());
    }

    void theLibraryHasEveryFile()
    {
        const QDir folder(TUNELINE_SOURCE_DIR "/resources/advice");
        QCOMPARE(static_cast<qsizetype>(catalogue().size()), folder.entryList({"*.json"}, QDir::Files).size());
        std::set<std::string> rules;
        for (const CatalogueEntry &entry : catalogue())
            rules.insert(entry.rule);
        QCOMPARE(rules.size(), catalogue().size());
    }

    // RULES.md's list: a rule that loses its entry is noticed.
    void everyRuleHasItsEntry()
    {
        for (const char *rule : {"input-wait",
                                 "input-cpu-limit",
                                 "input-worker-restart",
                                 "copy-pageable",
                                 "copy-not-overlapped",
                                 "copy-many-small",
                                 "copy-roundtrip",
                                 "sync-item",
                                 "sync-explicit",
                                 "sync-allocation",
                                 "launch-blocking",
                                 "launch-bound",
                                 "optimizer-unfused",
                                 "zero-grad-memset",
                                 "pointwise-chains",
                                 "recompile",
                                 "python-or-host-work",
                                 "tf32-off",
                                 "precision",
                                 "fp16-scaler",
                                 "channels-last",
                                 "alignment",
                                 "attention-unfused",
                                 "conv-autotune",
                                 "small-grid",
                                 "bias-before-norm",
                                 "batch-size",
                                 "padding",
                                 "shapes-vary",
                                 "graph-breaks",
                                 "memory-limit",
                                 "memory-growth",
                                 "memory-temporary",
                                 "memory-fragmentation",
                                 "checkpointing-unneeded",
                                 "comm-exposed",
                                 "straggler",
                                 "data-parallel",
                                 "scaling",
                                 "checkpoint-stall",
                                 "numerics",
                                 "capture-quality",
                                 "clocks"})
            QVERIFY2(catalogueEntry(rule), rule);
        QVERIFY(!catalogueEntry("no-such-rule"));
    }

    void placeholdersAreFilled()
    {
        QCOMPARE(fill("a {b} c", {{"b", "1"}}), "a 1 c");
        QCOMPARE(fill("{b}{b}", {{"b", "x"}}), "xx");
        QCOMPARE(fill("f({x}) { return {b}; }", {{"b", "1"}}), "f({x}) { return 1; }"); // braces of code stay
        QCOMPARE(fill("open { end", {}), "open { end");
    }

    // The C++ front end of LibTorch has none of these.
    void snippetsUseWhatTheFrontEndHas()
    {
        for (const CatalogueEntry &entry : catalogue())
            for (const char *missing :
                 {"GradScaler", "fused=", "checkpoint(", "torch::compile", "DataParallel(", "torch.nn"})
                QVERIFY2(entry.cpp.find(missing) == std::string::npos || entry.cpp.find("//") != std::string::npos,
                         entry.rule.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCatalogue)
#include "tst_catalogue.moc"
