// SPDX-License-Identifier: GPL-3.0-or-later
// Fills in the line of each example whose byte offset is known.
#pragma once

#include "analysis/trace/importreport.h"

#include <filesystem>

namespace tuneline::analysis {

// Reads the file again as far as the last example: done once, when all is read, and only where something was wrong.
void addLineNumbers(ImportReport &report, const std::filesystem::path &file);

} // namespace tuneline::analysis
