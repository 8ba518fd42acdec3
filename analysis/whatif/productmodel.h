// SPDX-License-Identifier: GPL-3.0-or-later
// How long a matrix product or convolution takes in another number type: a roofline of the device with the usual
// efficiency of its libraries, tied to what the trace shows of the same product now.
#pragma once

#include "analysis/whatif/graphedit.h"

#include <string_view>

namespace tuneline::analysis {

enum class MathMode : std::uint8_t { Float32, Tf32, Half };

struct ProductTime
{
    double ns = 0; // of all kernels of one product
    double bytes = 0; // it moves
};

// Time of one product (one gradient, for a backward convolution) on this device.
[[nodiscard]] double productNs(const DeviceRates &rates, const Product &product, MathMode mode, bool channelsLast);
// Does the kernel compute in FP32 without tensor cores, although the device has TF32?
[[nodiscard]] bool isPlainFloatProduct(const RunFacts &facts, std::uint32_t node);
// Of a cuBLAS kernel "nvjet_[smNN_]TYPES_…": the first of the types is the inputs' (t = bf16, h = fp16, q = fp8, s =
// FP32, computed as TF32). The "_h_" or "_v_" behind the sizes is the order of its tiles.
[[nodiscard]] MathMode nvjetMode(std::string_view name);
// Present mode of a product kernel.
[[nodiscard]] MathMode modeOf(const RunFacts &facts, std::uint32_t node);
[[nodiscard]] bool isProduct(const NodeWork &work);

} // namespace tuneline::analysis
