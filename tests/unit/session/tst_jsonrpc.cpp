// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/fetch.h"
#include "capture/session/jsonrpc.h"
#include "capture/session/rpcparams.h"
#include "capture/session/sessionjson.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tuneline::capture;
using nlohmann::json;

class TestJsonRpc : public QObject
{
    Q_OBJECT

private slots:
    void goodRequest();
    void notification();
    void malformed_data();
    void malformed();
    void deepNesting();
    void answersAreOneLine();
    void invalidUtf8Survives();
    void plans_data();
    void plans();
    void wrongParameters_data();
    void wrongParameters();
    void environmentChanges();
    void base64_data();
    void base64();
    void fetchesOnlyCaptures();
};

void TestJsonRpc::goodRequest()
{
    const auto request = parseRequest(R"({"jsonrpc":"2.0","id":"x1","method":"stop","params":{"session":3}})");
    QVERIFY(request);
    QCOMPARE(request->method, std::string("stop"));
    QVERIFY(request->id == "x1" && !request->notification);
    QCOMPARE(request->params["session"].get<int>(), 3);
}

void TestJsonRpc::notification()
{
    const auto request = parseRequest(R"({"jsonrpc":"2.0","method":"stop"})");
    QVERIFY(request && request->notification && request->params.empty());
}

void TestJsonRpc::malformed_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<int>("code");
    const auto row = [](const char *name, const char *line, int code) {
        QTest::newRow(name) << QByteArray(line) << code;
    };
    row("text", "hello", RpcError::kParse);
    row("cut", R"({"jsonrpc":"2.0","id":1,"meth)", RpcError::kParse);
    row("two", R"({"jsonrpc":"2.0","id":1,"method":"list"}{})", RpcError::kParse);
    row("bad utf-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", RpcError::kParse);
    row("comment", R"({"jsonrpc":"2.0",/* */"id":1,"method":"list"})", RpcError::kParse);
    row("batch", R"([{"jsonrpc":"2.0","id":1,"method":"list"}])", RpcError::kInvalidRequest);
    row("number", "42", RpcError::kInvalidRequest);
    row("null", "null", RpcError::kInvalidRequest);
    row("no version", R"({"id":1,"method":"list"})", RpcError::kInvalidRequest);
    row("old version", R"({"jsonrpc":"1.0","id":1,"method":"list"})", RpcError::kInvalidRequest);
    row("no method", R"({"jsonrpc":"2.0","id":1})", RpcError::kInvalidRequest);
    row("method is a number", R"({"jsonrpc":"2.0","id":1,"method":7})", RpcError::kInvalidRequest);
    row("id is an object", R"({"jsonrpc":"2.0","id":{},"method":"list"})", RpcError::kInvalidRequest);
    row("params by position", R"({"jsonrpc":"2.0","id":1,"method":"list","params":[1]})", RpcError::kInvalidParams);
    row("params are a text", R"({"jsonrpc":"2.0","id":1,"method":"list","params":"x"})", RpcError::kInvalidParams);
}

void TestJsonRpc::malformed()
{
    QFETCH(QByteArray, line);
    QFETCH(int, code);
    const auto request = parseRequest({line.constData(), static_cast<std::size_t>(line.size())});
    QVERIFY(!request);
    const auto answer = json::parse(request.error());
    QCOMPARE(answer["error"]["code"].get<int>(), code);
    QVERIFY(answer.contains("id"));
    QCOMPARE(answer["jsonrpc"].get<std::string>(), std::string("2.0"));
}

