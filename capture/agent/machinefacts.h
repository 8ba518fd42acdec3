// SPDX-License-Identifier: MIT
// What the machine is like while the capture runs: load, memory, clock policy, limits of the container, disks. Reads
// /proc, /sys and statvfs, which may block on a dead network drive: monitor thread only.
#pragma once

#include "capture/agent/json.h"

#include <string>
#include <string_view>

namespace tuneline::agent {

// Metadata load_average, memory_available_bytes, cpu_governor, cpu_quota_cores, memory_limit_bytes, disks; each only if
// known. `output`: the capture file.
void writeMachineFacts(JsonWriter &json, const std::string &output);

// One line of /proc/self/mountinfo.
struct Mount
{
    unsigned major = 0, minor = 0;
    std::string point, type, device;
};
// False: not such a line.
bool parseMount(std::string_view line, Mount &mount);

} // namespace tuneline::agent
