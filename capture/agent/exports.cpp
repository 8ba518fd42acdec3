// SPDX-License-Identifier: MIT
// Everything that libtuneline_agent.so exports, and how it gets going: preloaded (the constructor), loaded by the CUDA
// driver (InitializeInjection), by NVTX, or by a debugger (tuneline_agent_start). What is preloaded lands in each shell
// and `env` on the way to the training program too: there the constructor looks and leaves.
#include "capture/agent/agent.h"
#include "capture/agent/agent_api.h"
#include "capture/agent/forkguard.h"
#include "capture/agent/hot.h"
#include "capture/agent/log.h"
#include "capture/agent/nvtx.h"
#include "capture/agent/target.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

#define TUNELINE_EXPORT __attribute__((visibility("default")))

namespace tuneline::agent {

namespace {

bool g_inert = false; // another copy of the agent was here first, or TUNELINE_AGENT=off

// In the child only this thread exists, and locks may be held by threads that don't: touch nothing but descriptors.
void onForkedChild() noexcept
{
    g_hot.armed.store(false);
    g_hot.recording.store(false);
    g_hot.memory.store(false);
    if (g_hot.dead.exchange(true))
        return;
    if (control().started())
        control().abandon();
}

void removeSocketAtExit() noexcept
{
    if (!g_hot.dead.load())
        control().removeSocket();
}

bool startControl() noexcept
{
    if (g_inert || g_hot.dead.load(std::memory_order_relaxed))
        return false;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] {
        ForkGuard::watchForks(onForkedChild);
        std::atexit(removeSocketAtExit);
    });
    return control().start();
}

// Is there another copy of this library (preloaded from one path, injected by CUDA from another)? And let programs that
// look for us with dlsym(RTLD_DEFAULT) find us when we were loaded late and locally.
void settleIn() noexcept
{
    void *first = dlsym(RTLD_DEFAULT, "tuneline_agent_start");
    g_inert = first != nullptr && first != reinterpret_cast<void *>(&tuneline_agent_start);
    Dl_info self{};
    if (!g_inert && dladdr(reinterpret_cast<void *>(&tuneline_agent_start), &self) != 0 && self.dli_fname)
        dlopen(self.dli_fname, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
}

__attribute__((constructor)) void onLoad() noexcept
{
    const char *wish = std::getenv("TUNELINE_AGENT");
    if (wish && std::strcmp(wish, "off") == 0) {
        g_inert = true;
        return;
    }
    openLog();
    settleIn();
    if ((wish && std::strcmp(wish, "on") == 0) || looksLikeTraining())
        startControl();
}

} // namespace

} // namespace tuneline::agent

extern "C" {

TUNELINE_EXPORT int tuneline_agent_start(void)
{
    return tuneline::agent::startControl() ? 1 : 0;
}

TUNELINE_EXPORT void tuneline_agent_mark(uint32_t kind, const char *name, const char *text, double value)
{
    // A program that marks is worth listening in, whatever it is called.
    if (!tuneline::agent::control().started()) [[unlikely]]
        tuneline::agent::startControl();
    tuneline::agent::interfaceTable().mark(kind, name, text, value);
}

TUNELINE_EXPORT const tuneline_agent_api *tuneline_agent_get_api(uint32_t version)
{
    return version == TUNELINE_AGENT_API_VERSION ? &tuneline::agent::interfaceTable() : nullptr;
}

// Called by the CUDA driver inside the program's first CUDA call (CUDA_INJECTION64_PATH): no CUDA call, no waiting
// here. 1 = done.
TUNELINE_EXPORT int InitializeInjection(void)
{
    tuneline::agent::startControl();
    return 1;
}

// Called by NVTX at the program's first range (NVTX_INJECTION64_PATH).
TUNELINE_EXPORT int InitializeInjectionNvtx2(tuneline::agent::NvtxExportTable exportTable)
{
    return tuneline::agent::startControl() ? tuneline::agent::attachNvtx(exportTable) : 0;
}
}