void TestJsonRpc::deepNesting()
{
    const std::string deep = R"({"jsonrpc":"2.0","id":1,"method":"x","params":)" + std::string(200'000, '[');
    QVERIFY(!parseRequest(deep));
    const std::string closed = R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"a":)" + std::string(5'000, '[')
        + std::string(5'000, ']') + "}}";
    QVERIFY(!parseRequest(closed));
}

void TestJsonRpc::answersAreOneLine()
{
    const auto line = makeNotification("output", {{"text", "a\nb\r\"c\""}});
    QVERIFY(line.find('\n') == std::string::npos);
    QCOMPARE(json::parse(line)["params"]["text"].get<std::string>(), std::string("a\nb\r\"c\""));
    const auto error = json::parse(makeError(7, {Error::Code::Busy, "m", "a"}));
    QCOMPARE(error["error"]["code"].get<int>(), 11);
    QCOMPARE(error["error"]["data"]["name"].get<std::string>(), std::string("busy"));
}

void TestJsonRpc::invalidUtf8Survives()
{
    const auto line = makeNotification("output", {{"text", "caf\xe9"}});
    QCOMPARE(json::parse(line)["params"]["text"].get<std::string>(), std::string("caf\xef\xbf\xbd"));
}

void TestJsonRpc::plans_data()
{
    QTest::addColumn<QByteArray>("params");
    QTest::addColumn<qint64>("warmup");
    QTest::addColumn<qint64>("steps");
    QTest::addColumn<qint64>("ns");
    QTest::newRow("defaults") << QByteArray("{}") << qint64(-1) << qint64(0) << qint64(0);
    QTest::newRow("nulls") << QByteArray(R"({"warmup":null,"steps":null,"seconds":null,"out":null})") << qint64(-1)
                           << qint64(0) << qint64(0);
    QTest::newRow("auto") << QByteArray(R"({"warmup":"auto","steps":8})") << qint64(-1) << qint64(8) << qint64(0);
    QTest::newRow("all") << QByteArray(R"({"warmup":0,"steps":1,"seconds":0.25,"new":1})") << qint64(0) << qint64(1)
                         << qint64(250'000'000);
}

void TestJsonRpc::plans()
{
    QFETCH(QByteArray, params);
    QFETCH(qint64, warmup);
    QFETCH(qint64, steps);
    QFETCH(qint64, ns);
    const auto document = json::parse(params.constData());
    RpcParams reader(document);
    const auto plan = reader.plan("train");
    QCOMPARE(reader.error(), std::string());
    QCOMPARE(plan.warmupSteps, warmup);
    QCOMPARE(plan.windowSteps, steps);
    QCOMPARE(plan.windowNs, ns);
    QCOMPARE(plan.limited(), steps > 0 || ns > 0);
    QVERIFY(plan.out.string().rfind("train-", 0) == 0);
}

void TestJsonRpc::wrongParameters_data()
{
    QTest::addColumn<QByteArray>("params");
    QTest::addColumn<QString>("key");
    const auto row = [](const char *params, const char *key) { QTest::newRow(params) << QByteArray(params) << key; };
    row(R"({"warmup":-1})", "warmup");
    row(R"({"warmup":1.5})", "warmup");
    row(R"({"warmup":"soon"})", "warmup");
    row(R"({"steps":0})", "steps");
    row(R"({"steps":18446744073709551615})", "steps");
    row(R"({"steps":"8"})", "steps");
    row(R"({"seconds":0})", "seconds");
    row(R"({"seconds":1e300})", "seconds");
    row(R"({"seconds":true})", "seconds");
    row(R"({"detail":"huge"})", "detail");
    row(R"({"graphs":"nodes"})", "graphs");
    row(R"({"out":5})", "out");
    row(R"({"out":"a\u0000b"})", "out");
    row(R"({"force":1})", "force");
}

void TestJsonRpc::wrongParameters()
{
    QFETCH(QByteArray, params);
    QFETCH(QString, key);
    const auto document = json::parse(params.constData());
    RpcParams reader(document);
    std::ignore = reader.plan("train");
    QVERIFY2(QString::fromStdString(reader.error()).contains('"' + key + '"'), reader.error().c_str());
}

void TestJsonRpc::environmentChanges()
{
    const auto good = json::parse(R"({"argv":["a","b"],"env":{"NEW":"1","GONE":null}})");
    RpcParams reader(good);
    QCOMPARE(reader.environment("env", {{"GONE", "x"}, {"KEPT", "y"}}), (Environment{{"KEPT", "y"}, {"NEW", "1"}}));
    QCOMPARE(reader.texts("argv"), (std::vector<std::string>{"a", "b"}));
    QCOMPARE(reader.error(), std::string());
    for (const char *text : {R"({"env":{"A=B":"1"}})", R"({"env":{"":"1"}})", R"({"env":{"A":1}})", R"({"env":[]})"}) {
        const auto bad = json::parse(text);
        RpcParams wrong(bad);
        std::ignore = wrong.environment("env", {});
        QVERIFY2(!wrong.error().empty(), text);
    }
    for (const char *text : {R"({})", R"({"argv":[]})", R"({"argv":"a"})", R"({"argv":["a",1]})"}) {
        const auto bad = json::parse(text);
        RpcParams wrong(bad);
        QVERIFY(wrong.texts("argv").empty());
        QVERIFY2(!wrong.error().empty(), text);
    }
}

void TestJsonRpc::base64_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("1") << QByteArray("a");
    QTest::newRow("2") << QByteArray("ab");
    QTest::newRow("3") << QByteArray("abc");
    QTest::newRow("binary") << QByteArray::fromHex("00ff10807f0a0d");
    QTest::newRow("long") << QByteArray(100'001, '\xfe');
}

void TestJsonRpc::base64()
{
    QFETCH(QByteArray, bytes);
    const auto text = toBase64({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    QCOMPARE(QByteArray::fromStdString(text), bytes.toBase64());
}

void TestJsonRpc::fetchesOnlyCaptures()
{
    QTemporaryDir folder;
    const auto write = [&](const char *name, const QByteArray &bytes) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    };
    QVERIFY(write("a.tlc", "TUNELINE0123456789"));
    QVERIFY(write("key.tlc", "-----BEGIN PRIVATE KEY-----"));
    const auto path = folder.filePath("a.tlc").toStdString();
    const auto piece = fetchPiece(path, 8, 4);
    QVERIFY(piece);
    QCOMPARE(piece->bytes, std::string("0123"));
    QCOMPARE(piece->size, std::uint64_t(18));
    QCOMPARE(fetchPiece(path, 16, 100)->bytes, std::string("89"));
    QCOMPARE(fetchPiece(path, 1000, 100)->bytes, std::string());
    QVERIFY(!fetchPiece(folder.filePath("key.tlc").toStdString(), 0, 10));
    QVERIFY(!fetchPiece(folder.path().toStdString(), 0, 10));
    QVERIFY(!fetchPiece(folder.filePath("none.tlc").toStdString(), 0, 10));
    QVERIFY(!fetchPiece("/dev/zero", 0, 10));
}

QTEST_GUILESS_MAIN(TestJsonRpc)
#include "tst_jsonrpc.moc"
