// SPDX-License-Identifier: GPL-3.0-or-later
// Small traces for tests, written as one would draw them: times in microseconds, one line an event.
#pragma once

#include "analysis/analysis.h"
#include "analysis/trace/tracebuilder.h"

#include <string>

namespace tuneline::analysis {

class TraceMaker
{
public:
    static constexpr std::int64_t kUs = 1000;

    TraceMaker()
    {
        Source source;
        source.file = "run.json";
        m_source = m_builder.addSource(std::move(source));
    }
    // From here on, events belong to that rank.
    void nextRank(int rank)
    {
        Source source;
        source.file = "rank" + std::to_string(rank) + ".json";
        source.rank = rank;
        if (m_ranks++ == 0)
            m_builder.source(m_source) = std::move(source);
        else
            m_source = m_builder.addSource(std::move(source));
    }
    Source &source() { return m_builder.source(m_source); }
    TraceBuilder &builder() { return m_builder; }
    void process(const std::string &label) { m_process = label; }

    void host(EventKind kind, const std::string &name, double start, double length, std::uint64_t correlation = 0,
              const std::string &thread = "1")
    {
        add({LaneKind::Cpu, m_source, "100", thread, {}, {}}, kind, name, start, length, correlation);
    }
    void op(const std::string &name, double start, double length, const std::string &thread = "1")
    {
        host(EventKind::Op, name, start, length, 0, thread);
    }
    void range(const std::string &name, double start, double length) { host(EventKind::Range, name, start, length); }
    void call(const std::string &name, double start, double length, std::uint64_t correlation = 0,
              const std::string &thread = "1")
    {
        host(EventKind::Runtime, name, start, length, correlation, thread);
    }
    void step(int number, double start, double length)
    {
        range("ProfilerStep#" + std::to_string(number), start, length);
    }

    void kernel(const std::string &name, double start, double length, std::uint64_t correlation = 0, int stream = 7,
                int device = 0)
    {
        record(EventKind::Kernel, name, start, length, correlation, stream, device, Id<EventTag>::kNone);
    }
    void copy(CopyKind kind, MemoryKind host, std::int64_t bytes, double start, double length,
              std::uint64_t correlation = 0, int stream = 7)
    {
        CopyDetail detail;
        detail.bytes = bytes;
        detail.kind = kind;
        (kind == CopyKind::HostToDevice ? detail.source : detail.destination) = host;
        record(EventKind::Copy, "Memcpy", start, length, correlation, stream, 0, m_builder.addCopy(detail));
    }

    TracePtr trace()
    {
        Progress progress;
        return m_builder.finish(progress).value();
    }
    AnalysisPtr analysis(const AnalysisOptions &options = {})
    {
        Progress progress;
        return analyse(trace(), options, progress).value();
    }

private:
    void record(EventKind kind, const std::string &name, double start, double length, std::uint64_t correlation,
                int stream, int device, std::uint32_t detail)
    {
        LaneKey key{LaneKind::Stream, m_source, std::to_string(device), std::to_string(stream), device, stream};
        add(key, kind, name, start, length, correlation, detail);
    }

    void add(const LaneKey &key, EventKind kind, const std::string &name, double start, double length,
             std::uint64_t correlation, std::uint32_t detail = Id<EventTag>::kNone)
    {
        RawEvent e;
        e.lane = m_builder.lane(key);
        if (key.kind == LaneKind::Cpu && !m_process.empty())
            m_builder.editLane(e.lane).process = m_builder.strings().intern(m_process);
        e.kind = kind;
        e.name = m_builder.strings().intern(name);
        e.start = static_cast<std::int64_t>(start * kUs);
        e.duration = static_cast<std::int64_t>(length * kUs);
        e.correlation = correlation;
        e.detail = detail;
        m_builder.add(e);
    }

    TraceBuilder m_builder;
    SourceId m_source;
    std::string m_process;
    int m_ranks = 0;
};

} // namespace tuneline::analysis
