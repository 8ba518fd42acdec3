// SPDX-License-Identifier: GPL-3.0-or-later
// GPUs as JSON lists them: a capture's metadata `gpus`, Kineto's deviceProperties. One reader and writer, two
// spellings.
#pragma once

#include "analysis/trace/trace.h"

#include <nlohmann/json_fwd.hpp>

namespace tuneline::analysis {

enum class DeviceSpelling { Capture, Kineto };

// Adds the devices of an array to the source; anything that is no object in it, or no array at all, is passed over.
// What isn't stated stays unknown.
void readDevices(const nlohmann::json &list, DeviceSpelling spelling, Source &source);

// The source's devices as such an array. Kineto's spelling has no place for what NVML says.
[[nodiscard]] nlohmann::json writeDevices(const Source &source, DeviceSpelling spelling);

} // namespace tuneline::analysis
