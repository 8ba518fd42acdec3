// SPDX-License-Identifier: GPL-3.0-or-later
// May we put something into that process? Asked before it is touched, so that the answer can be advice, not an errno.
#pragma once

#include "capture/session/procfs.h"
#include "capture/session/result.h"
#include "capture/session/targetlibraries.h"

namespace tuneline::capture {

struct Observer
{
    uid_t uid = 0; // effective
    bool mayTraceAnything = false; // CAP_SYS_PTRACE
    pid_t pid = 0;
};
[[nodiscard]] Observer self(const ProcFs &proc);

// Loading the agent through a debugger: user, Yama, container, kind of program. `agent`: its path here.
[[nodiscard]] Result<void> mayInject(const ProcFs &proc, const Observer &observer, const ProcessFacts &target,
                                     const TargetLibraries &libraries, const std::filesystem::path &agent);
// Talking to an agent that is there: only the same user may.
[[nodiscard]] Result<void> sameUser(const Observer &observer, const ProcessFacts &target);

[[nodiscard]] std::string userName(uid_t uid); // "user id 1234" if it has none

} // namespace tuneline::capture
