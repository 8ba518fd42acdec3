// SPDX-License-Identifier: GPL-3.0-or-later
// Pixels and what is done to them before they reach the network. Pure functions, callable from any thread, no torch:
// loader threads must not start OpenMP teams of LibTorch.
#pragma once

#include "capture/trainer/rng.h"

#include <cstdint>
#include <vector>

namespace tuneline::trainer {

struct Image
{
    int width = 0;
    int height = 0;
    std::vector<uint8_t> rgb; // rows from the top, 3 bytes a pixel
};

struct Crop
{
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};

// JPEG by libturbojpeg; throw std::runtime_error with the library's message.
std::vector<uint8_t> encodeJpeg(const Image &image, int quality);
Image decodeJpeg(const std::vector<uint8_t> &bytes);

// A rectangle of 35 % to 100 % of the area with an aspect ratio of 3:4 to 4:3, inside the image.
Crop randomCrop(int width, int height, Rng &rng);

// Resizes the crop to side × side (bilinear, averaging where it shrinks), mirrors it if asked to, and writes
// (value / 255 − mean) / deviation of each channel as planes R, G, B: out holds 3 · side · side floats.
void resizeNormalised(const Image &image, const Crop &crop, int side, bool mirrored, float *out);

// A picture of the class: its colours and shape decide the class; place, size, light and noise are random.
Image drawScene(int width, int height, int64_t label, int64_t classes, Rng &rng);

} // namespace tuneline::trainer
