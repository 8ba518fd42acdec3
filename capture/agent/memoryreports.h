// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tuneline::agent {

// Reports of tensor allocators recorded since the process started: did the shim take hold? Any thread.
std::uint64_t memoryReports() noexcept;

// A new capture begins: blocks that an earlier one saw may be others by now. Control thread, nothing is recording.
void forgetMemoryBlocks() noexcept;

} // namespace tuneline::agent
