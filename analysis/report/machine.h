// SPDX-License-Identifier: GPL-3.0-or-later
// The machine that a capture was made on, as far as the capture says: processors, memory, disks, and each device's
// clocks, power, heat and neighbours.
#pragma once

#include "analysis/findings/gpustate.h"
#include "analysis/trace/trace.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tuneline::analysis {

// One object for each source, null for one that says nothing: {"hostname", "cpu_model", "disks", …} as in the capture.
[[nodiscard]] nlohmann::json machinesJson(const Trace &trace);
// One object for each device that NVML was asked about.
[[nodiscard]] nlohmann::json gpusJson(const Trace &trace);
// Lines for people, without indentation.
[[nodiscard]] std::vector<std::string> machineLines(const Trace &trace);

} // namespace tuneline::analysis
