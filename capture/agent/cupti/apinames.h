// SPDX-License-Identifier: MIT
// Names of runtime and driver calls by their callback id, asked from CUPTI itself (ids differ between CUDA versions),
// and which of them a capture keeps. CUPTI thread only.
#pragma once

#include "capture/agent/cupti/library.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuneline::agent::cupti {

// "cudaMemcpyAsync_ptsz_v7000" → "cudaMemcpyAsync"; "cuMemcpyHtoD_v2" → "cuMemcpyHtoD".
std::string_view plainName(std::string_view name) noexcept;
// Launches, copies, memsets, waits, allocations, graphs, events, module loading: what the idle causes are found from.
// Not: cudaGetDevice, cudaStreamIsCapturing, cudaGetLastError and the other nine tenths (10,296 calls a step against
// 708 kernels, CAPTURE.md section 9).
bool isKept(std::string_view plainName) noexcept;
// Launches kernels (not: copies, memsets, graphs).
bool isKernelLaunch(std::string_view plainName) noexcept;

struct ApiCall
{
    std::uint32_t name = 0; // id in the NameTable
    bool kept = false;
    bool graphLaunch = false;
    bool kernelLaunch = false;
};

class ApiNames
{
public:
    explicit ApiNames(const Library &library) noexcept
        : m_library(library)
    { }
    // domain: kDomainRuntime or kDomainDriver.
    const ApiCall &call(std::uint32_t domain, std::uint32_t callback);
    // Switches the calls off that aren't kept: CUPTI then doesn't even make their records. Their number.
    std::uint32_t silenceOthers();

private:
    std::string nameOf(std::uint32_t domain, std::uint32_t callback) const;

    const Library &m_library;
    std::vector<ApiCall> m_calls[2];
    std::vector<bool> m_known[2];
};

} // namespace tuneline::agent::cupti
