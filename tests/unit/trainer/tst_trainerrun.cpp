// SPDX-License-Identifier: GPL-3.0-or-later
// The program itself on tiny models: it learns, repeats itself bit by bit, resumes, stops politely, takes every knob.
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

namespace {

struct Finished
{
    int code = -1;
    QString out;
    QString err;
};

Finished run(const QStringList &arguments)
{
    QProcess process;
    process.start(TUNELINE_TRAIN, arguments);
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) {
        process.kill();
        process.waitForFinished();
        return {-1, QString::fromUtf8(process.readAllStandardOutput()), "did not end: " + process.errorString()};
    }
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Losses exact to the bit, one line a step.
QList<QByteArray> lossLines(const QString &path)
{
    QList<QByteArray> lines = contents(path).split('\n');
    lines.removeAll(QByteArray());
    return lines;
}

double lossOf(const QByteArray &line)
{
    return std::strtod(line.mid(line.indexOf(' ') + 1).constData(), nullptr);
}

} // namespace

class TestTrainerRun : public QObject
{
    Q_OBJECT
private slots:
    void lossesDecrease_data();
    void lossesDecrease();
    void sameSeedSameLosses();
    void resumeIsBitIdentical_data();
    void resumeIsBitIdentical();
    void resumeOfAnotherConfiguration();
    void everyKnobOnTheCpu_data();
    void everyKnobOnTheCpu();
    void sameMathematics_data();
    void sameMathematics();
    void refusals_data();
    void refusals();
    void stopsPolitely();
    void stopsAfterSeconds();
    void summaryIsComplete();

private:
    QStringList tiny(const QString &model, const QStringList &more = {}) const;
    QList<QByteArray> losses(const QStringList &arguments) const;

    QTemporaryDir m_dir;
};

QStringList TestTrainerRun::tiny(const QString &model, const QStringList &more) const
{
    QStringList arguments = {"--model",         model,
                             "--device",        "cpu",
                             "--threads",       "1",
                             "--data",          m_dir.filePath("data"),
                             "--images",        "48",
                             "--source-width",  "64",
                             "--source-height", "48",
                             "--classes",       "3",
                             "--width",         "8",
                             "--depth",         "1",
                             "--image-size",    "16",
                             "--batch-size",    "8",
                             "--save-dir",      m_dir.filePath("saved")};
    if (model == "gpt")
        arguments << "--sequence"
                  << "16"
                  << "--vocab"
                  << "300"
                  << "--heads"
                  << "2"
                  << "--width"
                  << "16";
    return arguments + more;
}

QList<QByteArray> TestTrainerRun::losses(const QStringList &arguments) const
{
    const QString file = m_dir.filePath("losses");
    QFile::remove(file);
    const Finished finished = run(arguments + QStringList{"--losses", file});
    if (finished.code != 0)
        qWarning("%s", qPrintable(finished.err));
    return finished.code == 0 ? lossLines(file) : QList<QByteArray>();
}

void TestTrainerRun::lossesDecrease_data()
{
    QTest::addColumn<QString>("model");
    for (const char *model : {"cnn", "gpt", "mlp"})
        QTest::newRow(model) << model;
}

void TestTrainerRun::lossesDecrease()
{
    QFETCH(QString, model);
    const auto lines = losses(tiny(model, {"--steps", "60"}));
    QCOMPARE(lines.size(), 60);
    const auto mean = [&](qsizetype from) {
        double sum = 0;
        for (qsizetype i = from; i < from + 10; ++i)
            sum += lossOf(lines[i]);
        return sum / 10;
    };
    QVERIFY2(mean(50) < 0.85 * mean(0), qPrintable(QString("%1 → %2").arg(mean(0)).arg(mean(50))));
}

void TestTrainerRun::sameSeedSameLosses()
{
    const auto reference = losses(tiny("cnn", {"--steps", "12"}));
    QCOMPARE(reference.size(), 12);
    QCOMPARE(losses(tiny("cnn", {"--steps", "12", "--workers", "3", "--prefetch", "5"})), reference);
    QCOMPARE(losses(tiny("cnn", {"--steps", "12", "--no-marks", "--loss-every", "1"})), reference);
    QVERIFY(losses(tiny("cnn", {"--steps", "12", "--seed", "2"})) != reference);
}

