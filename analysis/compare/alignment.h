// SPDX-License-Identifier: GPL-3.0-or-later
// Which step of one capture is shown above which step of another: the n-th steady step of both, so that warm-up steps
// of different number don't shift the picture.
#pragma once

#include <cstdint>
#include <vector>

namespace tuneline::analysis {

struct Analysis;

struct AlignedStep
{
    std::uint32_t before = 0, after = 0; // indices into StepSet::list
    std::int64_t offsetNs = 0; // add it to a time of `after` to get the time of `before` at which this step starts
};

[[nodiscard]] std::vector<AlignedStep> alignSteps(const Analysis &before, const Analysis &after);

} // namespace tuneline::analysis
