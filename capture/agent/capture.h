// SPDX-License-Identifier: MIT
// One capture after another: arms, follows the step tracker's phases, switches the observers on and off, completes the
// file. Lives as long as the process, on the control thread; the host's threads only touch tracker() and the rings.
#pragma once

#include "capture/agent/framefile.h"
#include "capture/agent/json.h"
#include "capture/agent/operators.h"
#include "capture/agent/steptracker.h"
#include "capture/agent/writer.h"
#include "capture/format/control.h"

#include <memory>
#include <string>

namespace tuneline::agent {

namespace cupti {
enum class State;
}

class Capture
{
public:
    // signal(context) is called from any thread when tick() has something to do.
    Capture(StepTracker::Signal signal, void *context) noexcept;
    ~Capture();

    // False: refused, message() of status() says why. A running capture goes on.
    bool arm(const format::ArmMessage &plan) noexcept;
    void stop() noexcept; // the session's wish
    void finish(EndReason reason) noexcept; // at once: the program exits
    // Does what the phase asks for. Every 20 ms while busy(), and after each signal.
    void tick() noexcept;
    // In a forked child.
    void abandon() noexcept;

    [[nodiscard]] bool busy() const noexcept { return m_busy; }
    [[nodiscard]] StepTracker &tracker() noexcept { return m_tracker; }
    [[nodiscard]] format::StatusMessage status() const noexcept;

private:
    struct Running; // what exists only while a capture runs

    bool open(const format::ArmMessage &plan) noexcept;
    void startRecording() noexcept;
    void startOperators();
    void stopRecording() noexcept;
    void complete() noexcept;
    void fail(int error, const char *what) noexcept;
    void release() noexcept;
    cupti::State startCupti() noexcept;
    void writeFirstMetadata();
    void writeCupti(JsonWriter &json);
    void writeLastMetadata();
    void say(int error, const char *format, ...) noexcept __attribute__((format(printf, 3, 4)));

    StepTracker m_tracker;
    StepTracker::Signal m_signal;
    void *m_context;
    std::unique_ptr<Running> m_running;
    bool m_busy = false;
    format::AgentState m_lastState = format::AgentState::Dormant; // Dormant, Finished or Failed, while none runs
    format::StatusMessage m_last; // counters of the last capture, message
};

} // namespace tuneline::agent
