// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/capturerecords.h"
#include "analysis/trace/saturate.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {
namespace {

using format::MarkRecord;
using Kind = format::MarkKind;

std::optional<MarkKind> figureKind(Kind kind)
{
    switch (kind) {
    case Kind::Units:
        return MarkKind::Units;
    case Kind::ValidUnits:
        return MarkKind::ValidUnits;
    case Kind::Loss:
        return MarkKind::Loss;
    case Kind::GradientNorm:
        return MarkKind::GradientNorm;
    case Kind::SkippedStep:
        return MarkKind::SkippedStep;
    case Kind::CorruptedSamples:
        return MarkKind::CorruptedSamples;
    case Kind::Metric:
        return MarkKind::Metric;
    default:
        return std::nullopt;
    }
}

} // namespace

void CaptureMarks::finish()
{
    std::stable_sort(m_marks.begin(), m_marks.end(),
                     [](const At &a, const At &b) { return a.mark.time < b.mark.time; });
    for (const At &at : m_marks)
        take(at);
    for (auto &[id, thread] : m_threads) {
        if (thread.step != nullptr)
            m_builder.report().add("step-unfinished", Severity::Info,
                                   {static_cast<std::int64_t>(thread.step->offset), -1,
                                    "the last step has no end in the file; it is not counted"});
        for (const At *scope : thread.scopes) {
            addRange(*scope, scope->mark.time, m_frames.text(scope->mark.name), EventFlag::kUnfinished);
            m_builder.report().add("begin-without-end", Severity::Info,
                                   {static_cast<std::int64_t>(scope->offset), -1,
                                    std::string(m_frames.text(scope->mark.name)) + ": drawn to the end of the trace"});
        }
    }
}

void CaptureMarks::take(const At &at)
{
    const MarkRecord &mark = at.mark;
    Thread &thread = m_threads[mark.thread];
    switch (mark.kind) {
    case Kind::Step:
        endStep(thread, at);
        thread.step = &at;
        return;
    case Kind::StepEnd:
        return endStep(thread, at);
    case Kind::ScopeBegin:
        thread.scopes.push_back(&at);
        return;
    case Kind::ScopeEnd:
        return endScope(thread, at);
    case Kind::Config:
        m_builder.source(m_source).config[std::string(m_frames.text(mark.name))] = m_frames.text(mark.text);
        return;
    case Kind::WindowBegin:
        m_window = &at;
        return;
    case Kind::WindowEnd:
        if (m_window != nullptr) {
            RawEvent event;
            event.start = m_window->mark.time;
            event.duration = saturatedDifference(mark.time, event.start);
            event.name = m_builder.strings().intern("Capture window");
            event.lane = m_builder.lane({LaneKind::Window, m_source, "Tuneline", "capture window", {}, {}});
            event.kind = EventKind::Window;
            event.argsOffset = m_window->offset;
            m_builder.add(event);
        }
        return;
    default:
        return addFigure(at);
    }
}

void CaptureMarks::endStep(Thread &thread, const At &end)
{
    if (thread.step == nullptr)
        return;
    const double number = thread.step->mark.value;
    const bool whole = std::isfinite(number) && std::abs(number) < 1e15;
    addRange(*thread.step, end.mark.time,
             "TunelineStep#" + std::to_string(whole ? static_cast<std::int64_t>(number) : 0), 0);
    thread.step = nullptr;
}

void CaptureMarks::endScope(Thread &thread, const At &end)
{
    if (thread.scopes.empty()) {
        m_builder.report().add(
            "end-without-begin", Severity::Info,
            {static_cast<std::int64_t>(end.offset), -1, "a scope that began before the window ends in it"});
        return;
    }
    const At &begin = *thread.scopes.back();
    addRange(begin, end.mark.time, m_frames.text(begin.mark.name), 0);
    thread.scopes.pop_back();
}

void CaptureMarks::addFigure(const At &at)
{
    const auto kind = figureKind(at.mark.kind);
    if (!kind) {
        m_builder.report().add("mark-unknown", Severity::Info,
                               {static_cast<std::int64_t>(at.offset), -1, "a mark of a kind that is not known here"});
        return;
    }
    m_builder.addMark(
        {at.mark.time, *kind, m_builder.strings().intern(m_frames.text(at.mark.name)), at.mark.value, m_source});
}

void CaptureMarks::addRange(const At &begin, std::int64_t end, std::string_view name, std::uint8_t flags)
{
    const auto pid = m_frames.metadata.find("pid");
    RawEvent event;
    event.start = begin.mark.time;
    event.duration = saturatedDifference(end, begin.mark.time);
    event.flags = flags;
    event.name = m_builder.strings().intern(name);
    event.lane = m_builder.lane({LaneKind::Cpu,
                                 m_source,
                                 pid != m_frames.metadata.end() ? pid->dump() : "",
                                 std::to_string(begin.mark.thread),
                                 {},
                                 {}});
    event.kind = EventKind::Range;
    event.argsOffset = begin.offset;
    m_builder.add(event);
}

} // namespace tuneline::analysis
