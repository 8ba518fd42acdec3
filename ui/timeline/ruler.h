// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ruler has ticks and what they say. Pure functions.
#pragma once

#include "ui/timeline/timeaxis.h"

#include <QString>
#include <vector>

namespace tuneline::ui {

// Far from zero and close up, full times would be as long as "12.345678901 s" on every tick: the common part is then
// said once (base), and the ticks count from there.
struct RulerScale
{
    std::int64_t step = 1; // ns between labelled ticks: 1, 2 or 5 × 10^n
    std::int64_t minor = 1; // ns between ticks
    std::int64_t base = 0; // 0: labels are trace times
    std::int64_t unit = 1; // ns: what the labels count, a power of 1000
};

[[nodiscard]] RulerScale rulerScale(const TimeAxis &axis, int minLabelDistance); // px
[[nodiscard]] std::vector<std::int64_t> rulerTicks(const TimeRange &range, std::int64_t step);
[[nodiscard]] QString tickText(const RulerScale &scale, std::int64_t time);
[[nodiscard]] QString baseText(const RulerScale &scale); // "" if there is no base

} // namespace tuneline::ui
