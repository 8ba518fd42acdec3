// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/hostactivity.h"

#include "analysis/metrics/inputwait.h"
#include "analysis/metrics/threadsegments.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

constexpr double kLaunchBlockingShare = 0.9; // RULES.md, launch-blocking
constexpr std::size_t kFewLaunches = 20; // below that, a few tiny kernels would decide

bool usable(const Trace &trace, EventId e)
{
    return !trace.hasFlag(e, EventFlag::kNoTimestamp | EventFlag::kStray);
}

constexpr std::int64_t kStaged = 64 * 1024; // bytes: a pageable copy to the device up to this size does not block

// Copies from or to pageable memory wait for their stream; where the kind of memory is not known, the times tell.
bool copyBlocks(const Trace &trace, EventId record, bool outlasts)
{
    const CopyDetail *copy = trace.copy(record);
    if (!copy || trace.kind(record) != EventKind::Copy || copy->kind == CopyKind::DeviceToDevice)
        return false;
    if (copy->source == MemoryKind::Pinned || copy->destination == MemoryKind::Pinned)
        return false;
    if (copy->kind == CopyKind::HostToDevice && copy->source == MemoryKind::Pageable)
        return copy->bytes > kStaged;
    return outlasts || (copy->kind == CopyKind::DeviceToHost && copy->destination == MemoryKind::Pageable);
}

bool outlastsRecord(const Trace &trace, EventId call)
{
    const EventId record = trace.events.launch[call.value];
    return record.valid() && trace.end(call) >= trace.end(record) && trace.start(record) >= trace.start(call);
}

bool isForeignOverhead(std::string_view name)
{
    return name != "Buffer Flush" && name != "Activity Buffer Request"; // those run on the profiler's own threads
}

} // namespace

HostActivity::HostActivity(const Trace &trace, SourceId source, const NameTable &names, const StepSet &steps)
{
    findBlockingCalls(trace, source, names);
    std::vector<Range> profiler, loading;
    std::vector<LaneId> launching;
    for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
        const Lane &lane = trace.lanes[l];
        if (lane.kind != LaneKind::Cpu || lane.source != source)
            continue;
        if (LaneId{l} == steps.trainingLane)
            launching.insert(launching.begin(), LaneId{l});
        else if (launchesOrRunsOperators(trace, lane))
            launching.push_back(LaneId{l});
        else
            for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
                const Range r{trace.events.start[i], trace.end(EventId{i})};
                if (trace.events.kind[i] == EventKind::Compile)
                    loading.push_back(r);
                else if (trace.events.kind[i] == EventKind::Overhead && isForeignOverhead(trace.name(EventId{i})))
                    profiler.push_back(r);
            }
    }
    m_profiler = IntervalSet(std::move(profiler));
    m_loading = IntervalSet(std::move(loading));
    for (const LaneId lane : launching)
        buildThread(trace, names, lane);
    findInputWait(trace, names, steps);
}

void HostActivity::findBlockingCalls(const Trace &trace, SourceId source, const NameTable &names)
{
    std::vector<EventId> launches;
    std::size_t outlasting = 0;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu || lane.source != source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (!isApiCall(trace.kind(e)) || !usable(trace, e))
                continue;
            const EventId record = trace.events.launch[i];
            const bool outlasts = outlastsRecord(trace, e);
            if (names.is(trace, e, NameTrait::kBlocking) || (record.valid() && copyBlocks(trace, record, outlasts))) {
                m_blocking.push_back(e);
            } else if (record.valid() && trace.kind(record) == EventKind::Kernel) {
                launches.push_back(e);
                outlasting += outlasts ? 1 : 0;
            }
        }
    }
    m_launchesBlock = launches.size() >= kFewLaunches
        && static_cast<double>(outlasting) >= kLaunchBlockingShare * static_cast<double>(launches.size());
    if (m_launchesBlock)
        std::copy_if(launches.begin(), launches.end(), std::back_inserter(m_blocking),
                     [&](EventId e) { return outlastsRecord(trace, e); });
    std::sort(m_blocking.begin(), m_blocking.end()); // by id: by lane, then by start
}

bool HostActivity::isBlocking(EventId call) const
{
    return std::binary_search(m_blocking.begin(), m_blocking.end(), call);
}

void HostActivity::buildThread(const Trace &trace, const NameTable &names, LaneId id)
{
    Thread t;
    t.lane = id;
    t.segments = threadSegments(trace, names, id, [this](EventId e) { return isBlocking(e); });
    if (!t.segments.empty()) {
        const Range own{t.segments.front().start, t.segments.back().end};
        const bool first = m_alive.length() == 0;
        m_alive = first ? own : Range{std::min(m_alive.begin, own.begin), std::max(m_alive.end, own.end)};
    }
    m_threads.push_back(std::move(t));
}

