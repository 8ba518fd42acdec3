// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/queuedepth.h"

#include <algorithm>

namespace tuneline::analysis {

QueueDepth queueDepth(const Trace &trace, const DeviceWork &work)
{
    std::vector<std::int64_t> launched, started;
    for (const EventId e : work.records) {
        if (const EventId launch = trace.events.launch[e.value]; launch.valid()) {
            launched.push_back(std::min(trace.start(launch), trace.start(e))); // a skewed clock never makes it negative
            started.push_back(trace.start(e));
        }
    }
    std::sort(launched.begin(), launched.end());
    QueueDepth depth;
    std::size_t next = 0;
    double sum = 0;
    for (std::size_t i = 0; i < started.size(); ++i) {
        while (next < launched.size() && launched[next] <= started[i])
            ++next;
        const std::size_t waiting = next - (i + 1);
        depth.max = std::max(depth.max, static_cast<std::uint32_t>(waiting + 1)); // just before the start
        sum += static_cast<double>(waiting);
    }
    if (!started.empty())
        depth.mean = sum / static_cast<double>(started.size());
    return depth;
}

} // namespace tuneline::analysis
