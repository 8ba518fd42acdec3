// SPDX-License-Identifier: GPL-3.0-or-later
// Knobs and options: names, precedence of flags over knob file over defaults, and messages that name what is wrong.
#include "capture/trainer/options.h"
#include "capture/trainer/report.h"
#include "capture/trainer/usererror.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace tuneline::trainer;

namespace {

Options parse(const QStringList &arguments)
{
    QList<QByteArray> owned{"tuneline-train"};
    for (const QString &argument : arguments)
        owned << argument.toUtf8();
    std::vector<const char *> argv;
    for (const QByteArray &argument : owned)
        argv.push_back(argument.constData());
    return parseOptions(static_cast<int>(argv.size()), argv.data()).options;
}

// The message, or nothing where there was no error.
template <typename Call> QString messageOf(Call call)
{
    try {
        call();
    } catch (const UserError &error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

QString writeKnobs(const QTemporaryDir &dir, const QByteArray &json)
{
    QFile file(dir.filePath("knobs.json"));
    if (!file.open(QIODevice::WriteOnly) || file.write(json) != json.size())
        qFatal("can't write the knob file");
    return file.fileName();
}

} // namespace

class TestTrainerKnobs : public QObject
{
    Q_OBJECT
private slots:
    void allNamesOfTheSpecification();
    void fileThenFlags();
    void wrongKnobFiles_data();
    void wrongKnobFiles();
    void wrongArguments_data();
    void wrongArguments();
    void boolFlagsTakeAValue();
    void defaultsDependOnModelAndDevice();
    void cudaKnobsAreRefusedOnTheCpu_data();
    void cudaKnobsAreRefusedOnTheCpu();
    void jsonRoundTrip();
    void median();
};

void TestTrainerKnobs::allNamesOfTheSpecification()
{
    const QStringList wanted = {
        "model",      "device",        "batch_size",      "workers",    "prefetch",  "pin_memory", "non_blocking",
        "precision",  "channels_last", "checkpointing",   "accumulate", "optimizer", "zero_grad",  "loss_every",
        "cuda_graph", "save_every",    "synthetic_batch", "threads",    "seed",      "steps",      "seconds"};
    QStringList names;
    for (const KnobInfo &info : knobTable())
        names << QString::fromStdString(info.key);
    QCOMPARE(names, wanted);
    QCOMPARE(flagOf(knobTable()[2]), std::string("--batch-size"));
}

void TestTrainerKnobs::fileThenFlags()
{
    const QTemporaryDir dir;
    const QString file = writeKnobs(dir, R"({"workers": 3, "batch_size": 16, "pin_memory": true, "seconds": 2.5})");
    const Knobs knobs = parse({"--batch-size", "8", "--knobs", file, "--no-marks"}).knobs;
    QCOMPARE(knobs.workers, 3);
    QCOMPARE(knobs.batchSize, 8);
    QCOMPARE(knobs.pinMemory, true);
    QCOMPARE(knobs.seconds, 2.5);
    QCOMPARE(knobs.optimizer, std::string());
    QCOMPARE(parse({"--pin-memory=false", "--knobs", file}).knobs.pinMemory, false);
    QCOMPARE(parse({"--workers", "1", "--workers", "2"}).knobs.workers, 2);
    QCOMPARE(parse({"--fault", "host-work", "--fault", "pageable,small-copies"}).faults.size(), size_t(3));
    QCOMPARE(parse({"--no-marks"}).marks, false);
    QCOMPARE(parse({}).marks, true);
}

void TestTrainerKnobs::wrongKnobFiles_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("named");
    QTest::newRow("unknown") << QByteArray(R"({"wrokers": 1})") << "wrokers";
    QTest::newRow("type") << QByteArray(R"({"workers": "many"})") << "workers";
    QTest::newRow("fraction") << QByteArray(R"({"workers": 1.5})") << "workers";
    QTest::newRow("bool") << QByteArray(R"({"pin_memory": 1})") << "pin_memory";
    QTest::newRow("negative") << QByteArray(R"({"batch_size": -1})") << "batch_size";
    QTest::newRow("choice") << QByteArray(R"({"precision": "fp8"})") << "fp8";
    QTest::newRow("not an object") << QByteArray("[1]") << "object";
    QTest::newRow("not JSON") << QByteArray("{") << "knobs.json";
}

void TestTrainerKnobs::wrongKnobFiles()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, named);
    const QTemporaryDir dir;
    const QString file = writeKnobs(dir, json);
    const QString message = messageOf([&] { parse({"--knobs", file}); });
    QVERIFY2(message.contains(named), qPrintable(message));
    QVERIFY2(message.contains("knobs.json"), qPrintable(message));
}

