// SPDX-License-Identifier: MIT
#include "capture/agent/capturerun.h"

#include "capture/agent/agent.h"
#include "capture/agent/clock.h"
#include "capture/agent/log.h"
#include "capture/agent/marks.h"
#include "capture/agent/memoryreports.h"
#include "capture/agent/names.h"
#include "capture/agent/ownprofiler.h"
#include "capture/agent/target.h"
#include "capture/agent/threadstate.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tuneline::agent {

namespace {

// How long kernels that the window launched are waited for after it.
constexpr std::int64_t kPatience = kSecond;
constexpr std::int64_t kExitPatience = 200 * kMillisecond;

format::AgentState stateOf(Phase phase) noexcept
{
    switch (phase) {
    case Phase::Dormant:
        return format::AgentState::Dormant;
    case Phase::WarmingUp:
        return format::AgentState::WarmingUp;
    case Phase::Baseline:
    case Phase::Preparing:
    case Phase::Ready:
        return format::AgentState::Baseline;
    case Phase::Open:
    case Phase::Closing:
        return format::AgentState::Recording;
    default:
        return format::AgentState::BaselineAfter;
    }
}

} // namespace

Capture::Capture(StepTracker::Signal signal, void *context) noexcept
    : m_signal(signal)
    , m_context(context)
{ }

Capture::~Capture() = default;

void Capture::say(int error, const char *format, ...) noexcept
{
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(m_last.message, sizeof m_last.message, format, arguments);
    va_end(arguments);
    m_last.error = static_cast<std::uint32_t>(error);
    logLine("%s", m_last.message);
}

bool Capture::arm(const format::ArmMessage &plan) noexcept
{
    if (m_busy) {
        say(EBUSY, "a capture is running in this process already");
        return false;
    }
    m_last = {};
    m_lastState = format::AgentState::Dormant;
    try {
        m_running = std::make_unique<Running>(m_tracker);
        m_running->plan = plan;
        m_running->plan.path[sizeof plan.path - 1] = 0;
        m_running->plan.metadata[sizeof plan.metadata - 1] = 0;
        return open(m_running->plan);
    } catch (...) {
        fail(ENOMEM, "out of memory");
        return false;
    }
}

bool Capture::open(const format::ArmMessage &plan) noexcept
{
    if (const int error = m_running->file.create(plan.path); error != 0) {
        char what[600];
        std::snprintf(what, sizeof what, "cannot write %.400s", plan.path);
        fail(error, what);
        return false;
    }
    m_running->namesRefused = NameTable::instance().refused();
    m_running->memoryReportsBefore = memoryReports();
    ThreadState::forEach([](ThreadState &state) {
        state.ring.drain([](const Slot &) {}); // what came too late for the last capture
        state.dropped = 0;
        state.tooDeep = 0;
    });
    try {
        writeFirstMetadata();
    } catch (...) {
        logLine("no memory for the metadata");
    }
    if (const int error = m_running->writer.start(); error != 0) {
        fail(error, "cannot start the writer thread");
        return false;
    }
    if (const int error = m_running->monitor.start(plan.path); error != 0)
        logLine("cannot start the monitor thread: %s", std::strerror(error));
    forgetMemoryBlocks();
    ++g_hot.epoch;
    const bool marked = programMarksSteps();
    m_busy = true;
    m_tracker.arm(plan, marked, m_signal, m_context, isPython(), hasJustStarted());
    if (programTellsFacts())
        m_tracker.expectSteps();
    g_hot.armed.store(true);
    if (!marked)
        m_running->operators.watchSteps(m_tracker); // at once, or as soon as there is a LibTorch: tick()
    // A C++ program that marks nothing would be recorded while it loads its libraries and data.
    if (!marked && !isPython() && hasJustStarted() && m_running->operators.watchTraining())
        m_tracker.awaitTraining();
    logLine("armed: %s, warm-up %lld, window %lld steps, %lld ns, detail %u", plan.path,
            static_cast<long long>(plan.warmupSteps), static_cast<long long>(plan.windowSteps),
            static_cast<long long>(plan.windowNs), static_cast<unsigned>(plan.detail));
    return true;
}

void Capture::stop() noexcept
{
    if (m_busy)
        m_tracker.stop(EndReason::Stopped);
}

void Capture::finish(EndReason reason) noexcept
{
    if (!m_busy)
        return;
    m_tracker.finish(reason);
    tick();
}

void Capture::tick() noexcept
{
    if (!m_busy)
        return;
    if (m_running->operators.trainingBegan())
        m_tracker.trainingBegan(hostNow());
    m_tracker.tick(hostNow());
    if (const int error = m_running->file.error(); error != 0) {
        fail(error, "the capture file can't be written any more");
        return;
    }
    // A Python is armed before it has imported torch, and may take its time.
    if (m_tracker.phase() == Phase::WarmingUp && m_tracker.source() != StepSource::Marks
        && !m_running->operators.watchesSteps())
        m_running->operators.watchSteps(m_tracker);
    if (m_tracker.phase() == Phase::Preparing)
        startRecording();
    if (m_tracker.phase() == Phase::Closing)
        stopRecording();
    if (m_tracker.phase() == Phase::Done)
        complete();
}

void Capture::startRecording() noexcept
{
    const cupti::State gpu = startCupti();
    try {
        startOperators();
    } catch (...) {
        logLine("no memory for the operator observer");
    }
    m_running->recordingOn = true;
    // Once more: CUDA and whatever else came since arm() must outlive the end of the recording. The first to run
    // counts.
    static const bool registered = std::atexit([] { finishCaptureAtExit(); }) == 0;
    (void)registered;
    logLine("recording on, operators: %s", m_running->operatorSource.c_str());
    m_running->monitor.setRecording(true);
    m_tracker.recordingIsOn(gpu == cupti::State::On);
}

