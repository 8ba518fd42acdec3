// SPDX-License-Identifier: GPL-3.0-or-later
// What each launching host thread does at each instant, by the precedence of DESIGN section 4: one flat, sorted list of
// segments for each thread. Built once in linear time, then read by any thread.
#pragma once

#include "analysis/metrics/causes.h"
#include "analysis/metrics/intervalset.h"
#include "analysis/metrics/names.h"
#include "analysis/steps/steps.h"

#include <vector>

namespace tuneline::analysis {

struct HostSegment
{
    std::int64_t start = 0, end = 0;
    IdleCause cause = IdleCause::HostCode;
    EventId event; // the scope, call or operator that decides; invalid = none recorded
};

class HostActivity
{
public:
    // Threads of the source that launch device work, run its steps or its operators.
    HostActivity() = default; // knows no thread
    HostActivity(const Trace &trace, SourceId source, const NameTable &names, const StepSet &steps);

    // Segments of the window on a thread, clipped, without holes. Where nothing is recorded: what another launching
    // thread of the source does (the training thread waits for the backward pass, and the other way round); else
    // HostCode between the first and last event of those threads, Unknown outside. Appends to `out`. O(log n +
    // touched).
    void split(LaneId thread, Range window, std::vector<HostSegment> &out) const;

    [[nodiscard]] const std::vector<HostSegment> *segments(LaneId thread) const; // nullptr: not a launching thread
    // The blocking call that thread is in at t, invalid = none.
    [[nodiscard]] EventId blockingCallAt(const Trace &trace, LaneId thread, std::int64_t t) const;
    // Every call that blocks its thread: by name, or because it returned only when its own copy had ended. By start.
    [[nodiscard]] const std::vector<EventId> &blockingCalls() const noexcept { return m_blocking; }
    [[nodiscard]] bool isBlocking(EventId call) const;
    // Almost every launch returns only when its kernel has ended (CUDA_LAUNCH_BLOCKING=1).
    [[nodiscard]] bool launchesBlock() const noexcept { return m_launchesBlock; }
    // Host time of the training thread in which it waits for the next batch: data scopes, or without any the rule for
    // runs that mark none (inputFromMarks() is false then).
    [[nodiscard]] const IntervalSet &inputWait() const noexcept { return m_inputWait; }
    [[nodiscard]] bool inputFromMarks() const noexcept { return m_inputFromMarks; }

private:
    struct Thread
    {
        LaneId lane;
        std::vector<HostSegment> segments; // sorted, disjoint; holes where nothing is recorded
    };

    void findBlockingCalls(const Trace &trace, SourceId source, const NameTable &names);
    void buildThread(const Trace &trace, const NameTable &names, LaneId lane);
    void findInputWait(const Trace &trace, const NameTable &names, const StepSet &steps);
    void fillHole(std::size_t other, const Thread &own, const HostSegment &hole, std::vector<HostSegment> &out) const;
    void fillUnrecorded(const Thread &own, Range hole, std::vector<HostSegment> &out) const;
    [[nodiscard]] const Thread *thread(LaneId lane) const;

    std::vector<Thread> m_threads; // the training thread first
    Range m_alive; // from the first to the last event of all of them
    std::vector<EventId> m_blocking;
    IntervalSet m_inputWait;
    IntervalSet m_profiler; // the profiler held a thread, it does not say which
    IntervalSet m_loading; // modules were loaded, likewise
    bool m_inputFromMarks = false;
    bool m_launchesBlock = false;
};

} // namespace tuneline::analysis
