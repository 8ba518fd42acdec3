// SPDX-License-Identifier: MIT
// The one agent of this process. Leaked on purpose: host threads may record while the process exits.
#pragma once

#include "capture/agent/agent_api.h"
#include "capture/agent/control.h"

namespace tuneline::agent {

Control &control() noexcept;

// Completes a running capture, removes the socket. Exit handlers; does nothing in a forked child.
void finishCaptureAtExit() noexcept;

// What the torch bridge works with (agent_api.h).
const tuneline_agent_api &interfaceTable() noexcept;

} // namespace tuneline::agent
