// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/captureclock.h"

#include <algorithm>

namespace tuneline::analysis {

CaptureClock::CaptureClock(const CaptureFrames &frames)
{
    for (const RecordView &view : frames.records) {
        for (std::uint32_t i = 0; view.kind == format::RecordKind::Clock && i < view.count; ++i) {
            const auto reading = view.at<format::ClockRecord>(i);
            const std::int64_t realtime = reading.realtimeBefore + (reading.realtimeAfter - reading.realtimeBefore) / 2;
            const std::int64_t device = reading.cupti != 0 ? reading.cupti : realtime;
            m_points.push_back({device, device - reading.monotonic});
            if (!m_unixOfZero)
                m_unixOfZero = realtime - reading.monotonic;
        }
    }
    std::sort(m_points.begin(), m_points.end(), [](const Point &a, const Point &b) { return a.device < b.device; });
}

std::int64_t CaptureClock::toHost(std::int64_t deviceTime) const noexcept
{
    if (m_points.empty())
        return deviceTime;
    const auto next = std::upper_bound(m_points.begin(), m_points.end(), deviceTime,
                                       [](std::int64_t t, const Point &p) { return t < p.device; });
    if (next == m_points.begin())
        return deviceTime - next->ahead;
    const Point &before = *(next - 1);
    if (next == m_points.end() || next->device == before.device)
        return deviceTime - before.ahead;
    // A difference of offsets is microseconds, a distance seconds: a double holds both exactly enough.
    const double share =
        static_cast<double>(deviceTime - before.device) / static_cast<double>(next->device - before.device);
    return deviceTime - before.ahead
        - static_cast<std::int64_t>(share * static_cast<double>(next->ahead - before.ahead));
}

} // namespace tuneline::analysis
