// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a trace from the command line: analysis::openTrace with a progress line on stderr.
#pragma once

#include "analysis/analysis.h"
#include "analysis/compare/compare.h"
#include "analysis/import/open.h"

#include <string>
#include <vector>

namespace tuneline::cli {

// Blocks until the trace is there. `files` are opened together, as the ranks or sources of one run.
[[nodiscard]] analysis::Result<analysis::TracePtr> openWithProgress(const std::vector<std::string> &files);

// Opens and analyses them, the true cost of synchronisation by replay included: what inspect and advise show.
[[nodiscard]] analysis::Result<analysis::AnalysisPtr> openAnalysed(const std::vector<std::string> &files);

// Opens one run, analyses it and asks the advisor: what compare needs of each capture.
[[nodiscard]] analysis::Result<analysis::ComparedRun> openRun(const std::string &file);

} // namespace tuneline::cli
