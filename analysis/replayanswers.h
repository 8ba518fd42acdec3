// SPDX-License-Identifier: GPL-3.0-or-later
// What only the replay of the event graph can tell about an analysis: AnalysisOptions::replay for those who want the
// true cost of synchronisation and refills counted as such (DESIGN section 4).
#pragma once

#include "analysis/analysis.h"

namespace tuneline::analysis {

// Builds the event graph once; empty answers where there is nothing to replay.
[[nodiscard]] ReplayAnswers replayAnswers(const Analysis &analysis);

} // namespace tuneline::analysis
