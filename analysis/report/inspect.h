// SPDX-License-Identifier: GPL-3.0-or-later
// `tuneline-cli inspect`: what is in a trace, as the JSON document of CLI.md and as text.
#pragma once

#include "analysis/analysis.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tuneline::analysis {

[[nodiscard]] nlohmann::json inspectJson(const Analysis &analysis);
[[nodiscard]] std::string inspectText(const Analysis &analysis);

} // namespace tuneline::analysis
