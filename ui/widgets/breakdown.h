// SPDX-License-Identifier: GPL-3.0-or-later
// The step time as parts that add up to it, in drawing order: work, exposed transfers, idle by cause. Pure.
#pragma once

#include "analysis/findings/advice.h"
#include "ui/timeline/colours.h"

#include <QString>

#include <vector>

namespace tuneline::ui {

struct BreakdownPart
{
    QString name;
    std::int64_t ns = 0; // per step
    ColourClass colour = ColourClass::Neutral;
};

// Parts of zero length are left out. `hasDevice`: false for the step of a run without a device, whose causes are the
// host's own.
[[nodiscard]] std::vector<BreakdownPart> breakdownParts(const analysis::StepSummary &step, bool hasDevice);

} // namespace tuneline::ui
