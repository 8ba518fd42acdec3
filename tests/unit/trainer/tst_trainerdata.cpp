// SPDX-License-Identifier: GPL-3.0-or-later
// Data sets: made once and whole, the same samples whoever asks in whatever order, pixels where they belong.
#include "capture/trainer/datasetfolder.h"
#include "capture/trainer/image.h"
#include "capture/trainer/samples.h"
#include "capture/trainer/tokenizer.h"
#include "capture/trainer/usererror.h"

#include <QDir>
#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

using namespace tuneline::trainer;

namespace {

Options smallOptions(const QTemporaryDir &dir, const std::string &model = "cnn")
{
    Options options;
    options.knobs.model = model;
    options.dataDirectory = dir.path().toStdString();
    options.images = 24;
    options.sourceWidth = 60;
    options.sourceHeight = 40;
    options.classes = 3;
    options.imageSize = 16;
    options.sequence = 32;
    options.vocab = 320;
    return options;
}

struct Read
{
    std::vector<float> pixels;
    std::vector<int64_t> tokens;
    std::vector<int64_t> targets;
    bool operator==(const Read &) const = default;
};

Read read(const Samples &samples, uint64_t position)
{
    const auto product = [](const std::vector<int64_t> &shape) {
        size_t count = 1;
        for (int64_t n : shape)
            count *= static_cast<size_t>(n);
        return count;
    };
    Read result;
    result.pixels.resize(samples.shape().tokens ? 0 : product(samples.shape().input));
    result.tokens.resize(samples.shape().tokens ? product(samples.shape().input) : 0);
    result.targets.resize(product(samples.shape().target));
    samples.read(position, {result.pixels.data(), result.tokens.data(), result.targets.data()});
    return result;
}

Image gradient(int width, int height)
{
    Image image{width, height, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image.rgb.push_back(static_cast<uint8_t>(255 * x / (width - 1)));
            image.rgb.push_back(static_cast<uint8_t>(255 * y / (height - 1)));
            image.rgb.push_back(128);
        }
    }
    return image;
}

double denormalised(float value, int channel)
{
    const double mean[] = {0.485, 0.456, 0.406};
    const double deviation[] = {0.229, 0.224, 0.225};
    return 255.0 * (static_cast<double>(value) * deviation[channel] + mean[channel]);
}

} // namespace

class TestTrainerData : public QObject
{
    Q_OBJECT
private slots:
    void jpegRoundTrip();
    void brokenJpegIsAnError();
    void resizeKeepsPlaces_data();
    void resizeKeepsPlaces();
    void cropsStayInside();
    void everySampleOnceAnEpoch();
    void samplesDependOnPositionAndSeedOnly_data();
    void samplesDependOnPositionAndSeedOnly();
    void sameFromSeveralThreads();
    void folderIsMadeOnceAndWhole();
    void failedFillLeavesNothing();
    void damagedImageIsNamed();
    void tokenizerIsLossless();
    void targetsFollowTokens();
};

void TestTrainerData::jpegRoundTrip()
{
    const Image image = gradient(61, 43);
    const Image back = decodeJpeg(encodeJpeg(image, 95));
    QCOMPARE(back.width, 61);
    QCOMPARE(back.height, 43);
    double worst = 0;
    for (size_t i = 0; i < image.rgb.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(image.rgb[i]) - static_cast<double>(back.rgb[i])));
    QVERIFY2(worst <= 12, qPrintable(QString::number(worst)));
}

void TestTrainerData::brokenJpegIsAnError()
{
    std::vector<uint8_t> bytes = encodeJpeg(gradient(64, 64), 90);
    bytes.resize(bytes.size() / 2);
    QVERIFY_EXCEPTION_THROWN(decodeJpeg(bytes), std::runtime_error);
    QVERIFY_EXCEPTION_THROWN(decodeJpeg({}), std::runtime_error);
}

