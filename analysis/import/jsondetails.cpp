// SPDX-License-Identifier: GPL-3.0-or-later
// Decoder's second half: categories, and the arguments of kernels, copies, operators and collectives.
#include "analysis/import/jsondecoder.h"
#include "analysis/import/jsontext.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace tuneline::analysis::json {
namespace {

struct Known
{
    std::string_view name;
    EventKind kind;
    bool device;
    bool kineto;
};

// Names of today's Kineto first, then those of 2020 and 2021, then other back ends'.
constexpr std::array kCategories{
    Known{"cpu_op", EventKind::Op, false, true},
    Known{"kernel", EventKind::Kernel, true, true},
    Known{"cuda_runtime", EventKind::Runtime, false, true},
    Known{"python_function", EventKind::Python, false, true},
    Known{"user_annotation", EventKind::Range, false, true},
    Known{"gpu_memcpy", EventKind::Copy, true, true},
    Known{"gpu_memset", EventKind::Memset, true, true},
    Known{"gpu_user_annotation", EventKind::DeviceRange, true, true},
    Known{"cuda_driver", EventKind::Driver, false, true},
    Known{"concurrent_kernel", EventKind::Kernel, true, true},
    Known{"cuda_sync", EventKind::DeviceSync, true, true},
    Known{"overhead", EventKind::Overhead, false, true},
    Known{"Trace", EventKind::Window, false, true},
    Known{"Operator", EventKind::Op, false, true},
    Known{"Kernel", EventKind::Kernel, true, true},
    Known{"Runtime", EventKind::Runtime, false, true},
    Known{"Memcpy", EventKind::Copy, true, true},
    Known{"Memset", EventKind::Memset, true, true},
    Known{"Python", EventKind::Python, false, true},
    Known{"hip_runtime", EventKind::Runtime, false, true},
    Known{"xpu_runtime", EventKind::Runtime, false, true},
    Known{"xpu_driver", EventKind::Driver, false, true},
    Known{"mtia_runtime", EventKind::Runtime, false, true},
    Known{"privateuse1_runtime", EventKind::Runtime, false, true},
    Known{"privateuse1_driver", EventKind::Driver, false, true},
};

// [x, y, z]; anything else, or a number that doesn't fit, is unknown.
std::array<std::int32_t, 3> triple(std::string_view token)
{
    constexpr std::string_view kBetween = "[] \t\r\n,\"";
    std::array<std::int32_t, 3> value{};
    std::size_t count = 0, at = token.find_first_not_of(kBetween);
    for (; at != std::string_view::npos; ++count) {
        const std::size_t end = std::min(token.find_first_of(kBetween, at), token.size());
        const auto number = toInt(token.substr(at, end - at));
        if (!number || !std::in_range<std::int32_t>(*number) || count == value.size())
            return {};
        value[count] = static_cast<std::int32_t>(*number);
        at = token.find_first_not_of(kBetween, end);
    }
    return count == value.size() ? value : std::array<std::int32_t, 3>{};
}

float toFloat(std::string_view token, float scale = 1.0F)
{
    const auto value = toDouble(token);
    return value ? static_cast<float>(*value) * scale : std::numeric_limits<float>::quiet_NaN();
}

MemoryKind memoryKind(std::string_view word)
{
    if (word.starts_with("Pageable"))
        return MemoryKind::Pageable;
    if (word.starts_with("Pinned"))
        return MemoryKind::Pinned;
    if (word.starts_with("Device"))
        return MemoryKind::Device;
    if (word.starts_with("Array"))
        return MemoryKind::Array;
    return word.starts_with("Managed") || word.starts_with("Unified") ? MemoryKind::Managed : MemoryKind::Unknown;
}

CopyKind copyKind(std::string_view name)
{
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (has("HtoD") || has("HostToDevice"))
        return CopyKind::HostToDevice;
    if (has("DtoH") || has("DeviceToHost"))
        return CopyKind::DeviceToHost;
    if (has("PtoP") || has("PeerToPeer"))
        return CopyKind::PeerToPeer;
    if (has("DtoD") || has("DeviceToDevice"))
        return CopyKind::DeviceToDevice;
    return has("HtoH") || has("HostToHost") ? CopyKind::HostToHost : CopyKind::Unknown;
}

} // namespace

Decoder::Category Decoder::categoryOf(const JsonEvent &event)
{
    const std::string_view all = unquoted(event.field(Field::Cat));
    const std::string_view name = all.substr(0, all.find(',')); // the format allows a list
    for (const Known &known : kCategories) {
        if (known.name == name)
            return {known.kind, known.device, known.kineto};
    }
    if (name.find('\\') != std::string_view::npos) {
        std::string scratch;
        JsonEvent plain = event;
        plain.setField(Field::Cat, decodeString(name, scratch).text);
        return plain.field(Field::Cat).find('\\') == std::string_view::npos ? categoryOf(plain) : Category{};
    }
    // torch.autograd.profiler's own export has no categories: the process name tells.
    const std::string_view pid = unquoted(event.field(Field::Pid));
    if (pid == "CUDA functions")
        return {EventKind::Kernel, true, false};
    if (pid == "CPU functions")
        return {EventKind::Op, false, false};
    const bool compile = name.find("compile") != std::string_view::npos || name == "dynamo_timed" || name == "inductor";
    return {compile ? EventKind::Compile : EventKind::Slice, false, false};
}

