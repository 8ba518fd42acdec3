// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/extras.h"

#include <algorithm>
#include <limits>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr std::size_t kFanOut = 16;

SpanPyramid idleSpans(const DeviceMetrics &device)
{
    std::vector<Span> spans;
    spans.reserve(device.pieces.size());
    for (std::uint32_t i = 0; i < device.pieces.size(); ++i)
        spans.push_back({device.pieces[i].start, device.pieces[i].end, i});
    return SpanPyramid(std::move(spans));
}

SpanPyramid stepSpans(const StepSet &steps)
{
    std::vector<Span> spans;
    for (std::uint32_t i = 0; i < steps.list.size(); ++i)
        spans.push_back({steps.list[i].start, steps.list[i].end, i});
    return SpanPyramid(std::move(spans));
}

} // namespace

CurvePyramid::CurvePyramid(std::vector<std::int64_t> time, std::vector<double> value)
    : m_time(std::move(time))
{
    if (m_time.empty())
        return;
    m_peak = *std::ranges::max_element(value);
    m_levels.push_back(std::move(value));
    while (m_levels.back().size() > kFanOut) {
        const std::vector<double> &below = m_levels.back();
        std::vector<double> level;
        level.reserve(below.size() / kFanOut + 1);
        for (std::size_t i = 0; i < below.size(); i += kFanOut) {
            const auto first = below.begin() + static_cast<std::ptrdiff_t>(i);
            const auto last = below.begin() + static_cast<std::ptrdiff_t>(std::min(i + kFanOut, below.size()));
            level.push_back(*std::max_element(first, last));
        }
        m_levels.push_back(std::move(level));
    }
}

double CurvePyramid::maximum(std::int64_t from, std::int64_t to) const
{
    const auto index = [this](std::int64_t t) {
        return static_cast<std::size_t>(std::ranges::upper_bound(m_time, t) - m_time.begin());
    };
    std::size_t last = to > from ? index(to - 1) : index(from); // past the end
    std::size_t first = index(from);
    first -= first > 0 ? 1 : 0; // the value that holds at `from`
    if (first >= last)
        return std::numeric_limits<double>::quiet_NaN();
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t level = 0; first < last; ++level) {
        const std::vector<double> &values = m_levels[level];
        const bool top = level + 1 == m_levels.size();
        while (first < last && (top || first % kFanOut != 0))
            best = std::max(best, values[first++]);
        while (first < last && (top || last % kFanOut != 0))
            best = std::max(best, values[--last]);
        first /= kFanOut;
        last /= kFanOut;
    }
    return best;
}

Result<ExtrasPtr> buildExtras(const Trace &trace, const Analysis *analysis, const Progress &progress)
{
    auto extras = std::make_shared<TimelineExtras>();
    const auto cancelled = [] { return fail(Error::Code::Cancelled, "Cancelled."); };
    for (const CounterTrack &counter : trace.counters) {
        if (progress.cancelled())
            return cancelled();
        extras->counters.emplace_back(counter.time, counter.value);
    }
    if (!analysis)
        return ExtrasPtr(std::move(extras));
    for (const DeviceMetrics &device : analysis->devices) {
        if (progress.cancelled())
            return cancelled();
        extras->idle.push_back(idleSpans(device));
    }
    for (const MemoryCurve &curve : analysis->memory)
        extras->memory.emplace_back(curve.time, std::vector<double>(curve.allocated.begin(), curve.allocated.end()));
    if (!analysis->stepsOfSource.empty())
        extras->steps = stepSpans(analysis->stepSet());
    return ExtrasPtr(std::move(extras));
}

} // namespace tuneline::ui