void TestTrainerData::resizeKeepsPlaces_data()
{
    QTest::addColumn<int>("side");
    QTest::addColumn<bool>("mirrored");
    QTest::newRow("shrunk") << 16 << false;
    QTest::newRow("shrunk, mirrored") << 16 << true;
    QTest::newRow("same size") << 40 << false;
    QTest::newRow("enlarged") << 100 << false;
    QTest::newRow("one pixel") << 1 << false;
}

void TestTrainerData::resizeKeepsPlaces()
{
    QFETCH(int, side);
    QFETCH(bool, mirrored);
    const Image image = gradient(120, 80);
    const Crop crop{30, 20, 40, 40};
    const auto n = static_cast<size_t>(side);
    std::vector<float> out(3 * n * n);
    resizeNormalised(image, crop, side, mirrored, out.data());
    for (size_t y = 0; y < n; ++y) {
        for (size_t x = 0; x < n; ++x) {
            const double along = (static_cast<double>(mirrored ? n - 1 - x : x) + 0.5) * 40.0 / side - 0.5;
            const double wantedRed = std::clamp(30 + along, 30.0, 69.0) * 255 / 119;
            const double down = (static_cast<double>(y) + 0.5) * 40.0 / side - 0.5;
            const double wantedGreen = std::clamp(20 + down, 20.0, 59.0) * 255 / 79;
            // The triangle is cut off at the edge of the crop, which pulls the outermost value inwards.
            QVERIFY(std::abs(denormalised(out[y * n + x], 0) - wantedRed) < 3.5);
            QVERIFY(std::abs(denormalised(out[n * n + y * n + x], 1) - wantedGreen) < 4.5);
            QVERIFY(std::abs(denormalised(out[2 * n * n + y * n + x], 2) - 128) < 0.01);
        }
    }
}

void TestTrainerData::cropsStayInside()
{
    Rng rng{7};
    for (int i = 0; i < 2000; ++i) {
        const int width = 1 + static_cast<int>(rng.below(60));
        const int height = 1 + static_cast<int>(rng.below(60));
        const Crop crop = randomCrop(width, height, rng);
        QVERIFY(crop.x >= 0 && crop.y >= 0 && crop.width >= 1 && crop.height >= 1);
        QVERIFY(crop.x + crop.width <= width && crop.y + crop.height <= height);
        std::vector<float> out(3 * 9 * 9);
        resizeNormalised(Image{width, height, std::vector<uint8_t>(3 * static_cast<size_t>(width * height), 200)}, crop,
                         9, false, out.data());
        // Weights of every output position add up to one.
        QVERIFY(std::all_of(out.begin(), out.begin() + 81,
                            [](float v) { return std::abs(denormalised(v, 0) - 200) < 0.01; }));
    }
}

void TestTrainerData::everySampleOnceAnEpoch()
{
    const EpochOrder order(50, 3);
    std::vector<uint64_t> first;
    std::vector<uint64_t> second;
    for (uint64_t i = 0; i < 50; ++i) {
        first.push_back(order.sampleAt(i));
        second.push_back(order.sampleAt(50 + i));
    }
    QCOMPARE(std::set<uint64_t>(first.begin(), first.end()).size(), size_t(50));
    QCOMPARE(std::set<uint64_t>(second.begin(), second.end()).size(), size_t(50));
    QVERIFY(first != second);
    QVERIFY(EpochOrder(50, 4).sampleAt(0) != first[0] || EpochOrder(50, 4).sampleAt(1) != first[1]);
    QCOMPARE(order.sampleAt(3), first[3]); // back from a later epoch
}

void TestTrainerData::samplesDependOnPositionAndSeedOnly_data()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("images") << "cnn";
    QTest::newRow("text") << "gpt";
}

