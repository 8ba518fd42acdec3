// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/timeaxis.h"

#include "analysis/trace/parallel.h"
#include "analysis/trace/rankalignment.h"
#include "analysis/trace/saturate.h"
#include <algorithm>
#include <limits>

namespace tuneline::analysis {
namespace {

constexpr std::int64_t kMaxTime = std::numeric_limits<std::int64_t>::max() / 2; // sums of two stay in range
constexpr std::int64_t kLateTime = kMaxTime / 16; // ten times as much stays in range
// A time stamp between 2001 and 2100 that has no base is Unix time: Kineto wrote those before it had a base.
constexpr std::int64_t kUnixFrom = 1'000'000'000'000'000'000, kUnixTo = 4'100'000'000'000'000'000;

bool timed(const RawEvent &event)
{
    return (event.flags & EventFlag::kNoTimestamp) == 0;
}

bool onAxis(const RawEvent &event)
{
    return (event.flags & (EventFlag::kNoTimestamp | EventFlag::kStray)) == 0;
}

// The part [first, last] of sorted times that is the trace; what is outside is stray. Parts are told apart by gaps of
// an hour; a part counts as stray if it is small beside the main one, so that two recorded windows some time apart
// stay.
std::pair<std::int64_t, std::int64_t> mainCluster(const std::vector<std::int64_t> &times)
{
    struct Part
    {
        std::size_t from, to;
    };
    std::vector<Part> parts{{0, 1}};
    for (std::size_t i = 1; i < times.size(); ++i) {
        if (times[i] - times[i - 1] > kStrayGapNs)
            parts.push_back({i, i});
        parts.back().to = i + 1;
    }
    const auto count = [](const Part &p) { return p.to - p.from; };
    const auto main =
        std::max_element(parts.begin(), parts.end(), [&](auto &a, auto &b) { return count(a) < count(b); });
    const auto belongs = [&](const Part &p) {
        return count(p) * 2 > count(*main) || count(p) * 100 > times.size() * 50;
    };
    auto from = main, to = main;
    for (auto part = parts.begin(); part != parts.end(); ++part) {
        if (belongs(*part)) {
            from = std::min(from, part);
            to = std::max(to, part);
        }
    }
    return {times[from->from], times[to->to - 1]};
}

} // namespace

TimeAxis::TimeAxis(Trace &trace, const EventRuns &runs, const std::unordered_map<std::uint32_t, std::int64_t> &bases)
    : m_trace(trace)
    , m_events(runs)
    , m_bases(bases)
    , m_clocks(trace.sources.size())
{
    m_runs.reserve(runs.size());
    for (const std::span<RawEvent> &run : runs)
        m_runs.push_back({run, sourceOf(run.front())});
    forEachOnAllCores(m_runs.size(), [this](std::size_t i) { look(m_runs[i]); });
}

void TimeAxis::look(Run &run)
{
    constexpr std::uint8_t kDoubts = EventFlag::kNoTimestamp | EventFlag::kNoDuration | EventFlag::kUnfinished;
    run.first = run.last = run.events.front().start;
    run.nearestToZero = kMaxTime;
    for (const RawEvent &event : run.events) {
        run.plain = run.plain && (event.flags & kDoubts) == 0 && event.start <= kMaxTime && event.start >= -kMaxTime
            && event.start != 0 && event.duration >= 0 && event.duration <= kSuspiciousNs;
        run.first = std::min(run.first, event.start);
        run.last = std::max(run.last, event.start);
        if (run.plain)
            run.nearestToZero = std::min(run.nearestToZero, event.start < 0 ? -event.start : event.start);
    }
}

template <typename Visit> void TimeAxis::forEach(Visit &&visit)
{
    for (const Run &run : m_runs) {
        for (RawEvent &event : run.events)
            visit(event);
    }
}

template <typename Visit> void TimeAxis::forEachDoubtful(Visit &&visit)
{
    for (const Run &run : m_runs) {
        for (std::size_t i = 0; i < run.events.size() && !run.plain; ++i)
            visit(run.events[i]);
    }
}

void TimeAxis::report(std::string_view name, Severity severity, const RawEvent &event, std::string_view why)
{
    std::string text{m_trace.strings.view(event.name)};
    text.append(": ").append(why);
    m_trace.report.add(name, severity, {static_cast<std::int64_t>(event.argsOffset), -1, std::move(text)});
}

void TimeAxis::settle(const CollectiveNamer &namer)
{
    flagImpossible();
    flagZeros();
    findRange();
    for (std::uint32_t i = 0; i < m_clocks.size(); ++i) {
        if (m_clocks[i].any && m_clocks[i].last - m_clocks[i].first > kStrayGapNs)
            flagStrays(SourceId{i});
    }
    findOffsets();
    if (namer && m_clocks.size() > 1)
        alignRanksBy(namer);
    clipDurations();
}

void TimeAxis::flagImpossible()
{
    forEachDoubtful([this](RawEvent &event) {
        if (event.start > kMaxTime || event.start < -kMaxTime)
            event.flags |= EventFlag::kNoTimestamp;
        if ((event.flags & EventFlag::kNoTimestamp) != 0 && event.start != 0)
            event.start = 0;
        if (event.duration < 0 || event.duration > kMaxTime) {
            event.duration = 0;
            event.flags |= EventFlag::kNoDuration;
        }
        if ((event.flags & EventFlag::kNoDuration) != 0 && event.kind != EventKind::Instant)
            report("duration-invalid", Severity::Warning, event,
                   "its duration is missing or impossible; shown as a tick, in no average");
    });
}

// A time stamp of exactly 0 is a lost one if everything else is far from 0.
void TimeAxis::flagZeros()
{
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> nearest(m_clocks.size(), kNone);
    for (const Run &run : m_runs) {
        if (run.plain)
            nearest[run.source.value] = std::min(nearest[run.source.value], run.nearestToZero);
    }
    bool zeros = false;
    forEachDoubtful([&](const RawEvent &event) {
        zeros = zeros || event.start == 0;
        if (event.start != 0 && timed(event)) {
            std::int64_t &time = nearest[sourceOf(event).value];
            time = std::min(time, event.start < 0 ? -event.start : event.start);
        }
    });
    if (!zeros)
        return;
    forEachDoubtful([&](RawEvent &event) {
        const std::int64_t others = nearest[sourceOf(event).value];
        if (event.start == 0 && others != kNone && others > kSuspiciousNs)
            event.flags |= EventFlag::kNoTimestamp;
        if (!timed(event))
            report("timestamp-invalid", Severity::Warning, event, "its time stamp is lost; listed, but in no figure");
    });
}

void TimeAxis::findRange()
{
    const auto include = [this](SourceId source, std::int64_t first, std::int64_t last) {
        Clock &clock = m_clocks[source.value];
        clock.first = clock.any ? std::min(clock.first, first) : first;
        clock.last = clock.any ? std::max(clock.last, last) : last;
        clock.any = true;
    };
    for (const Run &run : m_runs) {
        if (run.plain)
            include(run.source, run.first, run.last);
    }
    forEachDoubtful([&](const RawEvent &event) {
        if (timed(event))
            include(sourceOf(event), event.start, event.start);
    });
}

void TimeAxis::flagStrays(SourceId source)
{
    std::vector<std::int64_t> times;
    forEach([&](const RawEvent &event) {
        if (timed(event) && sourceOf(event) == source)
            times.push_back(event.start);
    });
    std::sort(times.begin(), times.end());
    const auto [first, last] = mainCluster(times);
    m_clocks[source.value].first = first;
    m_clocks[source.value].last = last;
    for (Run &run : m_runs)
        run.plain = run.plain && (run.source != source || (run.first >= first && run.last <= last));
    forEachDoubtful([&, from = first, to = last](RawEvent &event) {
        if (!timed(event) || sourceOf(event) != source || (event.start >= from && event.start <= to))
            return;
        event.flags |= EventFlag::kStray;
        report("stray-event", Severity::Warning, event,
               "far away from the rest of the trace; reachable, but in no step");
    });
}

void TimeAxis::findOffsets()
{
    std::optional<std::int64_t> zero;
    for (std::uint32_t i = 0; i < m_clocks.size(); ++i) {
        Clock &clock = m_clocks[i];
        const auto base = m_bases.find(i);
        clock.wall = base != m_bases.end() || (clock.any && clock.first > kUnixFrom && clock.first < kUnixTo);
        clock.offset = base != m_bases.end() ? base->second : 0;
        if (clock.any && clock.wall)
            zero = std::min(zero.value_or(saturatedSum(clock.first, clock.offset)),
                            saturatedSum(clock.first, clock.offset));
    }
    m_trace.baseUnixNs = zero;
    std::size_t unknown = 0;
    for (Clock &clock : m_clocks) {
        clock.offset = clock.wall ? saturatedDifference(clock.offset, zero.value_or(clock.offset)) : -clock.first;
        unknown += clock.any && !clock.wall ? 1 : 0;
    }
    if (unknown > 0 && m_clocks.size() > 1) {
        m_trace.report.add(
            "clock-unknown", Severity::Info,
            {-1, -1, "these sources don't say when they were recorded: each begins at 0 of the common axis"}, unknown);
    }
}

void TimeAxis::alignRanksBy(const CollectiveNamer &namer)
{
    std::vector<std::int64_t> offsets;
    for (const Clock &clock : m_clocks)
        offsets.push_back(clock.offset);
    const auto moves = alignRanks(m_trace, m_events, offsets, namer);
    std::optional<std::int64_t> first; // the zero of the axis moves with the sources
    for (std::size_t i = 0; i < m_clocks.size(); ++i) {
        m_clocks[i].offset = saturatedSum(m_clocks[i].offset, moves[i]);
        if (m_clocks[i].any) {
            const std::int64_t begin = saturatedSum(m_clocks[i].first, m_clocks[i].offset);
            first = std::min(first.value_or(begin), begin);
        }
    }
    if (first.value_or(0) == 0)
        return;
    for (Clock &clock : m_clocks)
        clock.offset = saturatedDifference(clock.offset, *first);
    if (m_trace.baseUnixNs)
        m_trace.baseUnixNs = saturatedSum(*m_trace.baseUnixNs, *first);
}

std::int64_t TimeAxis::relative(SourceId source, std::int64_t time) const
{
    return std::clamp(saturatedSum(time, m_clocks[source.value].offset), -kMaxTime, kMaxTime);
}

// Puts a run's starts on the common axis; returns the end of what is on it.
std::optional<std::int64_t> TimeAxis::toRelative(Run &run) const
{
    std::optional<std::int64_t> end;
    for (RawEvent &event : run.events) {
        event.start = timed(event) ? relative(run.source, event.start) : 0;
        if (!onAxis(event))
            continue;
        const std::int64_t length = event.duration <= kSuspiciousNs ? event.duration : 0;
        end = std::max(end.value_or(event.start + length), event.start + length);
    }
    run.plain = run.plain && end.value_or(0) >= 0 && end.value_or(0) <= kLateTime;
    return end;
}

void TimeAxis::clipDurations()
{
    std::vector<std::optional<std::int64_t>> ends(m_runs.size());
    forEachOnAllCores(m_runs.size(), [&](std::size_t i) { ends[i] = toRelative(m_runs[i]); });
    std::optional<std::int64_t> end;
    for (const auto &runEnd : ends) // the end of nothing is less than any
        end = std::max(end, runEnd);
    const std::int64_t limit = end.value_or(0) > kLateTime ? kMaxTime : end.value_or(0) * 10 + kSuspiciousNs;
    std::int64_t longest = end.value_or(0);
    forEachDoubtful([&](const RawEvent &event) {
        if (onAxis(event) && event.start + event.duration <= limit)
            longest = std::max(longest, event.start + event.duration);
    });
    m_trace.spanBegin = 0;
    m_trace.spanEnd = longest;
    forEachDoubtful([&](RawEvent &event) {
        if (!onAxis(event))
            return;
        if (event.start + event.duration > limit) {
            report("duration-clipped", Severity::Warning, event,
                   "lasts far beyond the end of the trace; drawn up to that end");
            event.flags |= EventFlag::kUnfinished;
        }
        if ((event.flags & EventFlag::kUnfinished) != 0)
            event.duration = longest - event.start;
    });
}

} // namespace tuneline::analysis
