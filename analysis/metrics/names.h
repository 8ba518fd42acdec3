// SPDX-License-Identifier: GPL-3.0-or-later
// What a name says: communication kernel, tensor cores, data scope, blocking call, … Each rule of thumb about names is
// here and nowhere else. classify*() are pure; NameTable caches them for every string of a trace.
#pragma once

#include "analysis/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

namespace NameTrait {
inline constexpr std::uint32_t kCommunication = 1U << 0; // NCCL/RCCL/MSCCL kernel
inline constexpr std::uint32_t kTensorCore = 1U << 1; // runs on tensor cores (or matrix cores)
inline constexpr std::uint32_t kMatrixMath = 1U << 2; // matmul or convolution kernel, on tensor cores or not
inline constexpr std::uint32_t kDataScope = 1U << 3; // the next batch is being fetched
inline constexpr std::uint32_t kCheckpointScope = 1U << 4; // state is saved or restored; never activation checkpointing
inline constexpr std::uint32_t kOptimizerScope = 1U << 5; // Optimizer.step#…
inline constexpr std::uint32_t kOptimizerOp = 1U << 6; // aten::_fused_adam_, aten::_foreach_add_, …
inline constexpr std::uint32_t kStepMarker = 1U << 7; // TunelineStep#n, ProfilerStep#n, a range named "step"
inline constexpr std::uint32_t kValidationScope = 1U << 8; // validation, evaluation
inline constexpr std::uint32_t kAllocation = 1U << 9; // cudaMalloc, cudaFree, cudaHostAlloc, …
inline constexpr std::uint32_t kBlocking = 1U << 10; // cudaStreamSynchronize, cudaMemcpy, …: waits whatever it copies
inline constexpr std::uint32_t kCompilation = 1U << 11; // module load, JIT, torch.compile
inline constexpr std::uint32_t kLaunch = 1U << 12; // puts work on a device: kernel, graph, copy, memset
inline constexpr std::uint32_t kGraphLaunch = 1U << 13;
inline constexpr std::uint32_t kCollectiveOp = 1U << 14; // gloo:all_reduce, nccl:all_reduce, c10d::… on the host
inline constexpr std::uint32_t kBackward = 1U << 15; // autograd node of a backward pass
} // namespace NameTrait

[[nodiscard]] std::uint32_t classifyKernelName(std::string_view name);
[[nodiscard]] std::uint32_t classifyHostName(std::string_view name); // operators, ranges, Python frames
[[nodiscard]] std::uint32_t classifyApiName(std::string_view name); // runtime and driver calls

// Of a communication kernel or a collective on a host thread: what it does, the same on every rank. "" = no collective.
[[nodiscard]] std::string collectiveKind(std::string_view name, EventKind kind);

class NameTable
{
public:
    NameTable() = default;
    explicit NameTable(const Trace &trace);
    // Traits of an event's name in the light of its kind; 0 = nothing special.
    [[nodiscard]] std::uint32_t of(const Trace &trace, EventId e) const noexcept
    {
        const std::uint32_t name = trace.events.name[e.value].value;
        switch (trace.events.kind[e.value]) {
        case EventKind::Kernel:
            return m_kernel[name];
        case EventKind::Runtime:
        case EventKind::Driver:
            return m_api[name];
        default:
            return m_host[name];
        }
    }
    [[nodiscard]] bool is(const Trace &trace, EventId e, std::uint32_t trait) const noexcept
    {
        return (of(trace, e) & trait) != 0;
    }

private:
    std::vector<std::uint32_t> m_kernel, m_host, m_api; // by StringId
};

} // namespace tuneline::analysis
