// SPDX-License-Identifier: MIT
#include "capture/agent/steptracker.h"

#include "capture/agent/clock.h"
#include "capture/agent/recorder.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sched.h>

namespace tuneline::agent {

namespace {

constexpr std::int64_t kNoStepsNs = 2 * kSecond; // CAPTURE: no steps for 2 s, go by time
constexpr std::int64_t kExpectedStepsNs = 30 * kSecond; // the program has marked steps before, or it is about to begin
constexpr std::int64_t kStartingNs = 120 * kSecond; // it said that they will come, and was started a moment ago
constexpr std::int64_t kSteadyPermille = 50; // two halves of the last eight steps agree within 5 %

std::int64_t medianOfFour(const std::int64_t *values) noexcept
{
    std::array<std::int64_t, 4> sorted{values[0], values[1], values[2], values[3]};
    std::sort(sorted.begin(), sorted.end());
    return (sorted[1] + sorted[2]) / 2;
}

} // namespace

// Holds the turn for one event. A host thread gives up after some microseconds (the holder was descheduled); the
// control thread waits for the few instructions that a turn takes.
class StepTracker::Turn
{
public:
    Turn(std::atomic_flag &flag, bool patient) noexcept
        : m_flag(flag)
    {
        constexpr int kTries = 500;
        for (int tries = 0; !m_mine && (patient || tries < kTries); ++tries) {
            m_mine = !m_flag.test_and_set(std::memory_order_acquire);
            if (!m_mine && patient)
                sched_yield();
        }
    }
    ~Turn()
    {
        if (m_mine)
            m_flag.clear(std::memory_order_release);
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    explicit operator bool() const noexcept { return m_mine; }

private:
    std::atomic_flag &m_flag;
    bool m_mine = false;
};

void StepTracker::arm(const format::ArmMessage &plan, bool marksSeen, Signal signal, void *context, bool stepsExpected,
                      bool starting) noexcept
{
    const Turn turn(m_turn, true);
    m_plan = plan;
    // --warmup 0 --seconds 2: right now, whatever the program does.
    m_atOnce = plan.warmupSteps == 0 && plan.windowSteps <= 0;
    m_firstPatience = marksSeen || (stepsExpected && !m_atOnce) ? kExpectedStepsNs : kNoStepsNs;
    m_trainingPatience = 0;
    m_toldPatience = m_atOnce ? m_firstPatience.load() : starting ? kStartingNs : kExpectedStepsNs;
    m_signal = signal;
    m_context = context;
    m_source = marksSeen ? StepSource::Marks : StepSource::None;
    m_optimizer[0] = 0;
    m_owner = 0;
    m_seen = m_inside = m_warmup = 0;
    m_before = m_after = m_settle = 0;
    m_armed = hostNow();
    m_last = 0;
    m_latest = m_armed;
    m_recentCount = 0;
    m_byTime = false;
    m_reason = EndReason::None;
    m_windowBegin = m_windowEnd = 0;
    m_phase = Phase::WarmingUp;
}

void StepTracker::enter(Phase phase) noexcept
{
    m_phase.store(phase, std::memory_order_release);
    if (m_signal)
        m_signal(m_context);
}

bool StepTracker::adopt(StepSource source, const char *name, std::int64_t now) noexcept
{
    const StepSource known = m_source;
    if (source < known || (source > known && m_phase.load() > Phase::Baseline && known != StepSource::None))
        return false;
    if (source > known) { // a better source: what was counted so far were not its steps
        m_source = source;
        m_owner = 0;
        m_last = 0;
        m_recentCount = 0;
        m_warmup = m_before = 0;
        if (m_phase.load() == Phase::Baseline)
            enter(Phase::WarmingUp);
        std::snprintf(m_optimizer, sizeof m_optimizer, "%s", name ? name : "");
    }
    if (source == StepSource::Optimizer && name && std::strncmp(name, m_optimizer, sizeof m_optimizer - 1) != 0)
        return false;
    const ThreadState *self = ThreadState::current();
    const std::uint32_t tid = self ? self->tid : 0;
    if (m_owner != tid && m_owner != 0 && now - m_latest < patience(kNoStepsNs))
        return false; // another thread marks steps as well: the first one's count
    if (m_owner != tid)
        m_last = 0;
    m_owner = tid;
    return true;
}

std::int64_t StepTracker::onStep(StepSource source, const char *name, std::int64_t now) noexcept
{
    const Turn turn(m_turn, false);
    if (!turn) {
        m_missed = true;
        return 0;
    }
    const Phase phase = m_phase.load();
    if (phase == Phase::Dormant || phase == Phase::Done || !adopt(source, name, now))
        return 0;
    if (m_missed.exchange(false))
        m_last = 0; // two steps as one would be no step time
    ++m_seen;
    finishStep(now);
    beginStep(now);
    m_last = m_latest = now;
    return m_seen;
}

void StepTracker::onStepEnd(StepSource source, std::int64_t now) noexcept
{
    const Turn turn(m_turn, false);
    const ThreadState *self = ThreadState::existing();
    if (!turn || source != m_source || !self || self->tid != m_owner)
        return;
    finishStep(now);
    m_last = 0;
    m_latest = now;
}

void StepTracker::timeStep(std::int64_t now, format::StepPhase phase) noexcept
{
    if (ThreadState *state = ThreadState::current())
        state->push(format::RecordKind::StepTime, format::StepTimeRecord{m_last, now, phase, 0});
}

void StepTracker::finishStep(std::int64_t now) noexcept
{
    if (m_last == 0)
        return;
    m_recent[m_recentCount++ % m_recent.size()] = now - m_last;
    switch (m_phase.load()) {
    case Phase::WarmingUp:
        ++m_warmup;
        break;
    case Phase::Baseline:
        timeStep(now, format::StepPhase::Before);
        if (++m_before >= m_plan.baselineSteps)
            enter(Phase::Preparing);
        break;
    case Phase::Open:
        timeStep(now, format::StepPhase::Inside);
        if (++m_inside; m_plan.windowSteps > 0 && m_inside >= m_plan.windowSteps)
            close(now, EndReason::Steps);
        break;
    case Phase::After:
        timeStep(now, format::StepPhase::After);
        if (++m_after >= m_plan.baselineSteps)
            enter(Phase::Done);
        break;
    default:
        break;
    }
}

void StepTracker::beginStep(std::int64_t now) noexcept
{
    switch (m_phase.load()) {
    case Phase::WarmingUp:
        if (warm())
            enter(m_plan.baselineSteps > 0 ? Phase::Baseline : Phase::Preparing);
        break;
    case Phase::Ready:
        if (m_settle-- <= 0)
            open(now);
        break;
    case Phase::Settling:
        enter(Phase::After);
        break;
    default:
        break;
    }
}

// Enough warm-up? In auto mode: the medians of the last four and the four steps before them agree.
bool StepTracker::warm() noexcept
{
    if (m_plan.warmupSteps >= 0)
        return m_warmup >= m_plan.warmupSteps;
    if (m_warmup >= kMaxWarmupSteps)
        return true;
    if (m_recentCount < m_recent.size())
        return false;
    std::array<std::int64_t, 8> ordered{};
    for (std::size_t i = 0; i < ordered.size(); ++i)
        ordered[i] = m_recent[(m_recentCount + i) % m_recent.size()];
    const std::int64_t early = medianOfFour(ordered.data());
    const std::int64_t late = medianOfFour(ordered.data() + 4);
    return std::abs(early - late) * 1000 <= kSteadyPermille * std::max(early, late);
}

std::int64_t StepTracker::patience(std::int64_t minimum) const noexcept
{
    std::int64_t longest = 0;
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(m_recentCount, static_cast<std::uint32_t>(m_recent.size()));
         ++i)
        longest = std::max(longest, m_recent[i]);
    return std::max(minimum, 4 * longest);
}

void StepTracker::expectSteps() noexcept
{
    m_firstPatience = m_toldPatience.load();
}

void StepTracker::awaitTraining() noexcept
{
    if (!m_atOnce)
        m_trainingPatience = kExpectedStepsNs;
}

void StepTracker::trainingBegan(std::int64_t now) noexcept
{
    const Turn turn(m_turn, true);
    m_trainingPatience = 0;
    m_latest = now; // its first steps are given the time that any steps are
}

void StepTracker::open(std::int64_t now) noexcept
{
    m_windowBegin = now;
    if (ThreadState *state = ThreadState::current())
        pushMark(*state, format::MarkKind::WindowBegin, now, nullptr, nullptr, 0);
    g_hot.memory.store(m_plan.detail == format::Detail::Full);
    g_hot.recording.store(true, std::memory_order_release);
    enter(Phase::Open);
}

void StepTracker::close(std::int64_t now, EndReason reason) noexcept
{
    g_hot.recording.store(false);
    g_hot.memory.store(false);
    m_windowEnd = now;
    m_reason = reason;
    if (ThreadState *state = ThreadState::current())
        pushMark(*state, format::MarkKind::WindowEnd, now, nullptr, nullptr, 0);
    enter(Phase::Closing);
}

void StepTracker::tick(std::int64_t now) noexcept
{
    const Turn turn(m_turn, true);
    const std::int64_t quiet = now - m_latest;
    switch (m_phase.load()) {
    case Phase::WarmingUp:
        if (quiet >= (m_seen == 0 ? std::max(m_firstPatience.load(), m_trainingPatience) : patience(kNoStepsNs))) {
            m_byTime = true;
            enter(Phase::Preparing);
        }
        break;
    case Phase::Baseline:
        if (quiet >= patience(kNoStepsNs)) {
            m_byTime = true;
            enter(Phase::Preparing);
        }
        break;
    case Phase::Ready:
        if (m_byTime || quiet >= patience(kNoStepsNs)) {
            m_byTime = true;
            open(now);
        }
        break;
    case Phase::Open: {
        const std::int64_t length = now - m_windowBegin;
        const bool unlimited = m_plan.windowNs <= 0 && m_byTime && m_plan.windowSteps > 0;
        if ((m_plan.windowNs > 0 && length >= m_plan.windowNs) || (unlimited && length >= kDefaultWindowNs))
            close(now, EndReason::Time);
        else if (m_plan.windowNs <= 0 && !m_byTime && m_plan.windowSteps > 0 && quiet >= patience(10 * kSecond))
            close(now, EndReason::NoSteps);
        break;
    }
    case Phase::Settling:
    case Phase::After:
        if (m_byTime || quiet >= patience(kNoStepsNs))
            enter(Phase::Done);
        break;
    default:
        break;
    }
}

void StepTracker::recordingIsOn(bool settle) noexcept
{
    const Turn turn(m_turn, true);
    m_settle = settle && !m_byTime ? 1 : 0;
    m_latest = std::max(m_latest, hostNow()); // switching on may have taken long: don't count that as silence
    if (m_phase.load() == Phase::Preparing)
        enter(Phase::Ready);
}

void StepTracker::recordingIsOff() noexcept
{
    const Turn turn(m_turn, true);
    if (m_phase.load() != Phase::Closing)
        return;
    m_last = 0; // the step that is running saw the end of the recording
    m_latest = hostNow();
    const bool timeAgain = m_plan.baselineSteps > 0 && !m_byTime && m_reason.load() != EndReason::NoSteps;
    enter(timeAgain ? Phase::Settling : Phase::Done);
}

void StepTracker::stop(EndReason reason) noexcept
{
    const Turn turn(m_turn, true);
    const Phase phase = m_phase.load();
    if (phase == Phase::Open)
        close(hostNow(), reason);
    else if (phase != Phase::Dormant && phase != Phase::Closing && phase != Phase::Done) {
        if (m_reason.load() == EndReason::None)
            m_reason = reason;
        enter(Phase::Done);
    }
}

void StepTracker::finish(EndReason reason) noexcept
{
    const Turn turn(m_turn, true);
    if (m_phase.load() == Phase::Open)
        close(hostNow(), reason);
    if (m_reason.load() == EndReason::None)
        m_reason = reason;
    enter(Phase::Done);
}

} // namespace tuneline::agent
