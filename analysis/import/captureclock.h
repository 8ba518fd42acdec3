// SPDX-License-Identifier: GPL-3.0-or-later
// Puts device times of a capture on the host clock, piecewise between the readings of both clocks.
#pragma once

#include "analysis/import/captureframes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tuneline::analysis {

class CaptureClock
{
public:
    explicit CaptureClock(const CaptureFrames &frames);
    [[nodiscard]] std::int64_t toHost(std::int64_t deviceTime) const noexcept;
    [[nodiscard]] bool known() const noexcept { return !m_points.empty(); }
    // Unix ns of host time 0; nullopt if the file doesn't say.
    [[nodiscard]] std::optional<std::int64_t> unixOfHostZero() const noexcept { return m_unixOfZero; }

private:
    struct Point
    {
        std::int64_t device;
        std::int64_t ahead; // device time − host time
    };
    std::vector<Point> m_points; // by device time
    std::optional<std::int64_t> m_unixOfZero;
};

} // namespace tuneline::analysis
