// SPDX-License-Identifier: GPL-3.0-or-later
// Loader threads inside the process, where the capture shows them: how long one takes for a batch. A short window may
// run on batches that were loaded before it; the threads show that this won't last.
#pragma once

#include "analysis/whatif/runfacts.h"

namespace tuneline::analysis {

struct LoaderThreads
{
    int count = 0; // that loaded something in the window
    double batchesPerStep = 1;
    double loadNs = 0; // one thread's time for a batch while there was room for it; 0 = it always waited for room
    double lowNs = 0, highNs = 0; // its range
};

// The training thread takes a batch that is ready in well under this (measured 0.06 to 0.12 ms); more is a wait.
inline constexpr std::int64_t kHandOverNs = 200'000;

[[nodiscard]] LoaderThreads loaderThreads(const RunFacts &facts);

} // namespace tuneline::analysis