void Decoder::addDetail(const JsonEvent &event, Batch &batch, RawEvent &raw)
{
    if (event.argsSeen == 0)
        return;
    if (raw.kind == EventKind::Kernel)
        addKernel(event, batch, raw);
    else if (raw.kind == EventKind::Copy || raw.kind == EventKind::Memset)
        addCopy(event, batch, raw);
    else if (raw.kind == EventKind::Op || raw.kind == EventKind::Range)
        addOp(event, raw);
    if (!event.arg(Arg::CollectiveName).empty())
        addCollective(event, batch, raw);
}

void Decoder::addKernel(const JsonEvent &event, Batch &batch, RawEvent &raw)
{
    KernelDetail detail;
    detail.grid = triple(event.arg(Arg::Grid));
    detail.block = triple(event.arg(Arg::Block));
    detail.registersPerThread =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(toInt(event.arg(Arg::Registers)).value_or(-1), -1, 65536));
    detail.sharedBytes = toInt(event.arg(Arg::SharedMemory)).value_or(-1);
    detail.occupancy = toFloat(event.arg(Arg::Occupancy), 0.01F);
    detail.blocksPerSm = toFloat(event.arg(Arg::BlocksPerSm));
    detail.graphNode = toId(event.arg(Arg::GraphNode));
    raw.detail = m_tables.add(m_tables.kernels, detail);
    checkNumbers(event, batch);
}

void Decoder::addCopy(const JsonEvent &event, Batch &batch, RawEvent &raw)
{
    CopyDetail detail;
    detail.bytes = toInt(event.arg(Arg::Bytes)).value_or(-1);
    detail.gigabytesPerSecond = toFloat(event.arg(Arg::Bandwidth));
    const std::string_view name = m_tables.strings.view(raw.name);
    const std::size_t open = name.find('('), arrow = name.find(" -> ");
    if (raw.kind == EventKind::Copy) {
        detail.kind = copyKind(name);
        if (open != std::string_view::npos && arrow != std::string_view::npos && arrow > open) {
            detail.source = memoryKind(name.substr(open + 1));
            detail.destination = memoryKind(name.substr(arrow + 4));
        }
    } else if (open != std::string_view::npos) {
        detail.destination = memoryKind(name.substr(open + 1));
    }
    raw.detail = m_tables.add(m_tables.copies, detail);
    checkNumbers(event, batch);
}

void Decoder::addOp(const JsonEvent &event, RawEvent &raw)
{
    OpDetail detail;
    detail.sequence = toInt(event.arg(Arg::Sequence)).value_or(-1);
    const std::int64_t forward = toInt(event.arg(Arg::ForwardThread)).value_or(0);
    detail.forwardThread = forward > 0 ? forward : -1; // Kineto writes 0 at forward operators
    detail.externalId =
        raw.externalId <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(raw.externalId) : 0;
    if (!event.arg(Arg::InputDims).empty()) {
        detail.shapes = this->raw(event.arg(Arg::InputDims));
        detail.types = this->raw(event.arg(Arg::InputTypes));
        detail.concrete = this->raw(event.arg(Arg::ConcreteInputs));
    }
    raw.detail = m_tables.add(m_tables.ops, detail);
}

void Decoder::addCollective(const JsonEvent &event, Batch &batch, RawEvent &raw)
{
    CollectiveDetail detail;
    detail.name = text(event, event.arg(Arg::CollectiveName), batch);
    detail.group = text(event, event.arg(Arg::ProcessGroup), batch);
    detail.type = text(event, event.arg(Arg::ElementType), batch);
    detail.elementsIn = toInt(event.arg(Arg::ElementsIn)).value_or(-1);
    detail.elementsOut = toInt(event.arg(Arg::ElementsOut)).value_or(-1);
    detail.sequence = toInt(event.arg(Arg::CollectiveSequence)).value_or(-1);
    raw.collective = m_tables.add(m_tables.collectives, detail);
}

// Infinity and NaN are written by a division by a time of 0: unknown, and said so.
void Decoder::checkNumbers(const JsonEvent &event, Batch &batch) const
{
    for (const Arg a : {Arg::Bandwidth, Arg::Occupancy, Arg::BlocksPerSm, Arg::Bytes}) {
        const std::string_view token = event.arg(a);
        if (!token.empty() && !toDouble(token))
            batch.report.add(
                "number-invalid", Severity::Info,
                {static_cast<std::int64_t>(event.offset), -1, "no number: " + std::string(token.substr(0, 40))});
    }
}

} // namespace tuneline::analysis::json
