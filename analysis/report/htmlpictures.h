// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of the HTML report: inline SVG, coloured by the page's style sheet.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/findings/stepparts.h"

#include <string>
#include <vector>

namespace tuneline::analysis {

// Names of colours of the page, "c-compute".
[[nodiscard]] const char *causeColour(IdleCause cause);
[[nodiscard]] const char *partColour(const StepPart &part);

[[nodiscard]] std::string stepBar(const std::vector<StepPart> &parts);

// The steady step nearest to the median: idle causes, streams, CPU threads. "" without steps.
[[nodiscard]] std::string stepTimeline(const Analysis &analysis);

// The saving of one finding as a range on the step's time.
[[nodiscard]] std::string gainBar(const Gain &gain, std::int64_t stepNs);
// Step time now and after each change of the plan.
[[nodiscard]] std::string planBars(const Advice &advice);

} // namespace tuneline::analysis
