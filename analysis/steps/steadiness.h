// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps count: warm-up, partial, outliers, stalls that recur; and the headline.
#pragma once

#include "analysis/steps/steps.h"

namespace tuneline::analysis {

void judgeSteadiness(const Trace &trace, const NameTable &names, StepSet &set);

} // namespace tuneline::analysis
