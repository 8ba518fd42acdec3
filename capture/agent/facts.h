// SPDX-License-Identifier: MIT
// The baseline record: what the run is and where it runs, as metadata (FORMAT.md). Control thread only.
#pragma once

#include "capture/agent/json.h"

namespace tuneline::agent {

// Process, machine, environment: what never changes while the process lives.
void writeProcessFacts(JsonWriter &json);

} // namespace tuneline::agent
