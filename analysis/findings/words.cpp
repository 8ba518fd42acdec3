// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/words.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace tuneline::analysis {

namespace {

std::string printed(const char *format, double value, const char *unit)
{
    std::array<char, 48> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, value, unit);
    return buffer.data();
}

// Three significant digits.
std::string threeDigits(double value, const char *unit)
{
    const double size = std::fabs(value);
    return printed(size < 9.995 ? "%.2f %s" : size < 99.95 ? "%.1f %s" : "%.0f %s", value, unit);
}

} // namespace

std::string timeText(double ns)
{
    const double size = std::fabs(ns);
    if (size < 1e3)
        return printed("%.0f %s", ns, "ns");
    if (size < 1e6)
        return threeDigits(ns / 1e3, "µs");
    return size < 1e9 ? threeDigits(ns / 1e6, "ms") : threeDigits(ns / 1e9, "s");
}

std::string bytesText(double bytes)
{
    const double size = std::fabs(bytes);
    if (size < 1e3)
        return printed("%.0f %s", bytes, "bytes");
    if (size < 1e6)
        return threeDigits(bytes / 1e3, "kB");
    return size < 1e9 ? threeDigits(bytes / 1e6, "MB") : threeDigits(bytes / 1e9, "GB");
}

std::string percentText(double ratio)
{
    return printed(std::fabs(ratio) < 0.095 ? "%.1f %s" : "%.0f %s", 100 * ratio, "%");
}

std::string numberText(double value)
{
    if (std::fabs(value - std::round(value)) < 0.05 || std::fabs(value) >= 100) {
        std::string digits = printed("%.0f%s", value, "");
        for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
            digits.insert(static_cast<std::size_t>(at), 1, ',');
        return digits;
    }
    return printed("%.1f%s", value, "");
}

std::string rateText(double bytesPerSecond)
{
    return threeDigits(bytesPerSecond / 1e9, "GB/s");
}

} // namespace tuneline::analysis
