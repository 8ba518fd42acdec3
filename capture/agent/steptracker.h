// SPDX-License-Identifier: MIT
// Counts the host's steps and decides on which of them the capture goes on: warm-up, plain step times before, the
// window, plain step times after. Steps come on a thread of the host and never wait; time limits come from the control
// thread's tick(). Whoever is second just leaves it to the first (a try-lock), so the host is never held up.
#pragma once

#include "capture/format/control.h"
#include "capture/format/records.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace tuneline::agent {

enum class Phase : std::uint32_t {
    Dormant,
    WarmingUp,
    Baseline, // timing plain steps
    Preparing, // the control thread switches the recording on
    Ready, // it is on; the window opens with the next step
    Open, // the window
    Closing, // the control thread switches the recording off
    Settling, // it is off; the next step is the first plain one
    After, // timing plain steps
    Done, // the control thread completes the file
};

// What counts as a step, worst first.
enum class StepSource : std::uint32_t { None, Optimizer, ProfilerStep, Marks };

enum class EndReason : std::uint32_t { None, Steps, Time, Stopped, Exit, NoSteps, Error };

class StepTracker
{
public:
    // Called by whoever changed the phase, on that thread: must be quick and must not call back.
    using Signal = void (*)(void *context) noexcept;

    // Control thread. Starts in WarmingUp. stepsExpected: none has been seen, but they will be when the training
    // begins, which may take half a minute from here (Python: data sets, models, the other ranks). starting: the
    // program has only just been started; if it also says that steps will come, they may take minutes: libraries,
    // models and data sets come from a cold disk.
    void arm(const format::ArmMessage &plan, bool marksSeen, Signal signal, void *context, bool stepsExpected = false,
             bool starting = false) noexcept;
    // The program has said something that only programs say that mark their steps. Any thread.
    void expectSteps() noexcept;
    // Control thread. Nobody marks steps here, but a training is about to begin: no window before it has, or before
    // half a minute is over. Nothing changes for a window that was wished for at once.
    void awaitTraining() noexcept;
    void trainingBegan(std::int64_t now) noexcept;

    // A step begins. name: of an optimizer scope, so that a program with two optimizers counts the first only.
    // Returns the number of the step, 0 if it isn't one that counts. Any thread.
    std::int64_t onStep(StepSource source, const char *name, std::int64_t now) noexcept;
    // The last step ends without a new one: the pause that follows is nobody's step.
    void onStepEnd(StepSource source, std::int64_t now) noexcept;

    // Control thread.
    void tick(std::int64_t now) noexcept; // limits by time
    void recordingIsOn(bool settle) noexcept; // Preparing → Ready. settle: let one more step pass
    void recordingIsOff() noexcept; // Closing → Settling or Done
    void stop(
        EndReason reason) noexcept; // the session wants an end: close the window, or give up what comes before or after
    void finish(EndReason reason) noexcept; // Done at once, without plain steps after
    void disarm() noexcept { m_phase = Phase::Dormant; }

    // Any thread.
    [[nodiscard]] Phase phase() const noexcept { return m_phase.load(std::memory_order_acquire); }
    [[nodiscard]] std::int64_t stepsSeen() const noexcept { return m_seen; }
    [[nodiscard]] std::int64_t stepsInside() const noexcept { return m_inside; }
    [[nodiscard]] std::int64_t warmupSteps() const noexcept { return m_warmup; }
    [[nodiscard]] StepSource source() const noexcept { return m_source; }
    [[nodiscard]] EndReason endReason() const noexcept { return m_reason; }
    [[nodiscard]] bool byTime() const noexcept { return m_byTime; }
    [[nodiscard]] std::int64_t windowBegin() const noexcept { return m_windowBegin; } // host clock, 0 = not yet
    [[nodiscard]] std::int64_t windowEnd() const noexcept { return m_windowEnd; }

    static constexpr std::int64_t kMaxWarmupSteps = 50;
    static constexpr std::int64_t kDefaultWindowNs = 3'000'000'000; // without steps and without a limit by time

private:
    class Turn; // the try-lock
    void finishStep(std::int64_t now) noexcept;
    void beginStep(std::int64_t now) noexcept;
    bool adopt(StepSource source, const char *name, std::int64_t now) noexcept;
    [[nodiscard]] bool warm() noexcept;
    [[nodiscard]] std::int64_t patience(std::int64_t minimum) const noexcept; // how long a missing step is waited for
    void open(std::int64_t now) noexcept;
    void close(std::int64_t now, EndReason reason) noexcept;
    void enter(Phase phase) noexcept;
    void timeStep(std::int64_t now, format::StepPhase phase) noexcept;

    std::atomic<Phase> m_phase{Phase::Dormant};
    std::atomic_flag m_turn;
    std::atomic<bool> m_missed{false}; // a step came while the turn was taken
    format::ArmMessage m_plan;
    Signal m_signal = nullptr;
    void *m_context = nullptr;
    // How long the first step is waited for, ns: now, and once the program has said that it will come.
    std::atomic<std::int64_t> m_firstPatience{0}, m_toldPatience{0};
    bool m_atOnce = false;
    std::int64_t m_trainingPatience = 0; // the same until the training has begun

    std::atomic<StepSource> m_source{StepSource::None};
    char m_optimizer[128] = {};
    std::uint32_t m_owner = 0; // the thread whose steps count
    std::atomic<std::int64_t> m_seen{0}, m_inside{0}, m_warmup{0};
    std::int64_t m_before = 0, m_after = 0, m_settle = 0;
    std::int64_t m_armed = 0, m_last = 0; // host clock; m_last 0: no step is running
    std::int64_t m_latest = 0; // last sign of life of the steps, host clock
    std::array<std::int64_t, 8> m_recent{}; // durations
    std::uint32_t m_recentCount = 0;
    std::atomic<bool> m_byTime{false};
    std::atomic<EndReason> m_reason{EndReason::None};
    std::atomic<std::int64_t> m_windowBegin{0}, m_windowEnd{0};
};

} // namespace tuneline::agent
