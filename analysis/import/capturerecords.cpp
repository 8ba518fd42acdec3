// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/capturerecords.h"

#include "analysis/import/cudanames.h"
#include "analysis/trace/counters.h"
#include "analysis/trace/saturate.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

using namespace format;

const char *overheadName(std::uint32_t kind)
{
    switch (kind) {
    case 1:
        return "Compiler";
    case 0x10000:
        return "Buffer Flush";
    case 0x20000:
        return "Instrumentation";
    case 0x30000:
        return "Resource";
    case 0x40000:
        return "Runtime Triggered Module Loading";
    case 0x50000:
        return "Lazy Function Loading";
    case 0x60000:
        return "Command Buffer Full";
    case 0x70000:
        return "Activity Buffer Request";
    default:
        return "Overhead";
    }
}

} // namespace

CaptureRecords::CaptureRecords(TraceBuilder &builder, SourceId source, const CaptureFrames &frames,
                               const CaptureClock &clock)
    : m_builder(builder)
    , m_source(source)
    , m_frames(frames)
    , m_clock(clock)
{
    collect();
}

// What other records refer to, wherever it stands.
void CaptureRecords::collect()
{
    for (const RecordView &view : m_frames.records) {
        for (std::uint32_t i = 0; i < view.count; ++i) {
            if (view.kind == RecordKind::OpDetail) {
                const auto detail = view.at<OpDetailRecord>(i);
                m_opDetails[detail.op] = detail;
            } else if (view.kind == RecordKind::Kernel) {
                const auto kernel = view.at<KernelRecord>(i);
                m_deviceOfContext[kernel.context] = kernel.device;
                m_kernelCorrelations.insert(kernel.correlation);
            } else if (view.kind == RecordKind::Copy) {
                const auto copy = view.at<CopyRecord>(i);
                m_deviceOfContext.try_emplace(copy.context, copy.device);
            } else {
                break;
            }
        }
    }
}

LaneId CaptureRecords::threadLane(std::uint32_t thread)
{
    const auto [known, fresh] = m_threads.try_emplace(thread);
    if (fresh) {
        const auto pid = m_frames.metadata.find("pid");
        known->second = m_builder.lane({LaneKind::Cpu,
                                        m_source,
                                        pid != m_frames.metadata.end() ? pid->dump() : "",
                                        thread == 0 ? "driver" : std::to_string(thread), // 0: of no thread
                                        {},
                                        {}});
    }
    return known->second;
}

LaneId CaptureRecords::streamLane(std::uint32_t device, std::uint32_t stream)
{
    const auto [known, fresh] = m_streams.try_emplace({device, stream});
    if (fresh) {
        const bool whole = stream == 0xFFFFFFFFU; // CUPTI_SYNCHRONIZATION_INVALID_VALUE: the whole context
        known->second = m_builder.lane({LaneKind::Stream, m_source, std::to_string(device),
                                        whole ? "context" : std::to_string(stream), static_cast<int>(device),
                                        whole ? std::nullopt : std::optional<std::int64_t>(stream)});
    }
    return known->second;
}

std::uint32_t CaptureRecords::deviceOf(std::uint32_t context) const
{
    const auto device = m_deviceOfContext.find(context);
    return device != m_deviceOfContext.end() ? device->second : 0;
}

StringId CaptureRecords::name(std::uint32_t id)
{
    const auto [known, fresh] = m_names.try_emplace(id);
    if (!fresh)
        return known->second;
    const std::string_view text = m_frames.text(id);
    known->second = m_builder.strings().intern(text.empty() ? std::string("(no name)") : demangled(text));
    return known->second;
}

RawEvent CaptureRecords::deviceTimes(std::int64_t start, std::int64_t end, std::uint64_t offset) const
{
    RawEvent event;
    event.argsOffset = offset;
    if (start == 0)
        event.flags |= EventFlag::kNoTimestamp;
    else
        event.start = m_clock.toHost(start);
    if (end == kOpen)
        event.flags |= EventFlag::kUnfinished;
    else if (start == 0 || end < start)
        event.flags |= EventFlag::kNoDuration;
    else
        event.duration = saturatedDifference(m_clock.toHost(end), event.start);
    return event;
}

