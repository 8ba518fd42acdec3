// SPDX-License-Identifier: GPL-3.0-or-later
// What a Kineto file says about itself beside its events.
#pragma once

#include "analysis/trace/trace.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tuneline::analysis::json {

// Fills the source from the top object's keys (JSON texts); returns the wall-clock ns of time 0, if the file states it.
std::optional<std::int64_t> readHeaders(const std::vector<std::pair<std::string, std::string>> &headers,
                                        Source &source);

} // namespace tuneline::analysis::json
