// SPDX-License-Identifier: GPL-3.0-or-later
// The memory curve of each device, from allocation events.
#pragma once

#include "analysis/trace/trace.h"

#include <vector>

namespace tuneline::analysis {

struct MemoryCurve
{
    SourceId source;
    int device = -1; // -1 = CPU
    std::int64_t startBytes = 0; // allocated before the first event
    std::int64_t peakBytes = 0, endBytes = 0;
    std::int64_t peakTime = 0; // ns
    std::int64_t peakReservedBytes = kUnknown;
    std::uint64_t unmatchedFrees = 0; // of blocks allocated before the window
    std::vector<std::int64_t> time, allocated; // the curve after each event
};

[[nodiscard]] std::vector<MemoryCurve> memoryCurves(const Trace &trace);

} // namespace tuneline::analysis
