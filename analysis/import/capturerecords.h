// SPDX-License-Identifier: GPL-3.0-or-later
// From capture records to raw events. Everything ends up on the host clock.
#pragma once

#include "analysis/import/captureclock.h"
#include "analysis/import/captureframes.h"
#include "analysis/trace/tracebuilder.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tuneline::analysis {

class CaptureRecords
{
public:
    CaptureRecords(TraceBuilder &builder, SourceId source, const CaptureFrames &frames, const CaptureClock &clock);
    // `offset`: where the record stands in the file.
    void add(const format::OpRecord &r, std::uint64_t offset);
    void add(const format::ThreadRecord &r, std::uint64_t offset);
    void add(const format::MemoryRecord &r, std::uint64_t offset);
    void add(const format::CounterRecord &r, std::uint64_t offset);
    void add(const format::KernelRecord &r, std::uint64_t offset);
    void add(const format::CopyRecord &r, std::uint64_t offset);
    void add(const format::MemsetRecord &r, std::uint64_t offset);
    void add(const format::ApiRecord &r, std::uint64_t offset);
    void add(const format::SyncRecord &r, std::uint64_t offset);
    void add(const format::OverheadRecord &r, std::uint64_t offset);
    void add(const format::DeviceMemoryRecord &r, std::uint64_t offset);
    void add(const format::JitRecord &r, std::uint64_t offset);
    void add(const format::GraphRecord &r, std::uint64_t offset);
    void add(const format::EventRecord &r, std::uint64_t offset);
    void finish(); // thread names, device-memory curve

private:
    void collect();
    void splitThrottleReasons();
    [[nodiscard]] std::uint32_t deviceOf(std::uint32_t context) const;
    [[nodiscard]] LaneId threadLane(std::uint32_t thread);
    [[nodiscard]] LaneId streamLane(std::uint32_t device, std::uint32_t stream);
    [[nodiscard]] StringId name(std::uint32_t id); // demangled
    [[nodiscard]] RawEvent deviceTimes(std::int64_t start, std::int64_t end, std::uint64_t offset) const;

    TraceBuilder &m_builder;
    SourceId m_source;
    const CaptureFrames &m_frames;
    const CaptureClock &m_clock;
    std::unordered_map<std::uint64_t, format::OpDetailRecord> m_opDetails;
    std::unordered_map<std::uint32_t, std::uint32_t> m_deviceOfContext;
    std::unordered_set<std::uint32_t> m_kernelCorrelations; // to tell graphs whose kernels were recorded one by one
    std::unordered_map<std::uint32_t, LaneId> m_threads;
    std::map<std::pair<std::uint32_t, std::uint32_t>, LaneId> m_streams;
    std::unordered_map<std::uint32_t, StringId> m_names;
    std::unordered_map<std::uint32_t, std::string> m_threadNames;
    std::map<std::uint32_t, std::vector<std::pair<std::int64_t, std::int64_t>>>
        m_deviceMemory; // by device: time, ± bytes
    std::map<std::uint32_t, std::vector<std::pair<std::int64_t, std::uint32_t>>> m_throttle; // by name: time, bits
};

// Marks that the program made: steps, scopes, figures.
class CaptureMarks
{
public:
    CaptureMarks(TraceBuilder &builder, SourceId source, const CaptureFrames &frames)
        : m_builder(builder)
        , m_source(source)
        , m_frames(frames)
    { }
    void add(const format::MarkRecord &r, std::uint64_t offset) { m_marks.push_back({r, offset}); }
    void finish(); // sorts by time and pairs

private:
    struct At
    {
        format::MarkRecord mark;
        std::uint64_t offset;
    };
    struct Thread
    {
        const At *step = nullptr;
        std::vector<const At *> scopes;
    };
    void take(const At &at);
    void endStep(Thread &thread, const At &end);
    void endScope(Thread &thread, const At &end);
    void addFigure(const At &at);
    void addRange(const At &begin, std::int64_t end, std::string_view name, std::uint8_t flags);

    TraceBuilder &m_builder;
    SourceId m_source;
    const CaptureFrames &m_frames;
    std::vector<At> m_marks;
    std::map<std::uint32_t, Thread> m_threads;
    const At *m_window = nullptr;
};

} // namespace tuneline::analysis
