// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU can do at best: dense peak rates and bandwidths from the vendor's data sheets. The only numbers about
// hardware in the advisor; everything else comes from the trace.
#pragma once

#include "analysis/trace/trace.h"

#include <string>

namespace tuneline::analysis {

struct DeviceRates
{
    std::string name; // as the trace has it
    bool known = false; // false: guessed from compute capability and multiprocessors
    double fp32 = 0, tf32 = 0, half = 0; // FLOP/s, dense; tf32 0 = no such mode
    bool bf16 = false; // bfloat16 on tensor cores
    double memory = 0; // bytes/s
    double pinnedCopy = 0; // bytes/s, host to device from pinned memory, as measured on such machines
    int multiprocessors = 0;
    std::int64_t memoryBytes = -1;
};

[[nodiscard]] DeviceRates deviceRates(const DeviceProperties &properties);

} // namespace tuneline::analysis
