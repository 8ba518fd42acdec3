// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about one run in one JSON document: `tuneline-cli export --format json`. Its schema is in REPORT.md.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"

#include <nlohmann/json.hpp>

namespace tuneline::analysis {

[[nodiscard]] nlohmann::ordered_json reportJson(const Analysis &analysis, const Advice &advice);

} // namespace tuneline::analysis
