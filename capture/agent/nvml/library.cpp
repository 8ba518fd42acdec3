// SPDX-License-Identifier: MIT
#include "capture/agent/nvml/library.h"

#include "capture/agent/forkguard.h"
#include "capture/agent/log.h"

#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>

namespace tuneline::agent::nvml {

namespace {

void *openLibrary() noexcept
{
    const ForkGuard guard;
    const char *chosen = std::getenv("TUNELINE_NVML_LIBRARY");
    if (chosen && *chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    return dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
}

// The first of these names that the library has: newer drivers rename functions and keep the old ones for a while.
template <typename Function>
void resolve(void *handle, Function &function, std::initializer_list<const char *> names) noexcept
{
    for (const char *name : names) {
        function = reinterpret_cast<Function>(dlsym(handle, name));
        if (function)
            return;
    }
    logLine("NVML has no %s", *names.begin());
}

void resolveAll(void *handle, Functions &f) noexcept
{
    resolve(handle, f.shutdown, {"nvmlShutdown"});
    resolve(handle, f.errorText, {"nvmlErrorString"});
    resolve(handle, f.driverVersion, {"nvmlSystemGetDriverVersion"});
    resolve(handle, f.byPciBusId, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
    resolve(handle, f.byUuid, {"nvmlDeviceGetHandleByUUID"});
    resolve(handle, f.uuid, {"nvmlDeviceGetUUID"});
    resolve(handle, f.utilisation, {"nvmlDeviceGetUtilizationRates"});
    resolve(handle, f.memory, {"nvmlDeviceGetMemoryInfo"});
    resolve(handle, f.clock, {"nvmlDeviceGetClockInfo"});
    resolve(handle, f.maxClock, {"nvmlDeviceGetMaxClockInfo"});
    resolve(handle, f.power, {"nvmlDeviceGetPowerUsage"});
    resolve(handle, f.powerLimit, {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"});
    resolve(handle, f.temperature, {"nvmlDeviceGetTemperature"});
    resolve(handle, f.throttleReasons,
            {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    resolve(handle, f.eccMode, {"nvmlDeviceGetEccMode"});
    resolve(handle, f.persistenceMode, {"nvmlDeviceGetPersistenceMode"});
    resolve(handle, f.pcieGeneration, {"nvmlDeviceGetCurrPcieLinkGeneration"});
    resolve(handle, f.pcieWidth, {"nvmlDeviceGetCurrPcieLinkWidth"});
    resolve(handle, f.maxPcieGeneration, {"nvmlDeviceGetMaxPcieLinkGeneration"});
    resolve(handle, f.maxPcieWidth, {"nvmlDeviceGetMaxPcieLinkWidth"});
    resolve(handle, f.processes,
            {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    // Without a suffix it takes the two-field struct, in every driver.
    resolve(handle, f.processesV1, {"nvmlDeviceGetComputeRunningProcesses"});
    resolve(handle, f.processUse, {"nvmlDeviceGetProcessUtilization"});
}

} // namespace

std::unique_ptr<Library> Library::open(std::string &why)
{
    why.clear();
    void *handle = openLibrary();
    if (!handle)
        return nullptr;
    int (*init)() = nullptr;
    resolve(handle, init, {"nvmlInit_v2", "nvmlInit"});
    std::unique_ptr<Library> library(new Library);
    Functions &functions = library->m_functions;
    resolveAll(handle, functions);
    const int result = init ? init() : -1;
    if (result == kSuccess)
        return library;
    functions.shutdown = nullptr; // nothing was begun
    const char *text = init && functions.errorText ? functions.errorText(result) : nullptr;
    why = init ? "NVML can't be used: " + (text ? std::string(text) : "error " + std::to_string(result))
               : "NVML can't be used: this libnvidia-ml has no nvmlInit";
    logLine("%s", why.c_str());
    return nullptr;
}

Library::~Library()
{
    if (m_functions.shutdown)
        m_functions.shutdown();
}

Device Library::find(const std::string &pciBusId, const std::string &uuid) const noexcept
{
    Device device = nullptr;
    if (!pciBusId.empty() && ask(m_functions.byPciBusId, pciBusId.c_str(), &device))
        return device;
    if (!uuid.empty() && ask(m_functions.byUuid, uuid.c_str(), &device))
        return device;
    return nullptr;
}

std::string Library::driverVersion() const
{
    char text[96] = {};
    return ask(m_functions.driverVersion, text, 95U) ? std::string(text) : std::string();
}

} // namespace tuneline::agent::nvml