void HostActivity::findInputWait(const Trace &trace, const NameTable &names, const StepSet &steps)
{
    if (m_threads.empty() || m_threads.front().lane != steps.trainingLane)
        return;
    std::vector<Range> ranges;
    for (const HostSegment &s : m_threads.front().segments) {
        if (s.cause == IdleCause::InputWait)
            ranges.push_back({s.start, s.end});
    }
    m_inputFromMarks = !ranges.empty();
    m_inputWait = m_inputFromMarks ? IntervalSet(std::move(ranges)) : unmarkedInputWait(trace, names, steps);
    if (!m_inputFromMarks && !m_inputWait.empty())
        overlayInputWait(m_threads.front().segments, m_inputWait);
}

const HostActivity::Thread *HostActivity::thread(LaneId lane) const
{
    const auto it =
        std::find_if(m_threads.begin(), m_threads.end(), [lane](const Thread &t) { return t.lane == lane; });
    return it == m_threads.end() ? nullptr : &*it;
}

const std::vector<HostSegment> *HostActivity::segments(LaneId lane) const
{
    const Thread *t = thread(lane);
    return t ? &t->segments : nullptr;
}

EventId HostActivity::blockingCallAt(const Trace &trace, LaneId lane, std::int64_t time) const
{
    const Thread *t = thread(lane);
    if (!t)
        return {};
    const auto &segments = t->segments;
    const auto it = std::partition_point(segments.begin(), segments.end(),
                                         [time](const HostSegment &s) { return s.start <= time; });
    if (it == segments.begin())
        return {};
    // A scope (data, checkpoint) wins the segment from the call inside it; then the call is searched for by its own id.
    const HostSegment &s = *(it - 1);
    if (s.cause == IdleCause::Synchronisation && time < s.end)
        return s.event;
    const Lane &l = trace.lanes[lane.value];
    auto call = std::partition_point(m_blocking.begin(), m_blocking.end(), [&](EventId e) {
        return e.value < l.first || (e.value < l.first + l.count && trace.start(e) <= time);
    });
    if (call == m_blocking.begin() || (--call)->value < l.first || trace.end(*call) <= time)
        return {};
    return *call;
}

void HostActivity::split(LaneId lane, Range window, std::vector<HostSegment> &out) const
{
    const Thread *t = thread(lane);
    if (!t) {
        appendSegment(out, {window.begin, window.end, IdleCause::Unknown, {}});
        return;
    }
    const std::size_t first = out.size();
    std::int64_t at = window.begin;
    auto it = std::partition_point(t->segments.begin(), t->segments.end(),
                                   [&](const HostSegment &s) { return s.end <= window.begin; });
    for (; it != t->segments.end() && it->start < window.end; ++it) {
        fillUnrecorded(*t, {at, it->start}, out);
        const HostSegment part{std::max(at, it->start), std::min(it->end, window.end), it->cause, it->event};
        if (it->cause == IdleCause::HostCode)
            fillHole(0, *t, part, out);
        else
            appendSegment(out, part);
        at = part.end;
    }
    fillUnrecorded(*t, {at, window.end}, out);
    overlay(out, first, m_loading, IdleCause::Compilation);
    overlay(out, first, m_profiler, IdleCause::NotMeasurable);
}

void HostActivity::fillUnrecorded(const Thread &own, Range hole, std::vector<HostSegment> &out) const
{
    if (hole.end <= hole.begin)
        return;
    const std::int64_t from = std::clamp(m_alive.begin, hole.begin, hole.end);
    const std::int64_t to = std::clamp(m_alive.end, from, hole.end);
    appendSegment(out, {hole.begin, from, IdleCause::Unknown, {}});
    if (from < to)
        fillHole(0, own, {from, to, IdleCause::HostCode, {}}, out);
    appendSegment(out, {to, hole.end, IdleCause::Unknown, {}});
}

// The first other thread (in order) that does something explains an instant; where none does, the hole stays what it
// is.
void HostActivity::fillHole(std::size_t other, const Thread &own, const HostSegment &hole,
                            std::vector<HostSegment> &out) const
{
    if (other < m_threads.size() && &m_threads[other] == &own)
        ++other;
    if (other >= m_threads.size() || hole.end <= hole.start) {
        appendSegment(out, hole);
        return;
    }
    const auto &segments = m_threads[other].segments;
    std::int64_t at = hole.start;
    auto it = std::partition_point(segments.begin(), segments.end(),
                                   [&](const HostSegment &s) { return s.end <= hole.start; });
    for (; it != segments.end() && it->start < hole.end; ++it) {
        if (it->cause == IdleCause::HostCode)
            continue;
        const std::int64_t from = std::max(at, it->start), to = std::min(it->end, hole.end);
        fillHole(other + 1, own, {at, from, hole.cause, hole.event}, out);
        appendSegment(out, {from, to, it->cause, it->event});
        at = to;
    }
    fillHole(other + 1, own, {at, hole.end, hole.cause, hole.event}, out);
}

} // namespace tuneline::analysis
