// SPDX-License-Identifier: MIT
// The metadata frames of a capture (FORMAT.md): what is known when armed, and what is known at the end.
#include "capture/agent/capturerun.h"
#include "capture/agent/clock.h"
#include "capture/agent/facts.h"
#include "capture/agent/gpus.h"
#include "capture/agent/json.h"
#include "capture/agent/marks.h"
#include "capture/agent/memoryreports.h"
#include "capture/agent/names.h"

namespace tuneline::agent {

namespace {

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

} // namespace

void Capture::writeFirstMetadata()
{
    JsonWriter json;
    writeProcessFacts(json);
    json.text("detail", nameOf(m_running->plan.detail));
    json.text("graphs", m_running->plan.graphs == format::Graphs::Whole ? "whole" : "kernels");
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
    writeGpus(json, [this](JsonWriter &gpu, int id) { m_running->monitor.writeGpuFacts(gpu, id); });
    m_running->monitor.writeNvml(json);
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
    reason("cupti_unfinished", running.cupti.unfinished());
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