void CaptureRecords::add(const OpRecord &r, std::uint64_t offset)
{
    RawEvent event;
    event.start = r.start;
    event.duration = r.end == kOpen ? 0 : saturatedDifference(r.end, r.start);
    event.flags = r.end == kOpen ? EventFlag::kUnfinished : 0;
    event.name = name(r.name);
    event.lane = threadLane(r.thread);
    event.kind = r.scope == OpScope::User ? EventKind::Range : EventKind::Op;
    event.argsOffset = offset;
    if (const auto found = m_opDetails.find(r.id); r.id != 0 && found != m_opDetails.end()) {
        OpDetail detail;
        detail.sequence = found->second.sequence;
        detail.forwardThread = r.scope == OpScope::Backward || found->second.forwardThread != 0
            ? static_cast<std::int64_t>(found->second.forwardThread)
            : -1;
        detail.shapes = m_builder.strings().intern(m_frames.text(found->second.shapes));
        detail.types = m_builder.strings().intern(m_frames.text(found->second.types));
        event.detail = m_builder.addOp(detail);
    }
    m_builder.add(event);
}

void CaptureRecords::add(const ThreadRecord &r, std::uint64_t)
{
    m_threadNames[r.thread] = m_frames.text(r.name);
}

void CaptureRecords::add(const MemoryRecord &r, std::uint64_t)
{
    MemoryTrack &track = m_builder.memory(m_source, r.deviceType == 0 ? -1 : std::max<int>(r.deviceIndex, 0));
    track.time.push_back(r.time);
    track.bytes.push_back(r.bytes);
    track.address.push_back(r.address);
    track.allocated.push_back(r.allocated < 0 ? kUnknown : r.allocated);
    track.reserved.push_back(r.reserved < 0 ? kUnknown : r.reserved);
}

void CaptureRecords::add(const CounterRecord &r, std::uint64_t)
{
    const std::string_view text = m_frames.text(r.name);
    CounterTrack &track = m_builder.counter(m_source, text);
    if (track.time.empty())
        track.unit = m_builder.strings().intern(counterUnit(text));
    if (counterMeaning(text).kind == CounterKind::ThrottleReasons)
        m_throttle[r.name].emplace_back(r.time, static_cast<std::uint32_t>(std::clamp(r.value, 0.0, 4e9)));
    track.time.push_back(r.time);
    track.value.push_back(r.value);
}

void CaptureRecords::add(const KernelRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    KernelDetail detail;
    std::copy(std::begin(r.grid), std::end(r.grid), detail.grid.begin());
    std::copy(std::begin(r.block), std::end(r.block), detail.block.begin());
    detail.registersPerThread = static_cast<std::int32_t>(std::min(r.registers, 65536U));
    detail.sharedBytes = std::int64_t{r.staticShared} + r.dynamicShared;
    detail.graphNode = r.graphNode;
    event.detail = m_builder.addKernel(detail);
    event.kind = EventKind::Kernel;
    event.name = name(r.name);
    event.lane = streamLane(r.device, r.stream);
    event.correlation = r.correlation;
    m_builder.add(event);
}

void CaptureRecords::add(const CopyRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    CopyDetail detail;
    const auto [kind, word] = copyKindOfCupti(r.copyKind);
    detail.bytes = static_cast<std::int64_t>(r.bytes);
    detail.kind = kind;
    detail.source = memoryKindOfCupti(r.sourceKind);
    detail.destination = memoryKindOfCupti(r.destinationKind);
    detail.asynchronous = (r.flags & 1U) != 0;
    if (event.duration > 0)
        detail.gigabytesPerSecond =
            static_cast<float>(static_cast<double>(r.bytes) / static_cast<double>(event.duration));
    event.detail = m_builder.addCopy(detail);
    event.kind = EventKind::Copy;
    event.name = m_builder.strings().intern(copyName(word, detail));
    event.lane = streamLane(r.device, r.stream);
    event.correlation = r.correlation;
    m_builder.add(event);
}

void CaptureRecords::add(const MemsetRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    CopyDetail detail;
    detail.bytes = static_cast<std::int64_t>(r.bytes);
    detail.destination = memoryKindOfCupti(r.memoryKind);
    event.detail = m_builder.addCopy(detail);
    event.kind = EventKind::Memset;
    event.name = m_builder.strings().intern(std::string("Memset (") + memoryWord(detail.destination) + ")");
    event.lane = streamLane(r.device, r.stream);
    event.correlation = r.correlation;
    m_builder.add(event);
}

