// SPDX-License-Identifier: GPL-3.0-or-later
// The advice as JSON (CLI.md, "advise --json") and as text for a terminal.
#pragma once

#include "analysis/findings/advice.h"

#include <nlohmann/json.hpp>
#include <string>

namespace tuneline::analysis {

[[nodiscard]] nlohmann::ordered_json adviceToJson(const Advice &advice);
// Plain text, `width` columns, no escape codes.
[[nodiscard]] std::string adviceToText(const Advice &advice, int width = 100);

} // namespace tuneline::analysis
