// SPDX-License-Identifier: GPL-3.0-or-later
// Steps from what the program or its framework marked.
#pragma once

#include "analysis/steps/steps.h"

namespace tuneline::analysis {

// TunelineStep#n, ProfilerStep#n or a range named "step"; groups of micro-batches by the optimizer scopes inside.
void stepsFromMarkers(const Trace &trace, const NameTable &names, StepSet &set);
// Optimizer.step#… scopes, or runs of _fused_/_foreach_ optimizer operators: a step ends after each.
void stepsFromOptimizerScopes(const Trace &trace, const NameTable &names, StepSet &set);
// Each event of that name starts a step.
void stepsFromName(const Trace &trace, StringId name, StepSet &set);

} // namespace tuneline::analysis
