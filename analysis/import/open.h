// SPDX-License-Identifier: GPL-3.0-or-later
// The one way to open anything: a capture, a Kineto or Chrome trace (plain or gz), an Nsight Systems export, a capture
// folder, or several of them as the ranks of one run. The format is found from the content, never from the name.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"
#include "analysis/trace/trace.h"

#include <filesystem>
#include <vector>

namespace tuneline::analysis {

// Blocks until done; call it from a worker thread. Uses all cores.
[[nodiscard]] Result<TracePtr> openTrace(const std::vector<std::filesystem::path> &files, Progress &progress);

} // namespace tuneline::analysis
