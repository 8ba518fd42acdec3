// SPDX-License-Identifier: GPL-3.0-or-later
// A training run of a transformer as a profiler would record it, made in memory: nested operators with shapes,
// launches, kernels, backward on its own thread, an optimizer, a batch copy and a read of the loss in each step.
#pragma once

#include "analysis/trace/trace.h"

namespace tuneline::bench {

struct RunShape
{
    std::int64_t events = 100'000; // at least that many
    bool marked = true; // ProfilerStep ranges
};

// Deterministic. About 2,600 events a step.
[[nodiscard]] analysis::TracePtr makeRun(const RunShape &shape);

} // namespace tuneline::bench
