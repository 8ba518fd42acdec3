// SPDX-License-Identifier: GPL-3.0-or-later
// How far the host runs ahead of a device, in records launched but not yet started.
#pragma once

#include "analysis/metrics/devicework.h"

namespace tuneline::analysis {

struct QueueDepth
{
    std::uint32_t max = 0;
    double mean = 0; // just after each record's start
};

[[nodiscard]] QueueDepth queueDepth(const Trace &trace, const DeviceWork &work);

} // namespace tuneline::analysis
