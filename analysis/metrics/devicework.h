// SPDX-License-Identifier: GPL-3.0-or-later
// The work of one device, sorted, as the other metrics need it.
#pragma once

#include "analysis/metrics/intervalset.h"
#include "analysis/metrics/names.h"
#include "analysis/steps/steps.h"

#include <vector>

namespace tuneline::analysis {

struct DeviceWork
{
    int device = 0;
    std::vector<EventId> records; // by start; without those of unknown time and strays. Orphans belong to no step, but
                                  // keep the device busy
    Range extent; // first start to last end of all of them
};

[[nodiscard]] std::vector<DeviceWork> deviceWork(const Trace &trace, const StepSet &steps); // by device number

} // namespace tuneline::analysis
