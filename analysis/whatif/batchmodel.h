// SPDX-License-Identifier: GPL-3.0-or-later
// The present batch: from the configuration, the marks, or the first dimension that the products share.
#pragma once

#include "analysis/whatif/runfacts.h"

#include <optional>

namespace tuneline::analysis {

[[nodiscard]] std::optional<std::int64_t> presentBatch(const RunFacts &facts);

} // namespace tuneline::analysis
