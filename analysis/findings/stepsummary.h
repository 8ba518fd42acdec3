// SPDX-License-Identifier: GPL-3.0-or-later
// The headline step without the recording's own cost: its parts add up to its time.
#pragma once

#include "analysis/findings/advice.h"

namespace tuneline::analysis {

[[nodiscard]] StepSummary summariseStep(const Analysis &analysis, const WhatIf &whatIf, const AdviseOptions &options);

} // namespace tuneline::analysis