void TestTrainerRun::resumeIsBitIdentical_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    QTest::newRow("cnn sgd") << "cnn"
                             << "sgd";
    QTest::newRow("gpt adamw") << "gpt"
                               << "adamw";
    QTest::newRow("mlp adamw-multi") << "mlp"
                                     << "adamw-multi";
    QTest::newRow("mlp sgd-multi") << "mlp"
                                   << "sgd-multi";
}

void TestTrainerRun::resumeIsBitIdentical()
{
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const QStringList common = {"--optimizer", optimizer, "--steps", "10", "--workers", "2", "--accumulate", "2"};
    const auto whole = losses(tiny(model, common + QStringList{"--save-every", "2"}));
    QCOMPARE(whole.size(), 10);
    QVERIFY(!QFile::exists(m_dir.filePath("saved/step-000002.pt"))); // the last three stay
    const auto rest = losses(tiny(model, common + QStringList{"--resume", m_dir.filePath("saved/step-000006.pt")}));
    QCOMPARE(rest, whole.mid(6));
}

void TestTrainerRun::resumeOfAnotherConfiguration()
{
    QCOMPARE(run(tiny("mlp", {"--steps", "2", "--save-every", "2"})).code, 0);
    const QString saved = m_dir.filePath("saved/step-000002.pt");
    const Finished other = run(tiny("mlp", {"--steps", "4", "--resume", saved, "--batch-size", "4"}));
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("batch_size"), qPrintable(other.err));
    const Finished missing = run(tiny("mlp", {"--resume", m_dir.filePath("none.pt")}));
    QCOMPARE(missing.code, 3);
    QVERIFY2(missing.err.contains("none.pt"), qPrintable(missing.err));
}

void TestTrainerRun::everyKnobOnTheCpu_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("knobs");
    QTest::newRow("cnn, all") << "cnn" << QStringList{"--workers",    "2",      "--prefetch",      "3",
                                                      "--precision",  "bf16",   "--channels-last", "--checkpointing",
                                                      "--accumulate", "2",      "--optimizer",     "adamw-multi",
                                                      "--zero-grad",  "memset", "--loss-every",    "2",
                                                      "--save-every", "3",      "--seed",          "5",
                                                      "--conv-bias"};
    QTest::newRow("gpt, all") << "gpt"
                              << QStringList{"--workers",   "1",         "--precision", "bf16",  "--checkpointing",
                                             "--optimizer", "sgd-multi", "--zero-grad", "memset"};
    QTest::newRow("synthetic") << "cnn" << QStringList{"--synthetic-batch"};
    QTest::newRow("faults") << "mlp"
                            << QStringList{"--fault", "item-per-parameter,small-copies,host-work,memory-growth"};
}

void TestTrainerRun::everyKnobOnTheCpu()
{
    QFETCH(QString, model);
    QFETCH(QStringList, knobs);
    const auto lines = losses(tiny(model, knobs + QStringList{"--steps", "4"}));
    QCOMPARE(lines.size(), 4);
    for (const QByteArray &line : lines)
        QVERIFY2(std::isfinite(lossOf(line)) && lossOf(line) > 0, line.constData());
}

void TestTrainerRun::sameMathematics_data()
{
    QTest::addColumn<QStringList>("one");
    QTest::addColumn<QStringList>("other");
    QTest::addColumn<double>("tolerance");
    const QStringList nothing;
    QTest::newRow("checkpointing") << nothing << QStringList{"--checkpointing"} << 1e-5;
    QTest::newRow("channels-last") << nothing << QStringList{"--channels-last"} << 1e-3;
    QTest::newRow("memset") << nothing << QStringList{"--zero-grad", "memset"} << 1e-6;
    QTest::newRow("foreach sgd") << QStringList{"--optimizer", "sgd"} << QStringList{"--optimizer", "sgd-multi"}
                                 << 1e-4;
    QTest::newRow("foreach adamw") << QStringList{"--optimizer", "adamw"} << QStringList{"--optimizer", "adamw-multi"}
                                   << 1e-3;
    QTest::newRow("faults") << nothing << QStringList{"--fault", "item-per-parameter,small-copies,memory-growth"}
                            << 1e-6;
}

