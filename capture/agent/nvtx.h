// SPDX-License-Identifier: MIT
// NVTX ranges count as marks: push and pop become scopes of the capture. Through NVTX's own injection interface
// (NVTX_INJECTION64_PATH), without CUPTI: pointing NVTX at CUPTI would take its only subscription at the program's
// first range, captured or not (CAPTURE.md section 4.2).
#pragma once

#include <cstdint>

namespace tuneline::agent {

// NvtxGetExportTableFunc_t
using NvtxExportTable = const void *(*)(std::uint32_t table);

// Puts our functions into the NVTX tables of the calling library. Called by NVTX at that library's first NVTX call, so
// once per library that uses it. 1 = done, 0 = this NVTX isn't as we know it.
int attachNvtx(NvtxExportTable exportTable) noexcept;

} // namespace tuneline::agent
