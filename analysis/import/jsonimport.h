// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Kineto and Chrome JSON traces.
#pragma once

#include "analysis/import/mappedfile.h"
#include "analysis/progress.h"
#include "analysis/trace/tracebuilder.h"

#include <filesystem>

namespace tuneline::analysis {

// Adds the file's documents to the builder as sources.
Result<void> importJson(const MappedFile &file, const std::filesystem::path &path, TraceBuilder &builder,
                        Progress &progress);

} // namespace tuneline::analysis
