// SPDX-License-Identifier: GPL-3.0-or-later
// The report of one run as a web page to keep or send: one file, no script, nothing fetched, readable in light and dark
// and on paper. `tuneline-cli export --format html`.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"

#include <string>

namespace tuneline::analysis {

[[nodiscard]] std::string htmlReport(const Analysis &analysis, const Advice &advice);

} // namespace tuneline::analysis
