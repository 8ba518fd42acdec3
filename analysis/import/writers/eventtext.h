// SPDX-License-Identifier: GPL-3.0-or-later
// The words that Kineto and we use for kinds, so that what is written can be read back here and by others.
#pragma once

#include "analysis/trace/trace.h"

#include <string_view>

namespace tuneline::analysis {

[[nodiscard]] std::string_view categoryOf(EventKind kind) noexcept; // Kineto's "cat"
[[nodiscard]] std::string_view toText(LaneKind kind) noexcept;
[[nodiscard]] std::string_view toText(CopyKind kind) noexcept; // HtoD, DtoH, …
[[nodiscard]] std::string_view toText(MemoryKind kind) noexcept; // Pageable, Pinned, Device, …
[[nodiscard]] MarkKind markKindOf(std::string_view text) noexcept; // Metric where it is none of them
[[nodiscard]] std::string_view toText(MarkKind kind) noexcept; // units, loss, …

} // namespace tuneline::analysis
