// SPDX-License-Identifier: MIT
#include "capture/agent/cupti/decode.h"

#include "capture/agent/threadstate.h"

#include <algorithm>
#include <cstring>

namespace tuneline::agent::cupti {

namespace {

constexpr std::size_t kMaxEarly = 100'000; // without launch calls in the records it would only grow

std::uint32_t u32(const void *record, std::size_t offset) noexcept
{
    return field<std::uint32_t>(record, offset);
}
std::uint8_t u8(const void *record, std::size_t offset) noexcept
{
    return field<std::uint8_t>(record, offset);
}

std::uint32_t nameId(const char *name) noexcept
{
    ThreadState *state = name ? ThreadState::current() : nullptr; // its cache: the same kernels come again and again
    return state ? state->nameId(name) : 0;
}

// Both times known and the wrong way round: not the layout that we think it is. No launch (correlation 0) is what work
// has that was launched before CUPTI was switched on, or replayed by a graph of that time.
bool plausible(std::int64_t start, std::int64_t end) noexcept
{
    return end >= start && start >= 0;
}

} // namespace

void Decoder::decode(std::uint8_t *buffer, std::size_t validBytes)
{
    void *next = nullptr;
    while (validBytes > 0 && m_library.getNextRecord(buffer, validBytes, &next) == kSuccess && next)
        record(next);
}

// 0 is "not known" and stays. −1: on no clock that we know, which no check of plausibility lets pass.
std::int64_t Decoder::time(const void *record, std::size_t offset) noexcept
{
    const auto stamp = static_cast<std::int64_t>(field<std::uint64_t>(record, offset));
    return stamp == 0 ? 0 : m_clock.toRealtime(stamp);
}

void Decoder::record(const void *r)
{
    switch (static_cast<Kind>(u32(r, 0))) {
    case Kind::ConcurrentKernel:
    case Kind::SerialKernel:
        return kernel(r);
    case Kind::Memcpy:
        return copy(r, false);
    case Kind::MemcpyPeer:
        return copy(r, true);
    case Kind::Memset:
        return memset(r);
    case Kind::Runtime:
        return api(r, kDomainRuntime);
    case Kind::Driver:
        return api(r, kDomainDriver);
    case Kind::Synchronization:
        return sync(r);
    case Kind::Overhead:
        return overhead(r);
    case Kind::Memory2:
        return deviceMemory(r);
    case Kind::CudaEvent:
        return event(r);
    case Kind::Jit:
        return jit(r);
    case Kind::GraphTrace:
        return graph(r);
    }
    ++m_unknown;
}

// Work of a device: kept if it began in the window, or later but was launched in it.
template <typename Record> void Decoder::addWork(format::RecordKind kind, const Record &work)
{
    if (work.end == 0 && (work.start != 0 || m_forced)) {
        m_unfinished += work.start <= m_end ? 1 : 0;
        return;
    }
    m_latestWork = std::max(m_latestWork, work.correlation);
    if (!plausible(work.start, work.end)) {
        ++m_implausible;
        return;
    }
    if (work.start < m_begin && work.start != 0)
        return;
    if (work.start <= m_end) {
        m_out.add(kind, work);
        return;
    }
    Late late{kind, work.correlation, sizeof work, {}};
    std::memcpy(late.record, &work, sizeof work);
    m_late.push_back(late);
}

void Decoder::finish()
{
    for (const Late &late : m_late) {
        if (late.correlation != 0 && late.correlation <= m_lastCorrelation)
            m_out.addBytes(late.kind, late.record, late.bytes);
    }
    m_late.clear();
}

void Decoder::kernel(const void *r)
{
    format::KernelRecord k;
    k.start = time(r, kernel::kStart);
    k.end = time(r, kernel::kEnd);
    k.name = nameId(field<const char *>(r, kernel::kName));
    k.device = u32(r, kernel::kDevice);
    k.context = u32(r, kernel::kContext);
    k.stream = u32(r, kernel::kStream);
    k.correlation = u32(r, kernel::kCorrelation);
    for (std::size_t i = 0; i < 3; ++i) {
        k.grid[i] = field<std::int32_t>(r, kernel::kGrid + 4 * i);
        k.block[i] = field<std::int32_t>(r, kernel::kBlock + 4 * i);
    }
    k.registers = field<std::uint16_t>(r, kernel::kRegisters);
    k.staticShared = u32(r, kernel::kStaticShared);
    k.dynamicShared = u32(r, kernel::kDynamicShared);
    k.graphNode = field<std::uint64_t>(r, kernel::kGraphNode);
    k.graph = m_library.version >= kVersion11_1 ? u32(r, kernel::kGraph) : 0;
    if (m_pending.erase(k.correlation) == 0 && k.graphNode == 0 && m_early.size() < kMaxEarly)
        m_early.insert(k.correlation);
    addWork(format::RecordKind::Kernel, k);
}

void Decoder::copy(const void *r, bool peer)
{
    format::CopyRecord c;
    c.start = time(r, memcpy::kStart);
    c.end = time(r, memcpy::kEnd);
    c.bytes = field<std::uint64_t>(r, memcpy::kBytes);
    c.device = u32(r, memcpy::kDevice);
    c.context = u32(r, memcpy::kContext);
    c.stream = u32(r, memcpy::kStream);
    c.correlation = u32(r, peer ? peercopy::kCorrelation : memcpy::kCorrelation);
    c.copyKind = u8(r, memcpy::kCopyKind);
    c.sourceKind = u8(r, memcpy::kSourceKind);
    c.destinationKind = u8(r, memcpy::kDestinationKind);
    c.flags = u8(r, memcpy::kFlags) & 1U;
    c.peerDevice = peer ? u32(r, peercopy::kDestinationDevice) : 0;
    c.graphNode = field<std::uint64_t>(r, peer ? peercopy::kGraphNode : memcpy::kGraphNode);
    addWork(format::RecordKind::Copy, c);
}

void Decoder::memset(const void *r)
{
    format::MemsetRecord m;
    m.start = time(r, memset::kStart);
    m.end = time(r, memset::kEnd);
    m.bytes = field<std::uint64_t>(r, memset::kBytes);
    m.device = u32(r, memset::kDevice);
    m.context = u32(r, memset::kContext);
    m.stream = u32(r, memset::kStream);
    m.correlation = u32(r, memset::kCorrelation);
    m.value = u32(r, memset::kValue);
    m.memoryKind = field<std::uint16_t>(r, memset::kMemoryKind);
    m.graphNode = field<std::uint64_t>(r, memset::kGraphNode);
    addWork(format::RecordKind::Memset, m);
}

void Decoder::api(const void *r, std::uint32_t domain)
{
    format::ApiRecord a;
    a.start = time(r, api::kStart);
    a.end = time(r, api::kEnd);
    a.thread = u32(r, api::kThread);
    a.correlation = u32(r, api::kCorrelation);
    a.callback = u32(r, api::kCallback);
    a.domain = domain == kDomainDriver ? 1 : 0;
    a.result = u32(r, api::kResult);
    const ApiCall &call = m_names.call(domain, a.callback);
    a.name = call.name;
    if (a.start < 0 || (a.end < a.start && a.end != 0)) {
        ++m_implausible;
        return;
    }
    const bool inside = a.start >= m_begin && a.start <= m_end;
    if (call.graphLaunch && inside && a.result == 0)
        m_lastGraph = std::max(m_lastGraph, a.correlation);
    if (call.kernelLaunch && m_early.erase(a.correlation) == 0 && inside && a.result == 0)
        m_pending.insert(a.correlation);
    if (!inside || (!m_allCalls && !call.kept))
        return;
    if (a.correlation > m_lastCorrelation)
        m_lastCorrelation = a.correlation;
    m_out.add(format::RecordKind::Api, a);
}

void Decoder::sync(const void *r)
{
    format::SyncRecord s;
    s.start = time(r, synchronization::kStart);
    s.end = time(r, synchronization::kEnd);
    s.type = u32(r, synchronization::kType);
    s.correlation = u32(r, synchronization::kCorrelation);
    s.context = u32(r, synchronization::kContext);
    s.stream = u32(r, synchronization::kStream);
    s.event = u32(r, synchronization::kEvent);
    if (s.start >= m_begin && s.start <= m_end)
        m_out.add(format::RecordKind::Sync, s);
}

void Decoder::overhead(const void *r)
{
    format::OverheadRecord o;
    o.start = time(r, overhead::kStart);
    o.end = time(r, overhead::kEnd);
    o.kind = u32(r, overhead::kOverheadKind);
    o.thread = u32(r, overhead::kObjectKind) == kObjectThread ? u32(r, overhead::kObjectThread) : 0;
    if (o.end >= m_begin && o.start <= m_end)
        m_out.add(format::RecordKind::Overhead, o);
}

void Decoder::deviceMemory(const void *r)
{
    format::DeviceMemoryRecord m;
    m.time = time(r, memory::kTimestamp);
    m.address = field<std::uint64_t>(r, memory::kAddress);
    m.bytes = field<std::uint64_t>(r, memory::kBytes);
    m.device = u32(r, memory::kDevice);
    m.correlation = u32(r, memory::kCorrelation);
    m.operation = u32(r, memory::kOperation);
    m.memoryKind = u32(r, memory::kMemoryKind);
    if (m.time >= m_begin && m.time <= m_end)
        m_out.add(format::RecordKind::DeviceMemory, m);
}

// Has no time of its own: what counts is whether its API call is in the file, and the reader sees that.
void Decoder::event(const void *r)
{
    m_out.add(format::RecordKind::Event,
              format::EventRecord{u32(r, event::kCorrelation), u32(r, event::kContext), u32(r, event::kStream),
                                  u32(r, event::kEvent)});
}

void Decoder::jit(const void *r)
{
    format::JitRecord j;
    j.start = time(r, jit::kStart);
    j.end = time(r, jit::kEnd);
    j.entry = u32(r, jit::kEntry);
    j.operation = u32(r, jit::kOperation);
    j.device = u32(r, jit::kDevice);
    j.thread = m_library.version >= kVersion12_4 ? u32(r, jit::kThread) : 0;
    if (j.end >= m_begin && j.start <= m_end)
        m_out.add(format::RecordKind::Jit, j);
}

void Decoder::graph(const void *r)
{
    format::GraphRecord g;
    g.start = time(r, graph::kStart);
    g.end = time(r, graph::kEnd);
    g.device = u32(r, graph::kDevice);
    g.stream = u32(r, graph::kStream);
    g.correlation = u32(r, graph::kCorrelation);
    g.graph = u32(r, graph::kGraph);
    if (m_pending.erase(g.correlation) == 0 && m_early.size() < kMaxEarly)
        m_early.insert(g.correlation);
    addWork(format::RecordKind::Graph, g);
}

} // namespace tuneline::agent::cupti
