// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/eventcolours.h"

#include "analysis/metrics/names.h"

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr std::uint8_t kNotAsked = 0xFF;

ColourClass copyColour(const Trace &trace, EventId event)
{
    const CopyDetail *copy = trace.copy(event);
    const CopyKind kind = copy ? copy->kind : CopyKind::Unknown;
    if (kind == CopyKind::HostToDevice)
        return ColourClass::CopyToDevice;
    return kind == CopyKind::DeviceToHost ? ColourClass::CopyToHost : ColourClass::CopyOther;
}

ColourClass kernelColour(std::string_view name)
{
    const std::uint32_t traits = classifyKernelName(name);
    if (traits & NameTrait::kCommunication)
        return ColourClass::Communication;
    return traits & (NameTrait::kMatrixMath | NameTrait::kTensorCore) ? ColourClass::MatrixKernel : ColourClass::Kernel;
}

ColourClass hostColour(std::string_view name, ColourClass otherwise)
{
    const std::uint32_t traits = classifyHostName(name);
    if (traits & NameTrait::kDataScope)
        return ColourClass::Input;
    if (traits & NameTrait::kCheckpointScope)
        return ColourClass::Checkpoint;
    if (traits & (NameTrait::kOptimizerScope | NameTrait::kOptimizerOp))
        return ColourClass::Optimizer;
    if (traits & NameTrait::kCollectiveOp)
        return ColourClass::Communication;
    return traits & NameTrait::kBackward ? ColourClass::Backward : otherwise;
}

ColourClass apiColour(std::string_view name)
{
    const std::uint32_t traits = classifyApiName(name);
    if (traits & NameTrait::kCompilation)
        return ColourClass::Compile;
    if (traits & NameTrait::kAllocation)
        return ColourClass::Allocation;
    return traits & NameTrait::kBlocking ? ColourClass::Blocking : ColourClass::Launch;
}

} // namespace

EventColours::EventColours(TracePtr trace)
    : m_trace(std::move(trace))
    , m_host(m_trace ? m_trace->strings.size() : 0, kNotAsked)
    , m_device(m_host)
{ }

ColourClass EventColours::of(EventId event) const
{
    const EventKind kind = m_trace->kind(event);
    if (kind == EventKind::Copy)
        return copyColour(*m_trace, event);
    auto &table = kind == EventKind::Kernel ? m_device : m_host;
    std::uint8_t &known = table[m_trace->events.name[event.value].value];
    if (known == kNotAsked)
        known = static_cast<std::uint8_t>(classify(event));
    return static_cast<ColourClass>(known);
}

ColourClass EventColours::classify(EventId event) const
{
    const std::string_view name = m_trace->name(event);
    switch (m_trace->kind(event)) {
    case EventKind::Kernel:
        return kernelColour(name);
    case EventKind::Memset:
        return ColourClass::Memset;
    case EventKind::Op:
        return hostColour(name, ColourClass::Forward);
    case EventKind::Range:
    case EventKind::DeviceRange:
        return hostColour(name, ColourClass::Range);
    case EventKind::Python:
        return hostColour(name, ColourClass::Python);
    case EventKind::Runtime:
    case EventKind::Driver:
        return apiColour(name);
    case EventKind::Compile:
        return ColourClass::Compile;
    case EventKind::Overhead:
        return ColourClass::Overhead;
    case EventKind::DeviceSync:
        return ColourClass::Blocking;
    case EventKind::Window:
    case EventKind::Copy:
    case EventKind::Instant:
        return ColourClass::Neutral;
    case EventKind::Async:
    case EventKind::Slice:
        break;
    }
    return hostColour(name, ColourClass::Neutral);
}

} // namespace tuneline::ui
