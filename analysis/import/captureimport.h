// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Tuneline's own capture files (capture/format/FORMAT.md).
#pragma once

#include "analysis/progress.h"
#include "analysis/trace/tracebuilder.h"

#include <filesystem>
#include <string_view>

namespace tuneline::analysis {

// Adds the file (its bytes) to the builder as one source. A file that was cut at any byte is read up to its last whole
// frame.
Result<void> importCapture(std::string_view file, const std::filesystem::path &path, TraceBuilder &builder,
                           Progress &progress);

} // namespace tuneline::analysis