void TestTrainerData::samplesDependOnPositionAndSeedOnly()
{
    QFETCH(QString, model);
    const QTemporaryDir dir;
    const QTemporaryDir other;
    const auto samples = openSamples(smallOptions(dir, model.toStdString()), false);
    const auto again = openSamples(smallOptions(other, model.toStdString()), false);
    const Read five = read(*samples, 5);
    QVERIFY(!(five == read(*samples, 6)));
    QVERIFY(!(five == read(*samples, 5 + 24))); // another crop in another epoch, even of the same picture
    QVERIFY(five == read(*samples, 5));
    QVERIFY(five == read(*again, 5));
    Options seeded = smallOptions(dir, model.toStdString());
    seeded.knobs.seed = 2;
    QVERIFY(!(five == read(*openSamples(seeded, false), 5)));
}

void TestTrainerData::sameFromSeveralThreads()
{
    const QTemporaryDir dir;
    const auto samples = openSamples(smallOptions(dir), false);
    std::vector<Read> results(96);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (size_t i = t; i < results.size(); i += 4)
                results[i] = read(*samples, i);
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    for (size_t i = 0; i < results.size(); ++i)
        QVERIFY(results[i] == read(*samples, i));
}

void TestTrainerData::folderIsMadeOnceAndWhole()
{
    const QTemporaryDir dir;
    openSamples(smallOptions(dir), false);
    const QStringList folders = QDir(dir.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(folders, QStringList("images-v1-3c-60x40-24"));
    QDirIterator files(dir.path(), {"*.jpg"}, QDir::Files, QDirIterator::Subdirectories);
    int count = 0;
    for (; files.hasNext(); files.next())
        ++count;
    QCOMPARE(count, 24);
    int filled = 0;
    const auto fill = [&](const std::filesystem::path &, const Progress &) { ++filled; };
    ensureFolder(dir.path().toStdString(), "once", fill, false);
    ensureFolder(dir.path().toStdString(), "once", fill, false);
    QCOMPARE(filled, 1);
}

void TestTrainerData::failedFillLeavesNothing()
{
    const QTemporaryDir dir;
    const auto fill = [](const std::filesystem::path &folder, const Progress &) {
        writeFile(folder / "half", "x", 1);
        throw UserError(ExitCode::Failed, "disk full");
    };
    QVERIFY_EXCEPTION_THROWN(ensureFolder(dir.path().toStdString(), "broken", fill, false), UserError);
    QVERIFY(QDir(dir.path()).isEmpty());
}

void TestTrainerData::damagedImageIsNamed()
{
    const QTemporaryDir dir;
    const auto samples = openSamples(smallOptions(dir), false);
    QDirIterator files(dir.path(), {"*.jpg"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.resize(100));
    }
    QString message;
    try {
        read(*samples, 0);
    } catch (const UserError &error) {
        message = error.what();
        QCOMPARE(error.code(), ExitCode::CannotRead);
    }
    QVERIFY2(message.contains(".jpg"), qPrintable(message));
}

void TestTrainerData::tokenizerIsLossless()
{
    const std::vector<std::string> words = {" banana", " bandana", " ban", " nan"};
    const Tokenizer tokenizer(Tokenizer::learn(words, 300));
    for (const std::string text : {" banana bandana ban", " unknown \xc3\xa4 text  with  blanks ", ""}) {
        std::vector<int64_t> ids;
        tokenizer.encode(text, ids);
        QCOMPARE(tokenizer.decode(ids), text);
    }
    std::vector<int64_t> ids;
    tokenizer.encode(" banana", ids);
    QVERIFY(ids.size() < 7); // merges were learnt and used
}

void TestTrainerData::targetsFollowTokens()
{
    const QTemporaryDir dir;
    const Options options = smallOptions(dir, "gpt");
    const auto samples = openSamples(options, false);
    const Read sample = read(*samples, 11);
    QVERIFY(std::equal(sample.tokens.begin() + 1, sample.tokens.end(), sample.targets.begin()));
    QVERIFY(std::all_of(sample.targets.begin(), sample.targets.end(),
                        [&](int64_t id) { return id >= 0 && id < options.vocab; }));
}

QTEST_GUILESS_MAIN(TestTrainerData)
#include "tst_trainerdata.moc"
