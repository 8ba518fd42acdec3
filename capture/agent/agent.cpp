// SPDX-License-Identifier: MIT
#include "capture/agent/agent.h"

#include "capture/agent/hot.h"

namespace tuneline::agent {

Control &control() noexcept
{
    static Control &one = *new Control;
    return one;
}

void finishCaptureAtExit() noexcept
{
    if (!g_hot.dead.load())
        control().finishAtExit();
}

} // namespace tuneline::agent
