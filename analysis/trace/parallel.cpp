// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tuneline::analysis {

std::size_t coreCount() noexcept
{
    return std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
}

void forEachOnAllCores(std::size_t count, const std::function<void(std::size_t)> &work)
{
    std::atomic<std::size_t> next{0};
    const auto run = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            work(i);
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(count, coreCount()); ++i)
        others.emplace_back(run);
    run();
    for (std::thread &thread : others)
        thread.join();
}

} // namespace tuneline::analysis
