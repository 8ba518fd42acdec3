// SPDX-License-Identifier: GPL-3.0-or-later
// Labelled JPEG files in a folder per class, as ImageNet is kept: DATA/images-v1-…/class_003/000123.jpg.
#include "capture/trainer/datasetfolder.h"
#include "capture/trainer/image.h"
#include "capture/trainer/samples.h"
#include "capture/trainer/usererror.h"

#include <cstdio>

namespace tuneline::trainer {
namespace fs = std::filesystem;
namespace {

constexpr int kVersion = 1; // of the pictures: raise it when drawScene or the quality changes
constexpr int kQuality = 90;
constexpr uint64_t kPictureSeed = 0x7475; // of the data set, not of the run: every run trains on the same pictures

std::string formatted(const char *format, int64_t number)
{
    char text[32];
    std::snprintf(text, sizeof text, format, static_cast<int>(number));
    return text;
}

fs::path fileOf(const fs::path &folder, int64_t index, int64_t classes)
{
    return folder / formatted("class_%03d", index % classes) / formatted("%06d.jpg", index);
}

void drawAll(const fs::path &folder, const Options &options, const Progress &progress)
{
    for (int64_t label = 0; label < options.classes; ++label)
        fs::create_directory(folder / formatted("class_%03d", label));
    for (int64_t i = 0; i < options.images; ++i) {
        Rng rng{kPictureSeed, static_cast<uint64_t>(i)};
        const Image image = drawScene(static_cast<int>(options.sourceWidth), static_cast<int>(options.sourceHeight),
                                      i % options.classes, options.classes, rng);
        const std::vector<uint8_t> bytes = encodeJpeg(image, kQuality);
        writeFile(fileOf(folder, i, options.classes), bytes.data(), bytes.size());
        progress(i + 1, options.images);
    }
}

class ImageSamples : public Samples
{
public:
    ImageSamples(fs::path folder, const Options &options)
        : m_folder(std::move(folder))
        , m_seed(static_cast<uint64_t>(options.knobs.seed))
        , m_classes(options.classes)
        , m_side(static_cast<int>(options.imageSize))
        , m_order(static_cast<uint64_t>(options.images), m_seed)
    {
        m_shape.input = {3, options.imageSize, options.imageSize};
        m_shape.name = m_folder.filename().string();
    }

    const SampleShape &shape() const override { return m_shape; }

    void read(uint64_t position, const Slot &slot) const override
    {
        const auto index = static_cast<int64_t>(m_order.sampleAt(position));
        const Image image = load(fileOf(m_folder, index, m_classes));
        Rng rng{m_seed, position};
        const Crop crop = randomCrop(image.width, image.height, rng);
        resizeNormalised(image, crop, m_side, rng.below(2) == 1, slot.pixels);
        *slot.targets = index % m_classes;
    }

private:
    static Image load(const fs::path &path)
    {
        const std::string bytes = readFile(path);
        try {
            return decodeJpeg({bytes.begin(), bytes.end()});
        } catch (const std::runtime_error &error) {
            throw UserError(ExitCode::CannotRead, path.string() + ": " + error.what());
        }
    }

    const fs::path m_folder;
    const uint64_t m_seed;
    const int64_t m_classes;
    const int m_side;
    const EpochOrder m_order;
    SampleShape m_shape;
};

} // namespace

std::shared_ptr<const Samples> openImages(const Options &options, bool showProgress)
{
    const std::string name = "images-v" + std::to_string(kVersion) + "-" + std::to_string(options.classes) + "c-"
        + std::to_string(options.sourceWidth) + "x" + std::to_string(options.sourceHeight) + "-"
        + std::to_string(options.images);
    const auto fill = [&](const fs::path &folder, const Progress &progress) { drawAll(folder, options, progress); };
    return std::make_shared<ImageSamples>(ensureFolder(datasetRoot(options.dataDirectory), name, fill, showProgress),
                                          options);
}

} // namespace tuneline::trainer
