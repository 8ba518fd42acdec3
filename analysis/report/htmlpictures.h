// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of the HTML report: inline SVG, coloured by the page's style sheet.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"

#include <string>
#include <vector>

namespace tuneline::analysis {

struct StepPart
{
    std::string title;
    std::string colour; // name of a colour of the page, "c-compute"
    std::int64_t ns = 0;
};

// What a step's time goes to, largest groups first in a fixed order; parts of 0 ns are left out.
[[nodiscard]] std::vector<StepPart> stepParts(const StepSummary &step);
[[nodiscard]] std::string stepBar(const std::vector<StepPart> &parts);

// The steady step nearest to the median: idle causes, streams, CPU threads. "" without steps.
[[nodiscard]] std::string stepTimeline(const Analysis &analysis);

// The saving of one finding as a range on the step's time.
[[nodiscard]] std::string gainBar(const Gain &gain, std::int64_t stepNs);
// Step time now and after each change of the plan.
[[nodiscard]] std::string planBars(const Advice &advice);

} // namespace tuneline::analysis