void TestTrainerKnobs::wrongArguments_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    QTest::newRow("unknown flag") << QStringList{"--bogus"} << "--bogus";
    QTest::newRow("no number") << QStringList{"--workers", "few"} << "--workers";
    QTest::newRow("range") << QStringList{"--accumulate", "0"} << "accumulate";
    QTest::newRow("model") << QStringList{"--model", "lstm"} << "lstm";
    QTest::newRow("device") << QStringList{"--device", "tpu"} << "tpu";
    QTest::newRow("device index") << QStringList{"--device", "cuda:"} << "cuda:";
    QTest::newRow("fault") << QStringList{"--fault", "gremlins"} << "gremlins";
    QTest::newRow("no file") << QStringList{"--knobs", "/nowhere/knobs.json"} << "/nowhere/knobs.json";
}

void TestTrainerKnobs::wrongArguments()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    const QString message = messageOf([&] { parse(arguments); });
    QVERIFY2(message.contains(named), qPrintable(message));
}

void TestTrainerKnobs::boolFlagsTakeAValue()
{
    QVERIFY(parse({"--channels-last"}).knobs.channelsLast);
    QVERIFY(parse({"--channels-last=true"}).knobs.channelsLast);
    QVERIFY(!parse({"--channels-last=false"}).knobs.channelsLast);
}

void TestTrainerKnobs::defaultsDependOnModelAndDevice()
{
    Options cnn = parse({});
    resolveOptions(cnn, "cpu");
    QCOMPARE(cnn.knobs.device, std::string("cpu"));
    QCOMPARE(cnn.knobs.optimizer, std::string("sgd"));
    QCOMPARE(cnn.width, 16);
    Options gpt = parse({"--model", "gpt", "--workers", "3"});
    resolveOptions(gpt, "cuda:0");
    QCOMPARE(gpt.knobs.optimizer, std::string("adamw"));
    QCOMPARE(gpt.knobs.prefetch, 6);
    QVERIFY(gpt.sequence > 64);
    Options odd = parse({"--model", "gpt", "--width", "30"});
    QVERIFY(messageOf([&] { resolveOptions(odd, "cpu"); }).contains("--heads"));
}

void TestTrainerKnobs::cudaKnobsAreRefusedOnTheCpu_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    QTest::newRow("pin") << QStringList{"--pin-memory"} << "pin_memory";
    QTest::newRow("non-blocking") << QStringList{"--non-blocking"} << "non_blocking";
    QTest::newRow("graph") << QStringList{"--cuda-graph"} << "cuda_graph";
    QTest::newRow("tf32") << QStringList{"--precision", "tf32"} << "tf32";
    QTest::newRow("fp16") << QStringList{"--precision", "fp16"} << "fp16";
    QTest::newRow("cache") << QStringList{"--fault", "empty-cache"} << "empty-cache";
    QTest::newRow("pageable") << QStringList{"--fault", "small-copies,pageable"} << "pageable";
}

void TestTrainerKnobs::cudaKnobsAreRefusedOnTheCpu()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    Options onCpu = parse(arguments);
    const QString message = messageOf([&] { resolveOptions(onCpu, "cpu"); });
    QVERIFY2(message.contains(named) && message.contains("CUDA"), qPrintable(message));
    Options onCuda = parse(arguments);
    QCOMPARE(messageOf([&] { resolveOptions(onCuda, "cuda:0"); }), QString());
}

void TestTrainerKnobs::jsonRoundTrip()
{
    Knobs knobs;
    knobs.model = "gpt";
    knobs.workers = 7;
    knobs.seconds = 0.1;
    knobs.channelsLast = true;
    Knobs copy;
    applyKnobs(nlohmann::json::parse(toJson(knobs).dump()), copy);
    QCOMPARE(toJson(copy).dump(), toJson(knobs).dump());
    QCOMPARE(valueText(knobs, knobTable()[0]), std::string("gpt"));
    QCOMPARE(valueText(knobs, knobTable()[3]), std::string("7"));
}

void TestTrainerKnobs::median()
{
    QCOMPARE(medianOf({}), 0.0);
    QCOMPARE(medianOf({5, 1, 9}), 5.0);
    QCOMPARE(medianOf({4, 1, 9, 6}), 5.0);
}

QTEST_GUILESS_MAIN(TestTrainerKnobs)
#include "tst_trainerknobs.moc"
