// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/alignment.h"

#include "analysis/analysis.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// Steady steps; all complete ones where too few are steady to pair anything.
std::vector<std::uint32_t> stepsToShow(const StepSet &set)
{
    std::vector<std::uint32_t> steady, complete;
    for (std::uint32_t i = 0; i < set.list.size(); ++i) {
        if (set.list[i].steady())
            steady.push_back(i);
        if (!set.list[i].has(StepFlag::kPartial))
            complete.push_back(i);
    }
    return steady.empty() ? complete : steady;
}

} // namespace

std::vector<AlignedStep> alignSteps(const Analysis &before, const Analysis &after)
{
    const auto b = stepsToShow(before.stepSet()), a = stepsToShow(after.stepSet());
    std::vector<AlignedStep> pairs;
    for (std::size_t i = 0; i < std::min(b.size(), a.size()); ++i)
        pairs.push_back({b[i], a[i], before.stepSet().list[b[i]].start - after.stepSet().list[a[i]].start});
    return pairs;
}

} // namespace tuneline::analysis
