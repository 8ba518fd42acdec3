// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tuneline::trainer {
namespace {

// Of ImageNet, as everybody normalises with.
constexpr std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
constexpr std::array<float, 3> kDeviation = {0.229F, 0.224F, 0.225F};

// What each output position takes from which input positions along one axis.
struct Taps
{
    int width = 0; // weights per output position
    std::vector<int> first;
    std::vector<float> weights;
};

// A triangle filter, widened by the scale where it shrinks: plain bilinear sampling would skip pixels.
Taps triangleTaps(int offset, int length, int side)
{
    const double scale = static_cast<double>(length) / side;
    const double radius = std::max(1.0, scale);
    Taps taps;
    taps.width = static_cast<int>(std::ceil(radius)) * 2 + 1;
    taps.first.resize(static_cast<size_t>(side));
    taps.weights.assign(static_cast<size_t>(side) * static_cast<size_t>(taps.width), 0.0F);
    for (int i = 0; i < side; ++i) {
        const double centre = (i + 0.5) * scale - 0.5;
        const int low = std::max(0, static_cast<int>(std::ceil(centre - radius)));
        const int high = std::min(length - 1, static_cast<int>(std::floor(centre + radius)));
        float *weights = &taps.weights[static_cast<size_t>(i) * static_cast<size_t>(taps.width)];
        double sum = 0;
        for (int j = low; j <= high; ++j)
            sum += std::max(0.0, 1.0 - std::abs(j - centre) / radius);
        for (int j = low; j <= high; ++j)
            weights[j - low] = static_cast<float>(std::max(0.0, 1.0 - std::abs(j - centre) / radius) / sum);
        // The last output positions have fewer inputs than weights; they stay inside the crop, with zero weights.
        const int start = std::max(0, std::min(low, length - taps.width));
        if (start != low) {
            std::rotate(weights, weights + taps.width - (low - start), weights + taps.width);
        }
        taps.first[static_cast<size_t>(i)] = offset + start;
    }
    taps.width = std::min(taps.width, length);
    return taps;
}

size_t stride(const Taps &taps, int side)
{
    return taps.weights.size() / static_cast<size_t>(side);
}

// One input row → one row of side × 3 floats.
void resizeRow(const uint8_t *row, const Taps &taps, int side, float *out)
{
    const size_t step = stride(taps, side);
    for (int i = 0; i < side; ++i) {
        const float *weights = &taps.weights[static_cast<size_t>(i) * step];
        const uint8_t *pixel = row + 3 * static_cast<size_t>(taps.first[static_cast<size_t>(i)]);
        float r = 0;
        float g = 0;
        float b = 0;
        for (int j = 0; j < taps.width; ++j, pixel += 3) {
            r += weights[j] * static_cast<float>(pixel[0]);
            g += weights[j] * static_cast<float>(pixel[1]);
            b += weights[j] * static_cast<float>(pixel[2]);
        }
        out[3 * i] = r;
        out[3 * i + 1] = g;
        out[3 * i + 2] = b;
    }
}

} // namespace

Crop randomCrop(int width, int height, Rng &rng)
{
    constexpr int kTries = 10;
    const double area = static_cast<double>(width) * height;
    for (int i = 0; i < kTries; ++i) {
        const double target = area * rng.between(0.35, 1.0);
        const double ratio = std::exp(rng.between(std::log(3.0 / 4.0), std::log(4.0 / 3.0)));
        const int w = std::max(1, static_cast<int>(std::lround(std::sqrt(target * ratio))));
        const int h = std::max(1, static_cast<int>(std::lround(std::sqrt(target / ratio))));
        if (w <= width && h <= height) {
            const int x = static_cast<int>(rng.below(static_cast<uint64_t>(width - w + 1)));
            const int y = static_cast<int>(rng.below(static_cast<uint64_t>(height - h + 1)));
            return {x, y, w, h};
        }
    }
    const int side = std::min(width, height);
    return {(width - side) / 2, (height - side) / 2, side, side};
}

void resizeNormalised(const Image &image, const Crop &crop, int side, bool mirrored, float *out)
{
    const Taps across = triangleTaps(crop.x, crop.width, side);
    const Taps down = triangleTaps(crop.y, crop.height, side);
    const size_t rowFloats = 3 * static_cast<size_t>(side);
    std::vector<float> rows(rowFloats * static_cast<size_t>(crop.height));
    for (int y = 0; y < crop.height; ++y) {
        const size_t source = 3 * static_cast<size_t>(image.width) * static_cast<size_t>(crop.y + y);
        resizeRow(&image.rgb[source], across, side, &rows[rowFloats * static_cast<size_t>(y)]);
    }
    const size_t plane = static_cast<size_t>(side) * static_cast<size_t>(side);
    const size_t step = stride(down, side);
    std::vector<float> sum(rowFloats);
    for (int y = 0; y < side; ++y) {
        std::fill(sum.begin(), sum.end(), 0.0F);
        for (int j = 0; j < down.width; ++j) {
            const float weight = down.weights[static_cast<size_t>(y) * step + static_cast<size_t>(j)];
            const float *row = &rows[rowFloats * static_cast<size_t>(down.first[static_cast<size_t>(y)] - crop.y + j)];
            for (size_t i = 0; i < rowFloats; ++i)
                sum[i] += weight * row[i];
        }
        for (int x = 0; x < side; ++x) {
            const int to = mirrored ? side - 1 - x : x;
            for (size_t c = 0; c < 3; ++c) {
                const float value = sum[3 * static_cast<size_t>(x) + c] / 255.0F;
                out[c * plane + static_cast<size_t>(y) * static_cast<size_t>(side) + static_cast<size_t>(to)] =
                    (value - kMean[c]) / kDeviation[c];
            }
        }
    }
}

} // namespace tuneline::trainer
