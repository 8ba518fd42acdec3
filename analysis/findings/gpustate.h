// SPDX-License-Identifier: GPL-3.0-or-later
// How a device fared while it was captured, from NVML's samples: clocks, power, heat, and who else was on it.
#pragma once

#include "analysis/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

struct GpuState
{
    SourceId source;
    int device = 0;
    std::size_t samples = 0;
    std::optional<double> usedShare, powerWatts, smClockMhz; // medians; the clock of samples that weren't idle
    std::optional<double> lowestClockMhz, temperatureC, memoryUsedBytes; // lowest; highest; highest
    std::int64_t lowestClockTime = 0;
    std::optional<double> smClockMaxMhz, powerLimitWatts;
    std::uint32_t reasons = 0; // all throttle bits that were seen
    std::optional<double> limitedShare; // of samples with a reason that holds a busy device back; nullopt = unknown
    std::int64_t limitedTime = 0; // of the first of them
    const DeviceProperties *properties = nullptr; // nullptr = none in the file
};

// Devices with at least one sample of NVML's.
[[nodiscard]] std::vector<GpuState> gpuStates(const Trace &trace);
// "its power limit and heat": the limiting reasons among the bits, "" = none.
[[nodiscard]] std::string limitingWords(std::uint32_t reasons);
// "sleep (pid 812, 3 GB, up to 37 % of the time)", or how many; "" = nobody else, or not known.
[[nodiscard]] std::string otherProcesses(const DeviceProperties &device);
// Others that compute, or may: those that were seen idle hold memory only.
[[nodiscard]] bool sharesDevice(const DeviceProperties &device);

} // namespace tuneline::analysis
