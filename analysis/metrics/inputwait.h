// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for the next batch in runs that record no data scope: C++ `torch::data` (DESIGN section 4).
#pragma once

#include "analysis/metrics/hostactivity.h"

namespace tuneline::analysis {

// Host code outside operators that ends at each step's first use of a new batch (host-to-device copy, or first
// operator). Empty for Python programs: their DataLoader records a scope, so a gap there is the program's own work.
[[nodiscard]] IntervalSet unmarkedInputWait(const Trace &trace, const NameTable &names, const StepSet &steps);

} // namespace tuneline::analysis
