// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace knows about an event beyond time and name: one table per kind, referred to by EventColumns::detail.
// "Unknown" is std::nullopt, NaN or kUnknown, never 0.
#pragma once

#include "analysis/trace/ids.h"

#include <array>
#include <cstdint>
#include <limits>

namespace tuneline::analysis {

inline constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

// EventKind::Kernel.
struct KernelDetail
{
    std::array<std::int32_t, 3> grid{}; // {0,0,0} = unknown
    std::array<std::int32_t, 3> block{};
    std::int32_t registersPerThread = -1;
    std::int64_t sharedBytes = -1; // static + dynamic
    float occupancy = std::numeric_limits<float>::quiet_NaN(); // estimated achieved, 0..1
    float blocksPerSm = std::numeric_limits<float>::quiet_NaN();
    std::uint64_t graphNode = 0; // 0 = not launched by a CUDA graph
};

enum class MemoryKind : std::uint8_t { Unknown, Pageable, Pinned, Device, Array, Managed };
enum class CopyKind : std::uint8_t { Unknown, HostToDevice, DeviceToHost, DeviceToDevice, PeerToPeer, HostToHost };

// EventKind::Copy and EventKind::Memset.
struct CopyDetail
{
    std::int64_t bytes = -1; // -1 = unknown
    CopyKind kind = CopyKind::Unknown;
    MemoryKind source = MemoryKind::Unknown;
    MemoryKind destination = MemoryKind::Unknown;
    bool asynchronous = false;
    float gigabytesPerSecond = std::numeric_limits<float>::quiet_NaN(); // as the trace states it
};

// EventKind::Op and EventKind::Range.
struct OpDetail
{
    std::int64_t sequence = -1; // autograd sequence number, -1 = none
    std::int64_t forwardThread = -1; // of a backward node: logical thread of its forward pass, -1 = not backward
    StringId shapes{0U}; // "Input Dims" as in the trace, "" = not recorded
    StringId types{0U}; // "Input type"
    StringId concrete{0U}; // "Concrete Inputs"
    std::uint32_t externalId = 0; // 0 = none
};

// EventKind::Collective ranges and communication kernels, where the trace says (NCCL metadata).
struct CollectiveDetail
{
    StringId name{0U}; // allreduce, allgather, …
    StringId group{0U};
    std::int64_t sequence = -1;
    std::int64_t elementsIn = -1;
    std::int64_t elementsOut = -1;
    StringId type{0U};
};

} // namespace tuneline::analysis
