// SPDX-License-Identifier: GPL-3.0-or-later
// Idle gaps of a device and what each part of them is due to (DESIGN section 4, "idle cause").
#pragma once

#include "analysis/metrics/devicemetrics.h"
#include "analysis/metrics/devicework.h"
#include "analysis/metrics/hostactivity.h"

namespace tuneline::analysis {

// Fills gaps, pieces and idle from busy and window. Linear in records + gaps + touched host segments.
void findIdleGaps(const Trace &trace, const NameTable &names, const StepSet &steps, const HostActivity &host,
                  const DeviceWork &work, DeviceMetrics &metrics);

} // namespace tuneline::analysis
