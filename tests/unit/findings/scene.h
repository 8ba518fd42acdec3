// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic training steps for tests of graph, what-if and rules: times in microseconds, one line an event.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/trace/tracebuilder.h"

#include <algorithm>
#include <functional>
#include <string>

namespace tuneline::analysis {

class Scene
{
public:
    explicit Scene(const std::string &gpu = "NVIDIA H200")
    {
        Source source;
        source.file = "scene.json";
        DeviceProperties device;
        device.name = gpu;
        device.memoryBytes = 141'000'000'000;
        device.computeMajor = gpu == "Tesla V100" ? 7 : 9;
        device.multiprocessors = gpu == "Tesla V100" ? 80 : 132;
        source.devices.push_back(device);
        m_source = m_builder.addSource(std::move(source));
    }

    TraceBuilder &builder() { return m_builder; }
    SourceId source() const { return m_source; }
    // What is drawn from now on belongs to this rank, with a device and threads of its own.
    void beginRank(int rank)
    {
        if (m_builder.source(m_source).rank)
            m_source = m_builder.addSource(Source(m_builder.source(m_source)));
        m_builder.source(m_source).rank = rank;
    }
    void config(const std::string &key, const std::string &value) { m_builder.source(m_source).config[key] = value; }

    // `count` steps of `length` µs, one after another; the body draws one step that begins at its argument.
    void steps(int count, double length, const std::function<void(double)> &body)
    {
        for (int i = 0; i < count; ++i) {
            const double start = 100 + i * length;
            host(EventKind::Range, "ProfilerStep#" + std::to_string(i + 3), start, length);
            body(start);
        }
    }

    void host(EventKind kind, const std::string &name, double start, double length, const std::string &shapes = {},
              const std::string &thread = "1", std::uint64_t correlation = 0)
    {
        RawEvent e;
        e.lane = m_builder.lane({LaneKind::Cpu, m_source, "100", thread, {}, {}});
        if (!shapes.empty()) {
            OpDetail detail;
            detail.shapes = m_builder.strings().intern(shapes);
            e.detail = m_builder.addOp(detail);
        }
        add(e, kind, name, start, length, correlation);
    }
    void op(const std::string &name, double start, double length, const std::string &shapes = {})
    {
        host(EventKind::Op, name, start, length, shapes);
    }
    void range(const std::string &name, double start, double length) { host(EventKind::Range, name, start, length); }
    void call(const std::string &name, double start, double length, std::uint64_t correlation = 0)
    {
        host(EventKind::Runtime, name, start, length, {}, "1", correlation);
    }

    // A launch of `length` µs at `start` and its kernel.
    void kernel(const std::string &name, double start, double length, double deviceStart, double deviceLength,
                int stream = 7, int grid = 4096, const std::string &thread = "1")
    {
        host(EventKind::Runtime, "cudaLaunchKernel", start, length, {}, thread, ++m_correlation);
        KernelDetail detail;
        detail.grid = {grid, 1, 1};
        detail.block = {256, 1, 1};
        record(EventKind::Kernel, name, deviceStart, deviceLength, stream, m_builder.addKernel(detail));
    }
    // A kernel that had not run when recording ended: its record has no time.
    void lostKernel(const std::string &name, double start, double length)
    {
        host(EventKind::Runtime, "cudaLaunchKernel", start, length, {}, "1", ++m_correlation);
        RawEvent e;
        e.lane = m_builder.lane({LaneKind::Stream, m_source, "0", "7", 0, 7});
        e.flags = EventFlag::kNoTimestamp | EventFlag::kNoDuration;
        add(e, EventKind::Kernel, name, 0, 0, m_correlation);
    }
    // An operator with one kernel in it.
    void opKernel(const std::string &name, const std::string &shapes, const std::string &kernelName, double start,
                  double deviceStart, double deviceLength)
    {
        op(name, start, 8, shapes);
        kernel(kernelName, start + 2, 5, deviceStart, deviceLength);
    }
    void copy(CopyKind kind, MemoryKind hostSide, std::int64_t bytes, double start, double length, double deviceStart,
              double deviceLength)
    {
        call("cudaMemcpyAsync", start, length, ++m_correlation);
        CopyDetail detail;
        detail.bytes = bytes;
        detail.kind = kind;
        (kind == CopyKind::HostToDevice ? detail.source : detail.destination) = hostSide;
        (kind == CopyKind::HostToDevice ? detail.destination : detail.source) = MemoryKind::Device;
        record(EventKind::Copy, kind == CopyKind::HostToDevice ? "Memcpy HtoD" : "Memcpy DtoH", deviceStart,
               deviceLength, 7, m_builder.addCopy(detail));
    }
    void memset(std::int64_t bytes, double start, double deviceStart, double deviceLength)
    {
        call("cudaMemsetAsync", start, 5, ++m_correlation);
        CopyDetail detail;
        detail.bytes = bytes;
        record(EventKind::Memset, "Memset (Device)", deviceStart, deviceLength, 7, m_builder.addCopy(detail));
    }
    void memory(double time, std::int64_t bytes, std::uint64_t address, std::int64_t allocated,
                std::int64_t reserved = kUnknown)
    {
        MemoryTrack &track = m_builder.memory(m_source, 0);
        track.time.push_back(ns(time));
        track.bytes.push_back(bytes);
        track.address.push_back(address);
        track.allocated.push_back(allocated);
        track.reserved.push_back(reserved);
    }
    void mark(MarkKind kind, double time, double value)
    {
        m_builder.addMark({ns(time), kind, StringId{0U}, value, m_source});
    }

    AnalysisPtr analysis()
    {
        Progress progress;
        return analyse(m_builder.finish(progress).value(), {}, progress).value();
    }
    Advice advice() { return advise(*analysis(), {}); }

private:
    static std::int64_t ns(double us) { return static_cast<std::int64_t>(us * 1000); }

    void record(EventKind kind, const std::string &name, double start, double length, int stream, std::uint32_t detail)
    {
        RawEvent e;
        e.lane = m_builder.lane({LaneKind::Stream, m_source, "0", std::to_string(stream), 0, stream});
        e.detail = detail;
        add(e, kind, name, start, length, m_correlation);
    }
    void add(RawEvent &e, EventKind kind, const std::string &name, double start, double length,
             std::uint64_t correlation)
    {
        e.kind = kind;
        e.name = m_builder.strings().intern(name);
        e.start = ns(start);
        e.duration = ns(length);
        e.correlation = correlation;
        m_builder.add(e);
    }

    TraceBuilder m_builder;
    SourceId m_source;
    std::uint64_t m_correlation = 0;
};

inline const Finding *findingOf(const Advice &advice, const std::string &rule)
{
    const auto it =
        std::find_if(advice.findings.begin(), advice.findings.end(), [&](const Finding &f) { return f.rule == rule; });
    return it == advice.findings.end() ? nullptr : &*it;
}

inline const CheckedRule *checkOf(const Advice &advice, const std::string &rule)
{
    const auto it = std::find_if(advice.checked.begin(), advice.checked.end(),
                                 [&](const CheckedRule &c) { return c.rule == rule; });
    return it == advice.checked.end() ? nullptr : &*it;
}

} // namespace tuneline::analysis
