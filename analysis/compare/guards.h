// SPDX-License-Identifier: GPL-3.0-or-later
// What must not have been paid for the speed: the loss, finite numbers, the work itself.
#pragma once

#include "analysis/compare/side.h"

namespace tuneline::analysis {

[[nodiscard]] std::vector<Guard> checkGuards(const std::vector<RunFigures> &before,
                                             const std::vector<RunFigures> &after);

} // namespace tuneline::analysis
