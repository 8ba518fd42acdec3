// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a run that marks nothing: the sequence of what it launches (or, without a device, of its operators) repeats.
#pragma once

#include "analysis/steps/steps.h"

namespace tuneline::analysis {

void stepsFromPeriodicity(const Trace &trace, const NameTable &names, StepSet &set);

} // namespace tuneline::analysis
