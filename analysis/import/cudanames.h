// SPDX-License-Identifier: GPL-3.0-or-later
// CUPTI's numbers as the words that Kineto uses, so that all formats read alike.
#pragma once

#include "analysis/trace/details.h"

#include <string>
#include <string_view>
#include <utility>

namespace tuneline::analysis {

[[nodiscard]] MemoryKind memoryKindOfCupti(std::int64_t kind) noexcept; // CUpti_ActivityMemoryKind
[[nodiscard]] const char *memoryWord(MemoryKind kind) noexcept; // "Pageable", …
// CUpti_ActivityMemcpyKind, and Nsight's unified-memory kinds behind them: kind and "HtoD", ….
[[nodiscard]] std::pair<CopyKind, const char *> copyKindOfCupti(std::int64_t kind) noexcept;
[[nodiscard]] std::string copyName(const char *direction,
                                   const CopyDetail &detail); // "Memcpy HtoD (Pageable -> Device)"
[[nodiscard]] const char *syncName(std::int64_t type) noexcept; // CUpti_ActivitySynchronizationType
// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
[[nodiscard]] std::string_view withoutVersion(std::string_view call) noexcept;
[[nodiscard]] std::string demangled(std::string_view name); // as it is where it isn't mangled

} // namespace tuneline::analysis
