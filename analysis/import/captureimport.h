// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Tuneline's own capture files (capture/format/FORMAT.md).
#pragma once

#include "analysis/import/mappedfile.h"
#include "analysis/progress.h"
#include "analysis/trace/tracebuilder.h"

#include <filesystem>

namespace tuneline::analysis {

// Adds the file to the builder as one source. A file that was cut at any byte is read up to its last whole frame.
Result<void> importCapture(const MappedFile &file, const std::filesystem::path &path, TraceBuilder &builder,
                           Progress &progress);

} // namespace tuneline::analysis
