// SPDX-License-Identifier: GPL-3.0-or-later
// Work in independent pieces, on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace tuneline::analysis {

// Calls work(0) … work(count − 1), each once, in any order and from several threads at a time; returns when all are
// done. What they write must be disjoint, and they must not throw.
void forEachOnAllCores(std::size_t count, const std::function<void(std::size_t)> &work);

[[nodiscard]] std::size_t coreCount() noexcept; // threads that are worth starting, 1 … 16

} // namespace tuneline::analysis
