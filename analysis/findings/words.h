// SPDX-License-Identifier: GPL-3.0-or-later
// Figures in words, the same everywhere: "12.3 ms", "38.5 MB", "7 %".
#pragma once

#include <string>

namespace tuneline::analysis {

[[nodiscard]] std::string timeText(double ns);
[[nodiscard]] std::string bytesText(double bytes);
[[nodiscard]] std::string percentText(double ratio);
[[nodiscard]] std::string numberText(double value); // 3, 2.5, 1,240
[[nodiscard]] std::string rateText(double bytesPerSecond);

} // namespace tuneline::analysis
