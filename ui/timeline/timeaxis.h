// SPDX-License-Identifier: GPL-3.0-or-later
// All arithmetic between trace time and pixels. Pure functions. Pixels are device pixels wherever a raster is filled,
// logical ones where the mouse is read: the axis does not care.
#pragma once

#include "ui/models/timerange.h"

#include <cmath>

namespace tuneline::ui {

struct TimeAxis
{
    TimeRange range; // what [0, width) shows
    double width = 0; // px

    [[nodiscard]] bool degenerate() const noexcept { return range.empty() || !(width > 0); }
    [[nodiscard]] double pixelsPerNs() const noexcept
    {
        return degenerate() ? 0.0 : width / static_cast<double>(range.length());
    }
    [[nodiscard]] double nsPerPixel() const noexcept
    {
        return degenerate() ? 0.0 : static_cast<double>(range.length()) / width;
    }
    // The difference is taken in integers: a double at epoch magnitude steps by 256 ns.
    [[nodiscard]] double x(std::int64_t time) const noexcept
    {
        return static_cast<double>(time - range.from) * pixelsPerNs();
    }
    [[nodiscard]] std::int64_t timeAt(double px) const noexcept
    {
        return range.from + static_cast<std::int64_t>(std::llround(px * nsPerPixel()));
    }
    // Nearest pixel border, kept near the visible part so that it always fits an int.
    [[nodiscard]] int pixel(std::int64_t time) const noexcept
    {
        return static_cast<int>(std::lround(std::clamp(x(time), -2.0, width + 2.0)));
    }
};

} // namespace tuneline::ui
