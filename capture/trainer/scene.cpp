// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tuneline::trainer {
namespace {

using Colour = std::array<double, 3>;

// Hue in turns, the rest 0..1 (the usual HSV formula).
Colour fromHsv(double hue, double saturation, double value)
{
    Colour colour{};
    for (size_t c = 0; c < 3; ++c) {
        const double k = std::fmod(static_cast<double>(5 - 2 * static_cast<int>(c)) + hue * 6.0, 6.0);
        colour[c] = value - value * saturation * std::clamp(std::min(k, 4.0 - k), 0.0, 1.0);
    }
    return colour;
}

struct Scene
{
    Colour body;
    Colour sky;
    double x;
    double y;
    double radius;
    double angle;
    double stripes;
    int shape;
};

Scene plan(int width, int height, int64_t label, int64_t classes, Rng &rng)
{
    const double turn = static_cast<double>(label) / static_cast<double>(classes);
    Scene scene{};
    scene.body = fromHsv(std::fmod(turn + rng.between(0.97, 1.03), 1.0), rng.between(0.6, 0.95), rng.between(0.6, 1.0));
    scene.sky = fromHsv(rng.unit(), rng.between(0.05, 0.25), rng.between(0.35, 0.85));
    scene.x = width * rng.between(0.35, 0.65);
    scene.y = height * rng.between(0.35, 0.65);
    scene.radius = std::min(width, height) * rng.between(0.28, 0.45);
    scene.angle = rng.between(0.0, 6.283185307);
    scene.stripes = 4.0 + 3.0 * static_cast<double>(label % 4);
    scene.shape = static_cast<int>(label % 3);
    return scene;
}

// Below 1 inside the body.
double distance(const Scene &scene, double x, double y)
{
    const double dx = (x - scene.x) / scene.radius;
    const double dy = (y - scene.y) / scene.radius;
    const double u = dx * std::cos(scene.angle) + dy * std::sin(scene.angle);
    const double v = dy * std::cos(scene.angle) - dx * std::sin(scene.angle);
    switch (scene.shape) {
    case 0:
        return std::sqrt(u * u + v * v);
    case 1:
        return std::max(std::abs(u), std::abs(v));
    default:
        return std::abs(u) + std::abs(v);
    }
}

uint8_t toByte(double value)
{
    return static_cast<uint8_t>(std::clamp(value, 0.0, 1.0) * 255.0 + 0.5);
}

} // namespace

Image drawScene(int width, int height, int64_t label, int64_t classes, Rng &rng)
{
    const Scene scene = plan(width, height, label, classes, rng);
    Image image{width, height, {}};
    image.rgb.reserve(3 * static_cast<size_t>(width) * static_cast<size_t>(height));
    for (int y = 0; y < height; ++y) {
        const double light = 0.75 + 0.25 * y / height;
        for (int x = 0; x < width; ++x) {
            const double d = distance(scene, x, y);
            const double shade = d < 1.0 ? 0.8 + 0.2 * std::cos(scene.stripes * d * 6.283185307) : light;
            const Colour &colour = d < 1.0 ? scene.body : scene.sky;
            // Grain as of a camera: it keeps JPEG files at a photograph's bits per pixel, so decoding costs the same.
            const double grain = (static_cast<double>(rng.next() & 1023U) - 511.5) / 511.5 * 0.06;
            for (double channel : colour)
                image.rgb.push_back(toByte(channel * shade + grain));
        }
    }
    return image;
}

} // namespace tuneline::trainer
