// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/writers/eventtext.h"

#include <algorithm>
#include <array>

namespace tuneline::analysis {

namespace {

template <typename Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N> &words, Enum value) noexcept
{
    const auto index = static_cast<std::size_t>(value);
    return index < N ? words[index] : std::string_view();
}

// In the order of the enumerators.
constexpr std::array<std::string_view, 16> kCategories{
    "cpu_op",      "user_annotation", "python_function", "cuda_runtime",
    "cuda_driver", "compile",         "overhead",        "kernel",
    "gpu_memcpy",  "gpu_memset",      "cuda_sync",       "gpu_user_annotation",
    "Trace",       "async",           "instant",         ""};
constexpr std::array<std::string_view, 4> kLanes{"cpu", "stream", "async", "window"};
constexpr std::array<std::string_view, 6> kCopies{"unknown", "HtoD", "DtoH", "DtoD", "PtoP", "HtoH"};
constexpr std::array<std::string_view, 6> kMemories{"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed"};
constexpr std::array<std::string_view, 7> kMarks{"units",        "valid_units",       "loss",  "gradient_norm",
                                                 "skipped_step", "corrupted_samples", "metric"};

static_assert(static_cast<std::size_t>(EventKind::Slice) + 1 == kCategories.size());
static_assert(static_cast<std::size_t>(LaneKind::Window) + 1 == kLanes.size());
static_assert(static_cast<std::size_t>(CopyKind::HostToHost) + 1 == kCopies.size());
static_assert(static_cast<std::size_t>(MemoryKind::Managed) + 1 == kMemories.size());
static_assert(static_cast<std::size_t>(MarkKind::Metric) + 1 == kMarks.size());

} // namespace

std::string_view categoryOf(EventKind kind) noexcept
{
    return pick(kCategories, kind);
}
std::string_view toText(LaneKind kind) noexcept
{
    return pick(kLanes, kind);
}
std::string_view toText(CopyKind kind) noexcept
{
    return pick(kCopies, kind);
}
std::string_view toText(MemoryKind kind) noexcept
{
    return pick(kMemories, kind);
}
MarkKind markKindOf(std::string_view text) noexcept
{
    const auto found = std::find(kMarks.begin(), kMarks.end(), text);
    return found == kMarks.end() ? MarkKind::Metric : static_cast<MarkKind>(found - kMarks.begin());
}
std::string_view toText(MarkKind kind) noexcept
{
    return pick(kMarks, kind);
}

} // namespace tuneline::analysis
