// SPDX-License-Identifier: GPL-3.0-or-later
// Which stream waits for what on which other stream, where the file says so: a CUDA event is recorded on one stream and
// another stream waits for it.
#pragma once

#include "analysis/trace/trace.h"

#include <vector>

namespace tuneline::analysis {

struct EventWait
{
    EventId call; // cudaStreamWaitEvent
    LaneId from; // the stream on which the event was recorded
    std::int64_t recordedAt = 0; // ns: what was launched there before then is waited for
    LaneId to; // the stream that waits
};

// Sorted by call. A wait counts for the latest recording of its event before it; waits on the event's own stream, and
// those whose recording isn't in the trace, are left out.
[[nodiscard]] std::vector<EventWait> eventWaits(const Trace &trace);

} // namespace tuneline::analysis
