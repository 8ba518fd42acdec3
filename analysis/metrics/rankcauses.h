// SPDX-License-Identifier: GPL-3.0-or-later
// Why a rank arrives late: what of its step takes longer than on the others.
#pragma once

#include "analysis/metrics/stepmetrics.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

// Mean over a rank's steady steps, not scaled; nullopt: no steps.
using RankBreakdowns = std::vector<std::optional<StepBreakdown>>; // by source

struct LateCause
{
    std::string what; // "waiting for input", "host operators", …
    std::int64_t excessNs = 0; // per step, above the mean of the other ranks
};

// nullopt: nothing takes noticeably longer there.
[[nodiscard]] std::optional<LateCause> whyLate(const RankBreakdowns &breakdowns, std::size_t source);

} // namespace tuneline::analysis
