// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/devicework.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

std::vector<DeviceWork> deviceWork(const Trace &trace, const StepSet &steps)
{
    constexpr std::uint8_t kOut = EventFlag::kNoTimestamp | EventFlag::kStray;
    std::map<int, DeviceWork> devices;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Stream || lane.source != steps.source || !lane.device)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (isDeviceWork(trace.kind(e)) && !trace.hasFlag(e, kOut))
                devices[*lane.device].records.push_back(e);
        }
    }
    std::vector<DeviceWork> all;
    for (auto &[device, work] : devices) {
        work.device = device;
        std::stable_sort(work.records.begin(), work.records.end(),
                         [&](EventId a, EventId b) { return trace.start(a) < trace.start(b); });
        work.extent = {trace.start(work.records.front()), trace.end(work.records.front())};
        for (const EventId e : work.records)
            work.extent.end = std::max(work.extent.end, trace.end(e));
        all.push_back(std::move(work));
    }
    return all;
}

} // namespace tuneline::analysis
