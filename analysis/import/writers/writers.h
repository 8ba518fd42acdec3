// SPDX-License-Identifier: GPL-3.0-or-later
// Export. Every writer blocks until done, calls back to `progress`, and fails with CannotWrite or Cancelled.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/trace/trace.h"

#include <filesystem>
#include <iosfwd>

namespace tuneline::analysis {

// Chrome's JSON object format in Kineto's dialect: opens in ui.perfetto.dev, chrome://tracing and here. Times are
// decimal microseconds with three digits, exact to 1 ns; the wall-clock base goes into baseTimeNanoseconds.
[[nodiscard]] Result<void> writeChromeTrace(const Trace &trace, std::ostream &out, Progress &progress);

// One file per table (events.csv, lanes.csv, counters.csv, memory.csv, marks.csv) into a folder, RFC 4180, times in ns.
[[nodiscard]] Result<void> writeCsv(const Trace &trace, const std::filesystem::path &folder, Progress &progress);

// The same tables as one SQLite file; its schema is documented in sqlitewriter.cpp and in the file's own table `about`.
[[nodiscard]] Result<void> writeSqlite(const Trace &trace, const std::filesystem::path &file, Progress &progress);

} // namespace tuneline::analysis
