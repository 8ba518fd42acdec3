// SPDX-License-Identifier: MIT
// The few words that the host's threads read on every call. While dormant both are false: that is all an idle agent
// costs.
#pragma once

#include <atomic>
#include <cstdint>

namespace tuneline::agent {

struct alignas(64) Hot
{
    std::atomic<bool> armed{false}; // a capture file is open: steps are watched, ends of operators are taken
    std::atomic<bool> recording{false}; // inside the window
    std::atomic<bool> memory{false}; // inside the window, and tensor allocations are wanted
    std::atomic<bool> dead{false}; // forked child: nothing of ours may run here any more
    std::atomic<std::uint32_t> epoch{0}; // counts captures: what a thread kept from the last one is void
};

inline Hot g_hot;

} // namespace tuneline::agent
