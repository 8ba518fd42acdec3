// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/captureclock.h"

#include "analysis/trace/saturate.h"
#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

CaptureClock::CaptureClock(const CaptureFrames &frames)
{
    for (const RecordView &view : frames.records) {
        for (std::uint32_t i = 0; view.kind == format::RecordKind::Clock && i < view.count; ++i) {
            const auto reading = view.at<format::ClockRecord>(i);
            const std::int64_t bracket = saturatedDifference(reading.realtimeAfter, reading.realtimeBefore);
            const std::int64_t realtime = saturatedSum(reading.realtimeBefore, bracket / 2);
            const std::int64_t device = reading.cupti != 0 ? reading.cupti : realtime;
            m_points.push_back({device, saturatedDifference(device, reading.monotonic)});
            if (!m_unixOfZero)
                m_unixOfZero = saturatedDifference(realtime, reading.monotonic);
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
        return saturatedDifference(deviceTime, next->ahead);
    const Point &before = *(next - 1);
    if (next == m_points.end() || next->device == before.device)
        return saturatedDifference(deviceTime, before.ahead);
    // A difference of offsets is microseconds, a distance seconds: a double holds both exactly enough.
    const double share = static_cast<double>(saturatedDifference(deviceTime, before.device))
        / static_cast<double>(saturatedDifference(next->device, before.device));
    const double drift = share * static_cast<double>(saturatedDifference(next->ahead, before.ahead));
    const std::int64_t ahead =
        saturatedSum(before.ahead, std::abs(drift) < 1e18 ? static_cast<std::int64_t>(drift) : 0);
    return saturatedDifference(deviceTime, ahead);
}

} // namespace tuneline::analysis
