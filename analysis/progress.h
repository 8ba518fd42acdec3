// SPDX-License-Identifier: GPL-3.0-or-later
// Progress and cancellation of a long job. Written by the job's threads, read by anyone, at any time.
#pragma once

#include <atomic>
#include <cstdint>

namespace tuneline::analysis {

enum class Stage : std::uint8_t { Reading, Sorting, Linking, Analysing, Done };

struct Progress
{
    std::atomic<Stage> stage{Stage::Reading};
    std::atomic<std::uint32_t> permille{0}; // of the whole job, 0..1000
    std::atomic<bool> cancel{false}; // set by the owner; the job returns Error::Code::Cancelled soon after

    [[nodiscard]] bool cancelled() const noexcept { return cancel.load(std::memory_order_relaxed); }
};

} // namespace tuneline::analysis
