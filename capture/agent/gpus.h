// SPDX-License-Identifier: MIT
// The GPUs that this process sees, asked from the driver that it has loaded and initialised itself. Makes no context
// and doesn't initialise CUDA. Our own threads; the calls show in a running CUPTI capture of detail full.
#pragma once

#include "capture/agent/json.h"

#include <functional>
#include <string>
#include <vector>

namespace tuneline::agent {

// How the same GPU is called outside this process, where CUDA_VISIBLE_DEVICES doesn't count.
struct GpuAddress
{
    int id = 0; // CUDA's number, `device` of the records
    std::string pciBusId, uuid; // "0000:3b:00.0", "GPU-…"; "" = not known
};

// Those on which this process has a context; empty before its first CUDA call.
std::vector<GpuAddress> gpusInUse();

// Metadata `gpus` and `cuda_driver_version`, each only if known. more(json, id) adds members to a GPU's object.
void writeGpus(JsonWriter &json, const std::function<void(JsonWriter &, int)> &more = {});

} // namespace tuneline::agent
