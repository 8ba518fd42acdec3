// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as text for a terminal and as the JSON of CLI.md.
#pragma once

#include "analysis/compare/compare.h"

#include <nlohmann/json_fwd.hpp>

namespace tuneline::analysis {

[[nodiscard]] nlohmann::json compareJson(const Comparison &comparison);
[[nodiscard]] std::string compareText(const Comparison &comparison);

} // namespace tuneline::analysis
