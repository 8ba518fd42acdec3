// SPDX-License-Identifier: GPL-3.0-or-later
// What a Kineto file says about itself beside its events.
#pragma once

#include "analysis/trace/trace.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuneline::analysis::json {

// Fills the source from the top object's keys (JSON texts); returns the wall-clock ns of time 0, if the file states it.
// Of a key that comes twice the last value counts.
std::optional<std::int64_t> readHeaders(const std::vector<std::pair<std::string, std::string>> &headers, Source &source,
                                        ImportReport &report);

// A source of a file that our export wrote from several (chromeheader.h).
struct WrittenSource
{
    Source source;
    std::vector<std::pair<std::string, std::string>> pids; // in the file → what it was before
};
// From key "tuneline" (JSON text). Empty where the file is no such export.
[[nodiscard]] std::vector<WrittenSource> readWrittenSources(std::string_view own);

} // namespace tuneline::analysis::json