void CaptureRecords::add(const ApiRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    event.kind = r.domain == 1 ? EventKind::Driver : EventKind::Runtime;
    event.name = name(r.name);
    event.lane = threadLane(r.thread);
    event.correlation = r.correlation;
    m_builder.add(event);
}

void CaptureRecords::add(const SyncRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    const std::uint32_t device = deviceOf(r.context);
    event.kind = EventKind::DeviceSync;
    event.name = m_builder.strings().intern(syncName(r.type));
    event.lane = streamLane(device, r.stream);
    constexpr std::uint32_t kStreamWaitsForEvent = 2;
    if (r.type == kStreamWaitsForEvent)
        m_builder.addEventUse({m_source, r.correlation, r.event, static_cast<int>(device), r.stream,
                               CudaEventUse::Kind::AwaitedByStream});
    event.correlation = r.correlation;
    m_builder.add(event);
}

void CaptureRecords::add(const EventRecord &r, std::uint64_t)
{
    m_builder.addEventUse({m_source, r.correlation, r.event, static_cast<int>(deviceOf(r.context)), r.stream,
                           CudaEventUse::Kind::Recorded});
}

void CaptureRecords::add(const OverheadRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    event.kind = EventKind::Overhead;
    event.name = m_builder.strings().intern(overheadName(r.kind));
    event.lane = threadLane(r.thread);
    m_builder.add(event);
}

void CaptureRecords::add(const DeviceMemoryRecord &r, std::uint64_t)
{
    const auto bytes = static_cast<std::int64_t>(r.bytes);
    if (r.time != 0)
        m_deviceMemory[r.device].emplace_back(m_clock.toHost(r.time),
                                              r.operation == 2 ? saturatedDifference(0, bytes) : bytes);
}

void CaptureRecords::add(const JitRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    event.kind = EventKind::Compile;
    event.name = m_builder.strings().intern("CUDA code loading or compilation");
    event.lane = threadLane(r.thread);
    m_builder.add(event);
}

// The kernels of a graph are recorded one by one or not at all; only then the graph itself is the work.
void CaptureRecords::add(const GraphRecord &r, std::uint64_t offset)
{
    RawEvent event = deviceTimes(r.start, r.end, offset);
    event.kind = m_kernelCorrelations.contains(r.correlation) ? EventKind::DeviceRange : EventKind::Kernel;
    event.name = m_builder.strings().intern("CUDA graph " + std::to_string(r.graph));
    event.lane = streamLane(r.device, r.stream);
    event.correlation = r.correlation;
    m_builder.add(event);
}

// Bits are nothing to look at: one curve for each reason that ever held.
void CaptureRecords::splitThrottleReasons()
{
    for (const auto &[name, samples] : m_throttle) {
        const std::string gpu = "gpu" + std::to_string(counterMeaning(m_frames.text(name)).device) + "/throttle/";
        for (const ThrottleReason &reason : kThrottleReasons) {
            if (std::none_of(samples.begin(), samples.end(), [&](const auto &s) { return s.second & reason.bit; }))
                continue;
            CounterTrack &track = m_builder.counter(m_source, gpu + std::string(reason.key));
            for (const auto &[time, bits] : samples) {
                track.time.push_back(time);
                track.value.push_back((bits & reason.bit) != 0 ? 1 : 0);
            }
        }
    }
}

void CaptureRecords::finish()
{
    splitThrottleReasons();
    for (const auto &[thread, lane] : m_threads) {
        const auto named = m_threadNames.find(thread);
        if (named != m_threadNames.end() && !named->second.empty())
            m_builder.editLane(lane).thread =
                m_builder.strings().intern("thread " + std::to_string(thread) + " (" + named->second + ")");
    }
    for (auto &[device, changes] : m_deviceMemory) {
        std::sort(changes.begin(), changes.end());
        CounterTrack &track =
            m_builder.counter(m_source, "GPU " + std::to_string(device) + ": cudaMalloc since the window began");
        track.unit = m_builder.strings().intern("B");
        std::int64_t total = 0;
        for (const auto &[time, bytes] : changes) {
            total = saturatedSum(total, bytes);
            track.time.push_back(time);
            track.value.push_back(static_cast<double>(total));
        }
    }
}

} // namespace tuneline::analysis
