// SPDX-License-Identifier: MIT
#include "capture/agent/ownprofiler.h"

#include "capture/agent/clock.h"
#include "capture/agent/readfile.h"
#include "capture/agent/target.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tuneline::agent {

namespace {

constexpr std::uint32_t kEnough = 300; // operators: more than any thread but the training one runs in a moment
constexpr std::int64_t kLongest = kSecond;
constexpr std::uint32_t kFunctionScope = 0; // at::RecordScope::FUNCTION

bool (*g_profilerEnabled)() = nullptr;
std::atomic<std::uint32_t> g_asked{0};
std::atomic<bool> g_running{false};

// The hidden-result convention of at::RecordFunctionCallback's start, as in operators.cpp.
void *onStart(void **result, const void * /*recordFunction*/) noexcept
{
    *result = nullptr;
    if (g_profilerEnabled())
        g_running.store(true, std::memory_order_relaxed);
    g_asked.fetch_add(1, std::memory_order_relaxed);
    return result;
}

void onEnd(const void * /*recordFunction*/, void * /*context*/) noexcept { }

} // namespace

bool ownProfilerIsIdle(const TorchLibrary &torch) noexcept
{
    g_profilerEnabled = torch.profilerEnabledFunction();
    if (!torch.observable() || !g_profilerEnabled)
        return false;
    g_asked.store(0);
    g_running.store(false);
    const std::uint64_t handle =
        torch.add(reinterpret_cast<void *>(onStart), reinterpret_cast<void *>(onEnd), kFunctionScope);
    if (handle == 0)
        return false;
    const std::int64_t until = hostNow() + kLongest;
    while (g_asked.load() < kEnough && !g_running.load() && hostNow() < until) {
        const timespec pause{0, kMillisecond};
        nanosleep(&pause, nullptr);
    }
    torch.remove(handle);
    return g_asked.load() != 0 && !g_running.load();
}

bool anotherToolIsLoaded() noexcept
{
    for (const char *library : {"libToolsInjection", "libcuda-injection", "libsanitizer-collection"}) {
        if (!mappedLibrary(library).empty())
            return true;
    }
    const char *injection = std::getenv("CUDA_INJECTION64_PATH");
    const bool foreign =
        injection && *injection && std::strcmp(injection, "none") != 0 && !std::strstr(injection, "libtuneline_agent");
    const char *daemon = std::getenv("KINETO_USE_DAEMON");
    return foreign || (daemon && *daemon && *daemon != '0');
}

bool isTraced() noexcept
{
    try {
        const std::string status = readFile("/proc/self/status");
        const std::size_t at = status.find("TracerPid:");
        return at == std::string::npos
            || std::strtol(status.c_str() + at + std::strlen("TracerPid:"), nullptr, 10) != 0;
    } catch (...) {
        return true; // no memory: nothing is risked
    }
}

} // namespace tuneline::agent
