// SPDX-License-Identifier: MIT
#include "capture/agent/capture.h"

#include "capture/agent/clock.h"
#include "capture/agent/cupti/session.h"
#include "capture/agent/facts.h"
#include "capture/agent/gpus.h"
#include "capture/agent/log.h"
#include "capture/agent/marks.h"
#include "capture/agent/memoryreports.h"
#include "capture/agent/names.h"
#include "capture/agent/target.h"
#include "capture/agent/threadstate.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace tuneline::agent {

namespace {

// How long kernels that the window launched are waited for after it.
constexpr std::int64_t kPatience = kSecond;
constexpr std::int64_t kExitPatience = 200 * kMillisecond;

const char *nameOf(format::Detail detail) noexcept
{
    return detail == format::Detail::Light ? "light" : detail == format::Detail::Normal ? "normal" : "full";
}

const char *nameOf(StepSource source) noexcept
{
    static constexpr const char *kNames[] = {"none", "optimizer", "profiler_step", "marks"};
    return kNames[static_cast<std::size_t>(source)];
}

const char *nameOf(EndReason reason) noexcept
{
    static constexpr const char *kNames[] = {"none", "steps", "time", "stopped", "exit", "no_steps", "error"};
    return kNames[static_cast<std::size_t>(reason)];
}

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

struct Capture::Running
{
    explicit Running(const StepTracker &tracker) noexcept
        : cupti(file, tracker)
    { }

    format::ArmMessage plan;
    FrameFile file;
    Writer writer{file};
    cupti::Session cupti;
    const char *cuptiState = "absent";
    Operators operators;
    std::string operatorSource = "none";
    bool recordingOn = false;
    std::uint64_t namesRefused = 0; // before this capture
    std::uint64_t memoryReportsBefore = 0;
};

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
    ++g_hot.epoch;
    const bool marked = programMarksSteps();
    m_busy = true;
    m_tracker.arm(plan, marked, m_signal, m_context);
    g_hot.armed.store(true);
    if (!marked)
        m_running->operators.watchSteps(m_tracker);
    logLine("armed: %s, warm-up %lld, window %lld steps, %lld ns, detail %s", plan.path,
            static_cast<long long>(plan.warmupSteps), static_cast<long long>(plan.windowSteps),
            static_cast<long long>(plan.windowNs), nameOf(plan.detail));
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
    m_tracker.tick(hostNow());
    if (const int error = m_running->file.error(); error != 0) {
        fail(error, "the capture file can't be written any more");
        return;
    }
    if (m_tracker.phase() == Phase::Preparing)
        startRecording();
    if (m_tracker.phase() == Phase::Closing)
        stopRecording();
    if (m_tracker.phase() == Phase::Done)
        complete();
}

void Capture::startRecording() noexcept
{
    Running &running = *m_running;
    const cupti::State gpu = startCupti();
    const bool observed = running.plan.detail == format::Detail::Light ? running.operators.watchSteps(m_tracker)
                                                                       : running.operators.start(m_tracker);
    running.operatorSource = observed       ? "observer"
        : running.operators.torch().found() ? "none: this LibTorch exports no observer functions"
                                            : "none: no LibTorch in this process";
    running.recordingOn = true;
    logLine("recording on, operators: %s", running.operatorSource.c_str());
    m_tracker.recordingIsOn(gpu == cupti::State::On);
}

// First, before the operators: CUPTI's start is the slow part. Whatever comes of it, the capture goes on.
cupti::State Capture::startCupti() noexcept
{
    static constexpr const char *kStates[] = {"absent", "on", "busy", "failed"};
    Running &running = *m_running;
    const TorchLibrary torch = TorchLibrary::find();
    const cupti::State state = running.cupti.start(running.plan.detail, torch.path());
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
        m_running->operators.stopOperators();
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

void Capture::writeFirstMetadata()
{
    JsonWriter json;
    writeProcessFacts(json);
    json.text("detail", nameOf(m_running->plan.detail));
    json.number("start_unix_ns", realtimeNow());
    writeConfig(json);
    m_running->file.writeMetadata(json.take());
    if (m_running->plan.metadata[0] == '\0')
        return;
    // In a frame of its own: should it be no JSON, nothing else is lost with it.
    JsonWriter session;
    session.raw("session", m_running->plan.metadata);
    m_running->file.writeMetadata(session.take());
}

void Capture::writeCupti(JsonWriter &json)
{
    const cupti::Session &session = m_running->cupti;
    json.beginObject("cupti");
    json.text("state", m_running->cuptiState);
    if (!session.message().empty())
        json.text("message", session.message());
    if (!session.holder().empty())
        json.text("holder", session.holder());
    json.endObject();
    if (session.version() != 0)
        json.number("cupti_version", session.version());
    writeGpus(json);
}

void Capture::writeLastMetadata()
{
    const Running &running = *m_running;
    JsonWriter json;
    writeConfig(json);
    json.text("step_source", nameOf(m_tracker.source()));
    json.text("operators", running.operatorSource);
    json.boolean("memory_reports", memoryReports() != running.memoryReportsBefore);
    if (running.operators.torch().found()) {
        json.text("torch_library", running.operators.torch().path());
        if (const std::string version = running.operators.torch().version(); !version.empty())
            json.text("torch_version", version);
    }
    writeCupti(json);
    json.beginObject("dropped");
    std::uint64_t dropped = 0;
    const auto reason = [&](const char *name, std::uint64_t count) {
        if (count != 0)
            json.number(name, static_cast<std::int64_t>(count));
        dropped += count;
    };
    reason("ring_full", running.writer.droppedRingFull());
    reason("too_deep", running.writer.droppedTooDeep());
    reason("cupti_dropped", running.cupti.droppedByCupti());
    reason("cupti_buffers", running.cupti.droppedBuffers());
    reason("cupti_unknown_kind", running.cupti.unknownKinds());
    reason("cupti_implausible", running.cupti.implausible());
    reason("names_full", NameTable::instance().refused() - running.namesRefused);
    json.endObject();
    m_last.dropped = dropped;
    json.beginObject("window");
    json.number("warmup_steps", m_tracker.warmupSteps());
    json.number("steps", m_tracker.stepsInside());
    json.text("end_reason", nameOf(m_tracker.endReason()));
    if (running.plan.windowSteps > 0)
        json.number("step_limit", running.plan.windowSteps);
    if (running.plan.windowNs > 0)
        json.number("time_limit_ns", running.plan.windowNs);
    json.endObject();
    m_running->file.writeMetadata(json.take());
}

} // namespace tuneline::agent
