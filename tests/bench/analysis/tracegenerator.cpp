// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/analysis/tracegenerator.h"

#include "analysis/trace/tracebuilder.h"

#include <algorithm>
#include <string>

namespace tuneline::bench {

using namespace analysis;

namespace {

constexpr int kLayers = 12, kParameters = 148;
constexpr std::int64_t kOpNs = 12'000, kLaunchNs = 5'000;

class Generator
{
public:
    Generator()
    {
        Source source;
        source.file = "bench.json";
        DeviceProperties device;
        device.name = "NVIDIA H200";
        device.computeMajor = 9;
        device.multiprocessors = 132;
        source.devices.push_back(device);
        m_source = m_builder.addSource(std::move(source));
        m_main = m_builder.lane({LaneKind::Cpu, m_source, "100", "1", {}, {}});
        m_autograd = m_builder.lane({LaneKind::Cpu, m_source, "100", "2", {}, {}});
        m_stream = m_builder.lane({LaneKind::Stream, m_source, "0", "7", 0, 7});
    }

    void step(int number, bool marked)
    {
        const std::int64_t start = m_now;
        m_lane = m_main;
        copyBatch();
        for (int l = 0; l < kLayers; ++l)
            layer("", l);
        m_lane = m_autograd;
        const std::int64_t backward = m_now;
        for (int l = kLayers; l-- > 0;)
            layer("autograd::engine::evaluate_function: ", l);
        host(m_main, EventKind::Op, "LossBackward", backward - 1000, m_now - backward + 2000);
        m_lane = m_main;
        optimizer();
        readLoss();
        if (marked)
            host(m_main, EventKind::Range, "ProfilerStep#" + std::to_string(number), start, m_now - start);
        m_now += 500;
    }

    [[nodiscard]] std::int64_t events() const { return m_events; }
    TracePtr finish()
    {
        Progress progress;
        return m_builder.finish(progress).value();
    }

private:
    void add(LaneId lane, EventKind kind, std::string_view name, std::int64_t start, std::int64_t length,
             std::uint64_t correlation, std::uint32_t detail)
    {
        RawEvent e;
        e.lane = lane;
        e.kind = kind;
        e.name = m_builder.strings().intern(name);
        e.start = start;
        e.duration = length;
        e.correlation = correlation;
        e.detail = detail;
        m_builder.add(e);
        ++m_events;
    }
    void host(LaneId lane, EventKind kind, std::string_view name, std::int64_t start, std::int64_t length,
              std::uint64_t correlation = 0, std::uint32_t detail = Id<EventTag>::kNone)
    {
        add(lane, kind, name, start, length, correlation, detail);
    }

    // An operator, the operator inside it, its launch and its kernel.
    void op(const std::string &name, const char *inner, const char *shapes, const char *kernel, std::int64_t deviceNs)
    {
        OpDetail detail;
        detail.shapes = m_builder.strings().intern(shapes);
        host(m_lane, EventKind::Op, name, m_now, kOpNs, 0, m_builder.addOp(detail));
        host(m_lane, EventKind::Op, inner, m_now + 1500, kOpNs - 2500, 0, m_builder.addOp(detail));
        host(m_lane, EventKind::Runtime, "cudaLaunchKernel", m_now + 4000, kLaunchNs, ++m_correlation);
        KernelDetail grid;
        grid.grid = {1024, 1, 1};
        grid.block = {256, 1, 1};
        record(EventKind::Kernel, kernel, m_now + 4000 + kLaunchNs + 2000, deviceNs, m_builder.addKernel(grid));
        m_now += kOpNs + 1000;
    }
    void record(EventKind kind, const char *name, std::int64_t ready, std::int64_t length, std::uint32_t detail)
    {
        m_device = std::max(m_device + 1000, ready);
        add(m_stream, kind, name, m_device, length, m_correlation, detail);
        m_device += length;
    }

    void layer(const std::string &prefix, int number)
    {
        static constexpr const char *kGemm = "sm90_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_ffma";
        static constexpr const char *kPointwise =
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>";
        const std::string mm = prefix + (prefix.empty() ? "aten::linear" : "AddmmBackward0");
        const std::string other = prefix + (prefix.empty() ? "aten::gelu" : "GeluBackward0");
        const bool first = number == 0;
        for (int i = 0; i < 6; ++i) {
            op(mm, "aten::mm", first ? "[[2048, 768], [768, 3072]]" : "[[2048, 768], [768, 768]]", kGemm, 9000);
            op(other, "aten::add", "[[4, 512, 768], [4, 512, 768]]", kPointwise, 4000);
            op(other, "aten::mul", "[[4, 512, 768], [4, 512, 768]]", kPointwise, 4000);
        }
    }

    void copyBatch()
    {
        CopyDetail detail;
        detail.bytes = 1 << 20;
        detail.kind = CopyKind::HostToDevice;
        detail.source = MemoryKind::Pageable;
        host(m_main, EventKind::Op, "aten::copy_", m_now, 90'000);
        host(m_main, EventKind::Runtime, "cudaMemcpyAsync", m_now + 2000, 80'000, ++m_correlation);
        record(EventKind::Copy, "Memcpy HtoD (Pageable -> Device)", m_now + 10'000, 60'000, m_builder.addCopy(detail));
        m_now += 91'000;
    }

    void optimizer()
    {
        const std::int64_t start = m_now;
        for (int p = 0; p < kParameters; ++p)
            op("aten::addcdiv_", "aten::addcdiv_", "[[768, 768], [768, 768]]",
               "void at::native::vectorized_elementwise_kernel<4, addcdiv<float>>", 3000);
        host(m_main, EventKind::Range, "Optimizer.step#AdamW.step", start - 500, m_now - start + 1000);
    }

    void readLoss()
    {
        CopyDetail detail;
        detail.bytes = 4;
        detail.kind = CopyKind::DeviceToHost;
        detail.destination = MemoryKind::Pageable;
        const std::int64_t start = m_now;
        host(m_main, EventKind::Runtime, "cudaMemcpyAsync", start + 3000, kLaunchNs, ++m_correlation);
        record(EventKind::Copy, "Memcpy DtoH (Device -> Pageable)", start + 10'000, 2000, m_builder.addCopy(detail));
        const std::int64_t end = std::max(m_device + 3000, start + 15'000);
        host(m_main, EventKind::Runtime, "cudaStreamSynchronize", start + 9000, end - start - 9000);
        host(m_main, EventKind::Op, "aten::_local_scalar_dense", start + 1500, end + 500 - start - 1500);
        host(m_main, EventKind::Op, "aten::item", start, end + 1000 - start);
        m_now = end + 2000;
    }

    TraceBuilder m_builder;
    SourceId m_source;
    LaneId m_main, m_autograd, m_stream, m_lane;
    std::int64_t m_now = 1'000'000, m_device = 0, m_events = 0;
    std::uint64_t m_correlation = 0;
};

} // namespace

TracePtr makeRun(const RunShape &shape)
{
    Generator generator;
    for (int n = 1; generator.events() < shape.events; ++n)
        generator.step(n, shape.marked);
    return generator.finish();
}

} // namespace tuneline::bench
