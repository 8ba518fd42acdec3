// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded operator shapes ("Input Dims": [[64, 3, 224, 224], [], [8]]) and the arithmetic of products from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

using Shape = std::vector<std::int64_t>;

// One entry for each input; tensor lists inside count as empty. Damaged text gives what could be read.
[[nodiscard]] std::vector<Shape> parseShapes(std::string_view text);
[[nodiscard]] std::int64_t elements(const Shape &shape); // of a scalar or unknown: 1

// A matrix product or convolution as the device sees it.
struct Product
{
    bool convolution = false;
    bool backward = false; // convolution_backward: both gradients
    std::int64_t batch = 1, m = 0, n = 0, k = 0; // m × k times k × n, `batch` times; implicit GEMM of a convolution
    std::int64_t elementsRead = 0, elementsWritten = 0; // of one product
    std::int64_t activationElements = 0; // convolution: input and output
    std::int64_t spatial = 0; // convolution: filter positions, 1 for 1 × 1

    [[nodiscard]] double flops() const
    {
        return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n)
            * static_cast<double>(k);
    }
};

// nullopt: not a product, or shapes missing. `concrete` is "Concrete Inputs" where recorded, for strides.
[[nodiscard]] std::optional<Product> productOf(std::string_view opName, std::string_view shapes,
                                               std::string_view concrete);

} // namespace tuneline::analysis