// A knob changes how fast the same training goes, not the training.
void TestTrainerRun::sameMathematics()
{
    QFETCH(QStringList, one);
    QFETCH(QStringList, other);
    QFETCH(double, tolerance);
    const auto before = losses(tiny("cnn", one + QStringList{"--steps", "6"}));
    const auto after = losses(tiny("cnn", other + QStringList{"--steps", "6"}));
    QCOMPARE(before.size(), 6);
    QCOMPARE(after.size(), 6);
    for (qsizetype i = 0; i < before.size(); ++i)
        QVERIFY2(std::abs(lossOf(before[i]) - lossOf(after[i])) <= tolerance * std::max(1.0, lossOf(before[i])),
                 qPrintable(QString("step %1: %2, %3").arg(i).arg(lossOf(before[i])).arg(lossOf(after[i]))));
}

void TestTrainerRun::refusals_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    QTest::newRow("graph") << QStringList{"--cuda-graph"} << "cuda_graph";
    QTest::newRow("fp16") << QStringList{"--precision", "fp16"} << "fp16";
    QTest::newRow("unknown") << QStringList{"--bath-size", "3"} << "--bath-size";
    QTest::newRow("layout") << QStringList{"--channels-last", "--model", "mlp"} << "channels_last";
}

void TestTrainerRun::refusals()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    const Finished finished = run(QStringList{"--device", "cpu"} + arguments);
    QCOMPARE(finished.code, 2);
    QVERIFY2(finished.err.contains(named), qPrintable(finished.err));
    QVERIFY(finished.out.isEmpty());
}

void TestTrainerRun::stopsPolitely()
{
    QProcess process;
    process.start(TUNELINE_TRAIN, tiny("mlp", {"--steps", "0", "--report-every", "1", "--workers", "1"}));
    QVERIFY(process.waitForStarted());
    QByteArray out;
    QElapsedTimer timer;
    for (timer.start(); !out.contains("step      3") && timer.elapsed() < 30000;) {
        process.waitForReadyRead(1000);
        out += process.readAllStandardOutput();
    }
    process.terminate();
    QVERIFY(process.waitForFinished(10000));
    out += process.readAllStandardOutput();
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY2(out.contains("median step") && out.contains("signal"), out.constData());
}

void TestTrainerRun::stopsAfterSeconds()
{
    const Finished finished = run(tiny("mlp", {"--steps", "0", "--seconds", "0.3", "--quiet"}));
    QCOMPARE(finished.code, 0);
    QVERIFY2(finished.out.contains("stopped by seconds"), qPrintable(finished.out));
    QCOMPARE(finished.out.count('\n'), 1);
}

void TestTrainerRun::summaryIsComplete()
{
    const QString file = m_dir.filePath("summary.json");
    QCOMPARE(run(tiny("gpt", {"--steps", "7", "--json", file})).code, 0);
    const QJsonObject summary = QJsonDocument::fromJson(contents(file)).object();
    QCOMPARE(summary["step_ns"].toArray().size(), 7);
    QCOMPARE(summary["input_ns"].toArray().size(), 7);
    QCOMPARE(summary["unit"].toString(), QString("tokens"));
    QCOMPARE(summary["stopped_by"].toString(), QString("steps"));
    QCOMPARE(summary["knobs"].toObject()["batch_size"].toInt(), 8);
    QVERIFY(summary["median_step_ns"].toDouble() > 0);
    QVERIFY(summary["mean_step_ns"].toDouble() > 0);
    QVERIFY(summary["units_per_s"].toDouble() > 0);
    QVERIFY(summary["first_loss"].toDouble() > 1);
}

QTEST_GUILESS_MAIN(TestTrainerRun)
#include "tst_trainerrun.moc"
