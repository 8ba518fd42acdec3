// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the step time (analysis/findings/stepparts.h) with the colours of the timeline. Pure.
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

[[nodiscard]] std::vector<BreakdownPart> breakdownParts(const analysis::StepSummary &step);

} // namespace tuneline::ui
