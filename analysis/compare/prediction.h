// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the knob that was changed into the what-if question that had been open before, and asks it of the first
// capture.
#pragma once

#include "analysis/compare/compare.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

// The CHANGE of CLI.md that this difference makes, "" if the advisor has no prediction for it.
[[nodiscard]] std::string whatIfOf(const Difference &difference);

// What the advisor predicts from `before` for these changes, against the measured share of step time saved.
[[nodiscard]] std::optional<PredictionOutcome>
judgePrediction(const ComparedRun &before, const std::vector<Difference> &differences, double measuredShareSaved);

} // namespace tuneline::analysis