void Capture::startOperators()
{
    Running &running = *m_running;
    const bool light = running.plan.detail == format::Detail::Light;
    std::string note;
    if (running.plan.detail == format::Detail::Full && running.operators.watchSteps(m_tracker)) {
        if (running.bridge.start(running.operators.torch())) {
            running.operators.stopUserScopes(); // the bridge sees those too
            running.operatorSource = "bridge";
            return;
        }
        note = ": " + running.bridge.why();
    }
    if (light ? running.operators.watchSteps(m_tracker) : running.operators.start(m_tracker))
        running.operatorSource = (light ? "user scopes" : "observer") + note;
    else
        running.operatorSource = running.operators.torch().found() ? "none: this LibTorch exports no observer functions"
                                                                   : "none: no LibTorch in this process";
}

namespace {

// torch.profiler was used in this process before: Kineto never lets go of CUPTI, but it doesn't record now. Nor does
// cuda-gdb's back end, which stays in a process that it was attached to.
bool holderSleeps(const cupti::Session &cupti, const TorchLibrary &torch) noexcept
{
    if (cupti.holder().find("Debugger") != std::string::npos)
        return !isTraced();
    return cupti.holderGaveNoName() && !anotherToolIsLoaded() && ownProfilerIsIdle(torch);
}

} // namespace

// First, before the operators: CUPTI's start is the slow part. Whatever comes of it, the capture goes on.
cupti::State Capture::startCupti() noexcept
{
    static constexpr const char *kStates[] = {"absent", "on", "busy", "failed"};
    Running &running = *m_running;
    const TorchLibrary torch = TorchLibrary::find();
    const auto start = [&](cupti::Subscription subscription) {
        return running.cupti.start(running.plan.detail, running.plan.graphs, torch.path(), subscription);
    };
    cupti::State state = start(cupti::Subscription::Own);
    if (state == cupti::State::Busy && holderSleeps(running.cupti, torch))
        state = start(cupti::Subscription::None);
    running.cuptiState = kStates[static_cast<std::size_t>(state)];
    if (state == cupti::State::On)
        running.writer.setDeviceClock(cupti::Session::deviceNow);
    else if (state != cupti::State::Absent)
        say(running.cupti.error(), "%.400s", running.cupti.message().c_str());
    return state;
}

void Capture::stopRecording() noexcept
{
    if (m_running->recordingOn) {
        m_running->monitor.setRecording(false);
        m_running->operators.stopOperators();
        if (m_running->bridge.running()) {
            m_running->bridge.stop();
            if (m_tracker.source() != StepSource::Marks)
                m_running->operators.watchSteps(m_tracker); // the plain steps after the window
        }
        const bool exiting = m_tracker.endReason() == EndReason::Exit;
        m_running->cupti.stop(exiting ? kExitPatience : kPatience);
        m_running->recordingOn = false;
    }
    m_tracker.recordingIsOff();
}

void Capture::release() noexcept
{
    g_hot.recording.store(false);
    g_hot.memory.store(false);
    m_running->bridge.stop();
    m_running->operators.stop();
    g_hot.armed.store(false);
}

void Capture::complete() noexcept
{
    stopRecording();
    release();
    // A callback that saw armed a moment ago finishes its event; then the rings can be emptied for good.
    const timespec grace{0, 2 * kMillisecond};
    nanosleep(&grace, nullptr);
    Running &running = *m_running;
    running.monitor.stop();
    running.writer.stop();
    try {
        writeLastMetadata();
    } catch (...) {
        logLine("no memory for the last metadata");
    }
    running.file.writeEnd(m_last.dropped);
    const int error = running.file.error();
    const std::uint64_t dropped = m_last.dropped;
    m_last = status();
    m_last.dropped = dropped;
    if (error != 0) {
        fail(error, "the capture file can't be written any more");
        return;
    }
    running.file.close();
    m_tracker.disarm();
    m_running.reset();
    m_busy = false;
    ThreadState::reap();
    ThreadState::releaseMemory();
    m_lastState = format::AgentState::Finished;
    logLine("finished: %llu records, %llu dropped", static_cast<unsigned long long>(m_last.records),
            static_cast<unsigned long long>(m_last.dropped));
}

void Capture::fail(int error, const char *what) noexcept
{
    if (m_running) {
        m_last = status();
        release();
        m_running->cupti.stop(0);
        m_running->monitor.stop();
        m_running->writer.stop();
        m_tracker.disarm();
        m_running.reset();
        ThreadState::releaseMemory();
    }
    m_busy = false;
    m_lastState = format::AgentState::Failed;
    if (error != 0)
        say(error, "%.400s: %s", what, std::strerror(error));
    else
        say(0, "%.400s", what);
}

void Capture::abandon() noexcept
{
    if (m_running)
        m_running->file.abandon();
}

format::StatusMessage Capture::status() const noexcept
{
    format::StatusMessage message = m_last;
    message.state = m_busy ? stateOf(m_tracker.phase()) : m_lastState;
    if (!m_running)
        return message;
    message.stepsSeen = m_tracker.stepsSeen();
    message.windowStepsDone = m_tracker.stepsInside();
    message.records = m_running->file.records();
    message.bytesWritten = m_running->file.bytesWritten();
    message.dropped = m_running->writer.droppedRingFull() + m_running->writer.droppedTooDeep();
    return message;
}

} // namespace tuneline::agent
