// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a comparison: metrics, operators and kernels, findings.
#pragma once

#include "analysis/compare/side.h"

namespace tuneline::analysis {

// step_time first; where the sides do different work per step, time_per_unit second.
[[nodiscard]] std::vector<MetricChange> metricChanges(const std::vector<RunFigures> &before,
                                                      const std::vector<RunFigures> &after);
// Largest change of time per step first. Uses the first run of each side.
[[nodiscard]] std::vector<OpChange> opChanges(const RunFigures &before, const RunFigures &after);
[[nodiscard]] std::vector<FindingChange> findingChanges(const Advice &before, const Advice &after);

} // namespace tuneline::analysis
