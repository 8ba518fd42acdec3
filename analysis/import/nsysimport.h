// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Nsight Systems' SQLite exports, old and new: tables and columns may be missing, a table's name may have a
// version suffix, a text may stand in its row or in StringIds.
#pragma once

#include "analysis/import/sqlite.h"
#include "analysis/progress.h"
#include "analysis/trace/tracebuilder.h"

#include <filesystem>

namespace tuneline::analysis {

// Adds the database to the builder as one source.
Result<void> importNsys(const Database &database, const std::filesystem::path &path, TraceBuilder &builder,
                        Progress &progress);

} // namespace tuneline::analysis
