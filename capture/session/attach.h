// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a running process ready for a capture session: finds its agent, or puts one in.
#pragma once

#include "capture/session/processlist.h"
#include "capture/session/target.h"

namespace tuneline::capture {

struct Attached
{
    Target target;
    CaptureWay way = CaptureWay::None; // Debugger: for at least one process
    std::string remark; // ranks that it didn't work for; "" = all is well
};

// A launcher of ranks (torchrun, mpirun) stands for all of them: each gets an agent, and the target is the launcher.
// Blocks while the debugger works (half a second to a few seconds). `injector` null: only an agent that is there
// already.
[[nodiscard]] Result<Attached> attachTo(pid_t pid, Injector *injector, const ProcFs &proc = ProcFs());

} // namespace tuneline::capture
