// SPDX-License-Identifier: MIT
// The GPUs that this process sees, asked from the driver that it has loaded and initialised itself.
#pragma once

#include "capture/agent/json.h"

namespace tuneline::agent {

// Metadata `gpus` and `cuda_driver_version`, each only if known. Makes no context and doesn't initialise CUDA. Control
// thread.
void writeGpus(JsonWriter &json);

} // namespace tuneline::agent
