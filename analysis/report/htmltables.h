// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the HTML report, as markup; "" where there is nothing to show.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"

#include <string>

namespace tuneline::analysis {

[[nodiscard]] std::string htmlKernels(const Analysis &analysis);
[[nodiscard]] std::string htmlOperators(const Analysis &analysis);
[[nodiscard]] std::string htmlDevices(const Analysis &analysis);
[[nodiscard]] std::string htmlMemory(const Analysis &analysis);
[[nodiscard]] std::string htmlRanks(const Analysis &analysis); // of two ranks or more
[[nodiscard]] std::string htmlChecked(const Advice &advice);
[[nodiscard]] std::string htmlProblems(const ImportReport &report);
[[nodiscard]] std::string htmlEvidence(const Trace &trace, const Finding &finding); // folded

} // namespace tuneline::analysis
