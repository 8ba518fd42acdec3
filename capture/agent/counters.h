// SPDX-License-Identifier: MIT
// Samples what the CPUs do: the whole machine (loader processes count too) and this process. Writer thread only.
#pragma once

#include "capture/agent/batches.h"

#include <cstdint>

namespace tuneline::agent {

class CpuSampler
{
public:
    // The first call only takes the starting point; later ones add CounterRecords for the time since the last.
    void sample(std::int64_t now, Batches &out);

private:
    struct MachineTicks
    {
        std::uint64_t busy = 0;
        std::uint64_t total = 0;
    };
    static MachineTicks machine() noexcept;

    std::int64_t m_time = 0;
    MachineTicks m_machine;
    std::int64_t m_processNs = 0;
    std::uint32_t m_usedShare = 0, m_processCores = 0, m_resident = 0; // ids of the names
};

} // namespace tuneline::agent
