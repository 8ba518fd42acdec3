// SPDX-License-Identifier: GPL-3.0-or-later
// From host boundaries to device records and the side that limits (DESIGN section 4, "step").
#pragma once

#include "analysis/steps/steps.h"

namespace tuneline::analysis {

// Fills stepOfRecord, Step::records, firstRecord, lastRecord and StepSet::device.
void assignRecords(const Trace &trace, StepSet &set);
// Decides hostRunsAhead and sets Step::start and end.
void placeBoundaries(const Trace &trace, StepSet &set);

} // namespace tuneline::analysis
