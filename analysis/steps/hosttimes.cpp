// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/hosttimes.h"

#include "analysis/steps/hostscopes.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// A boundary lies somewhere between the last work of a step and the first of the next: in the middle, but at most this
// share of a step behind the last work, because a long pause is the wait for the next batch.
constexpr double kPause = 0.007;

} // namespace

HostTimes::HostTimes(const Trace &trace, const NameTable &names, const std::vector<Token> &tokens, LaneId lane)
    : m_trace(trace)
    , m_names(names)
    , m_tokens(tokens)
    , m_lane(lane)
    , m_work(outermostWork(trace, names, lane))
{
    // The profiler's own wait at the end of its window is no part of a step.
    if (!m_work.empty() && trace.name(m_work.back()) == "cudaDeviceSynchronize")
        m_work.pop_back();
}

std::int64_t HostTimes::endOf(std::uint32_t token) const
{
    const std::int64_t time = m_tokens[token].time;
    const auto next =
        std::partition_point(m_work.begin(), m_work.end(), [&](EventId e) { return m_trace.start(e) <= time; });
    std::int64_t end = m_trace.end(m_tokens[token].event);
    if (next != m_work.begin() && m_trace.end(*(next - 1)) > time)
        end = std::max(end, m_trace.end(*(next - 1)));
    return behindReads(m_trace, m_names, m_work, end);
}

// Until the thread's next work begins.
std::int64_t HostTimes::pauseBehind(std::int64_t end) const
{
    const auto next =
        std::partition_point(m_work.begin(), m_work.end(), [&](EventId e) { return m_trace.start(e) < end; });
    return next == m_work.end() ? 0 : m_trace.start(*next) - end;
}

// The record window begins with the step where the profiler says when it began to record: the first work may come late,
// as late as in the other steps.
std::int64_t HostTimes::beginOfFirst(std::int64_t longestPause, std::int64_t most) const
{
    std::int64_t first = m_tokens.front().time;
    if (!m_work.empty())
        first = std::min(first, m_trace.start(m_work.front()));
    std::int64_t window = first;
    for (const Lane &lane : m_trace.lanes) {
        if (lane.kind != LaneKind::Window || lane.source != m_trace.lanes[m_lane.value].source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            if (!m_trace.hasFlag(EventId{i}, EventFlag::kNoTimestamp | EventFlag::kStray))
                window = std::min(window, m_trace.events.start[i]);
        }
    }
    window = std::max(window, first - longestPause);
    return window + std::min(most, (first - window) / 2);
}

void HostTimes::addSteps(const std::vector<std::uint32_t> &bounds, StepSet &set) const
{
    const auto count = static_cast<std::int64_t>(bounds.size()) - 1;
    const std::int64_t length = (m_tokens[bounds.back() - 1].time - m_tokens[bounds.front()].time) / count;
    const auto most = static_cast<std::int64_t>(kPause * static_cast<double>(length));
    std::int64_t longestPause = 0;
    const auto boundary = [&](std::uint32_t token) {
        const std::int64_t end = endOf(token - 1);
        const std::int64_t pause = token < m_tokens.size() ? pauseBehind(end) : 0;
        longestPause = std::max(longestPause, pause);
        return end + std::min(most, pause / 2);
    };
    std::vector<std::int64_t> times;
    for (const std::uint32_t token : bounds)
        times.push_back(token > 0 ? boundary(token) : 0);
    if (bounds.front() == 0)
        times.front() = beginOfFirst(longestPause, most);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        times[i + 1] = std::max(times[i], times[i + 1]);
        Step step;
        step.lane = m_lane;
        step.hostStart = times[i];
        step.hostEnd = times[i + 1];
        set.list.push_back(step);
    }
}

} // namespace tuneline::analysis
