// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/threadsegments.h"

#include "analysis/trace/hugepages.h"

#include <algorithm>
#include <limits>

namespace tuneline::analysis {

namespace {

IdleCause ownCause(const Trace &trace, const NameTable &names, EventId e,
                   const std::function<bool(EventId)> &isBlocking)
{
    const EventKind kind = trace.kind(e);
    const std::uint32_t traits = names.of(trace, e);
    if (kind == EventKind::Overhead)
        return IdleCause::NotMeasurable;
    if ((traits & NameTrait::kDataScope) != 0)
        return IdleCause::InputWait;
    if ((traits & NameTrait::kCheckpointScope) != 0)
        return IdleCause::Checkpoint;
    if (kind == EventKind::Compile || (traits & NameTrait::kCompilation) != 0)
        return IdleCause::Compilation;
    if (isApiCall(kind)) {
        if ((traits & NameTrait::kAllocation) != 0)
            return IdleCause::Allocation;
        return isBlocking(e) ? IdleCause::Synchronisation : IdleCause::LaunchCalls;
    }
    return kind == EventKind::Op ? IdleCause::HostOperators : IdleCause::HostCode;
}

bool countsAsThreadTime(EventKind kind)
{
    return kind != EventKind::Window && kind != EventKind::Async && kind != EventKind::Instant;
}

// Nested events, innermost last: what the thread does while the last of them runs.
class Stack
{
public:
    explicit Stack(std::vector<HostSegment> &out)
        : m_out(out)
    { }

    void push(std::int64_t start, std::int64_t end, IdleCause own, EventId event)
    {
        closeUntil(start);
        if (!m_open.empty()) {
            const HostSegment &outer = m_open.back();
            appendSegment(m_out, {m_at, start, outer.cause, outer.event});
            end = std::min(end, outer.end);
            // A scope that explains the wait explains what is inside it; ranges and Python frames say nothing by
            // themselves.
            const bool outerWins = outer.cause <= IdleCause::Synchronisation
                ? outer.cause <= own
                : own == IdleCause::HostCode && outer.cause != own;
            if (outerWins) {
                own = outer.cause;
                event = outer.event;
            }
        }
        m_at = start;
        m_open.push_back({start, end, own, event});
    }

    void closeUntil(std::int64_t time)
    {
        while (!m_open.empty() && m_open.back().end <= time) {
            const HostSegment top = m_open.back();
            m_open.pop_back();
            appendSegment(m_out, {m_at, top.end, top.cause, top.event});
            m_at = std::max(m_at, top.end);
        }
    }

private:
    std::vector<HostSegment> &m_out;
    std::vector<HostSegment> m_open;
    std::int64_t m_at = 0;
};

bool isWeak(IdleCause cause)
{
    return cause == IdleCause::LaunchCalls || cause == IdleCause::HostOperators || cause == IdleCause::HostCode
        || cause == IdleCause::Unknown;
}

} // namespace

bool launchesOrRunsOperators(const Trace &trace, const Lane &lane)
{
    for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
        const EventKind kind = trace.events.kind[i];
        if (kind == EventKind::Op || (isApiCall(kind) && trace.events.launch[i].valid()))
            return true;
    }
    return false;
}

std::vector<HostSegment> threadSegments(const Trace &trace, const NameTable &names, LaneId id,
                                        const std::function<bool(EventId)> &isBlocking)
{
    std::vector<HostSegment> out;
    const Lane &lane = trace.lanes[id.value];
    reserveOnHugePages(out, 2 * std::size_t{lane.count}); // most events begin and end one
    Stack stack(out);
    for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
        const EventId e{i};
        if (!countsAsThreadTime(trace.kind(e)) || trace.hasFlag(e, EventFlag::kNoTimestamp | EventFlag::kStray))
            continue;
        stack.push(trace.start(e), trace.end(e), ownCause(trace, names, e, isBlocking), e);
    }
    stack.closeUntil(std::numeric_limits<std::int64_t>::max());
    return out;
}

void appendSegment(std::vector<HostSegment> &out, const HostSegment &s)
{
    if (s.end <= s.start)
        return;
    if (!out.empty() && out.back().end == s.start && out.back().cause == s.cause && out.back().event == s.event)
        out.back().end = s.end;
    else
        out.push_back(s);
}

void overlay(std::vector<HostSegment> &segments, std::size_t from, const IntervalSet &ranges, IdleCause cause)
{
    if (ranges.empty() || from >= segments.size())
        return;
    const std::vector<HostSegment> old(segments.begin() + static_cast<std::ptrdiff_t>(from), segments.end());
    segments.resize(from);
    const auto &cuts = ranges.ranges();
    auto cut =
        std::partition_point(cuts.begin(), cuts.end(), [&](const Range &r) { return r.end <= old.front().start; });
    for (const HostSegment &s : old) {
        while (cut != cuts.end() && cut->end <= s.start)
            ++cut;
        std::int64_t at = s.start;
        for (auto c = cut; isWeak(s.cause) && c != cuts.end() && c->begin < s.end; ++c) {
            appendSegment(segments, {at, std::max(at, c->begin), s.cause, s.event});
            at = std::min(s.end, c->end);
            appendSegment(segments, {std::max(s.start, c->begin), at, cause, {}});
        }
        appendSegment(segments, {at, s.end, s.cause, s.event});
    }
}

void overlayInputWait(std::vector<HostSegment> &segments, const IntervalSet &wait)
{
    std::vector<HostSegment> out;
    out.reserve(segments.size() + 2 * wait.ranges().size());
    const auto &waits = wait.ranges();
    auto w = waits.begin();
    for (const HostSegment &s : segments) {
        while (w != waits.end() && w->end <= s.start)
            ++w;
        std::int64_t at = s.start;
        for (auto cut = w; cut != waits.end() && cut->begin < s.end; ++cut) {
            appendSegment(out, {at, cut->begin, s.cause, s.event});
            at = std::max(at, cut->end);
        }
        appendSegment(out, {at, s.end, s.cause, s.event});
    }
    for (const Range &r : waits)
        out.push_back({r.begin, r.end, IdleCause::InputWait, {}});
    std::sort(out.begin(), out.end(), [](const HostSegment &a, const HostSegment &b) { return a.start < b.start; });
    segments = std::move(out);
}

} // namespace tuneline::analysis
