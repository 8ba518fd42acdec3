// SPDX-License-Identifier: GPL-3.0-or-later
// Traces made by hand for tests and benchmarks of the timeline: a few events by list, or millions that look like a run.
#pragma once

#include "analysis/trace/lod.h"
#include "analysis/trace/tracebuilder.h"

#include <string>
#include <vector>

namespace tuneline::test {

struct SampleEvent
{
    std::int64_t start = 0, duration = 0; // ns
    const char *name = "op";
    analysis::EventKind kind = analysis::EventKind::Op;
    std::uint64_t correlation = 0;
};

class SampleTrace
{
public:
    SampleTrace()
        : m_source(m_builder.addSource({}))
    { }

    analysis::LaneId cpu(const std::string &tid, int rank = -1)
    {
        const analysis::LaneId lane = m_builder.lane({analysis::LaneKind::Cpu, source(rank), "1", tid, {}, {}});
        m_builder.editLane(lane).thread = m_builder.strings().intern("thread " + tid);
        return lane;
    }
    analysis::LaneId stream(int device, std::int64_t stream, int rank = -1)
    {
        return m_builder.lane({analysis::LaneKind::Stream, source(rank), "0", std::to_string(stream), device, stream});
    }
    void add(analysis::LaneId lane, const SampleEvent &event)
    {
        analysis::RawEvent raw;
        raw.lane = lane;
        raw.start = event.start;
        raw.duration = event.duration;
        raw.name = m_builder.strings().intern(event.name);
        raw.kind = event.kind;
        raw.correlation = event.correlation;
        m_builder.add(raw);
    }
    void add(analysis::LaneId lane, const std::vector<SampleEvent> &events)
    {
        for (const SampleEvent &event : events)
            add(lane, event);
    }
    analysis::TraceBuilder &builder() { return m_builder; }

    analysis::TracePtr finish()
    {
        analysis::Progress progress;
        auto trace = m_builder.finish(progress);
        return trace ? *trace : nullptr;
    }

private:
    analysis::SourceId source(int rank)
    {
        if (rank < 0)
            return m_source;
        while (m_ranks.size() <= static_cast<std::size_t>(rank)) {
            analysis::Source made;
            made.rank = static_cast<int>(m_ranks.size());
            m_ranks.push_back(m_builder.addSource(made));
        }
        return m_ranks[static_cast<std::size_t>(rank)];
    }

    analysis::TraceBuilder m_builder;
    analysis::SourceId m_source;
    std::vector<analysis::SourceId> m_ranks;
};

inline analysis::LodPtr lodOf(const analysis::Trace &trace)
{
    analysis::Progress progress;
    auto lod = analysis::Lod::build(trace, progress);
    return lod ? *lod : nullptr;
}

// About `events` events: four threads with nested operators and launches, four streams with a kernel for each launch.
inline analysis::TracePtr bigTrace(std::size_t events)
{
    using analysis::EventKind;
    static constexpr const char *kOps[] = {"aten::conv2d", "aten::add_", "aten::batch_norm", "aten::relu",
                                           "aten::linear"};
    static constexpr const char *kKernels[] = {"ampere_sgemm_128x64_nn",
                                               "void at::native::vectorized_elementwise_kernel<4, int>(int)",
                                               "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"};
    SampleTrace sample;
    std::vector<analysis::LaneId> threads, streams;
    for (int i = 0; i < 4; ++i) {
        threads.push_back(sample.cpu(std::to_string(100 + i)));
        streams.push_back(sample.stream(0, 7 + i));
    }
    std::uint64_t random = 88172645463325252ULL; // xorshift: the same trace each time
    const auto next = [&random](std::uint64_t below) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<std::int64_t>(random % below);
    };
    std::int64_t now[4] = {1, 1, 1, 1}, device[4] = {1, 1, 1, 1};
    for (std::size_t made = 0; made < events; made += 4) { // operator, inner operator, launch, kernel
        const std::size_t i = (made / 4) % 4;
        const std::int64_t length = 8000 + next(20000);
        const char *op = kOps[next(5)];
        const std::uint64_t correlation = made + 1;
        sample.add(threads[i], {now[i], length, op});
        sample.add(threads[i], {now[i] + 500, length - 1000, "aten::inner"});
        sample.add(threads[i], {now[i] + 1500, 3000, "cudaLaunchKernel", EventKind::Runtime, correlation});
        device[i] = std::max(device[i], now[i] + 5000);
        const std::int64_t kernel = 1000 + next(15000);
        sample.add(streams[i], {device[i], kernel, kKernels[next(3)], EventKind::Kernel, correlation});
        device[i] += kernel + next(2000);
        now[i] += length + next(3000);
    }
    return sample.finish();
}

} // namespace tuneline::test
