// SPDX-License-Identifier: MIT
// A stand-in for libnvidia-ml.so.1: two GPUs at 0000:3b:00.0 and 0000:af:00.0. Layouts are written down here a second
// time, from the NVML API reference, so that a wrong one in the agent shows. Environment:
//   FAKE_NVML_FAIL      number: nvmlInit answers this; with FAKE_NVML_FAIL_CALLS every other call does
//   FAKE_NVML_OTHERS    pid: another process on the first GPU, with 3 GiB, its SM use 37 %
//   FAKE_NVML_NOT_US    our own pid isn't listed (a container): "1"
//   FAKE_NVML_THROTTLE  bits of the throttle reasons, decimal; the SM clock is 1200 of 1980 MHz then
//   FAKE_NVML_LOG       file: one line for init and for shutdown
// Built a second time with TUNELINE_OLD_NVML: a driver that lacks what came later.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kNotSupported = 3, kNotFound = 6, kInsufficientSize = 7;

struct Gpu
{
    const char *bus, *uuid;
};
Gpu g_gpus[] = {{"0000:3b:00.0", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"},
                {"0000:af:00.0", "GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f"}};

std::atomic<int> g_open{0};

long number(const char *variable, long fallback)
{
    const char *text = std::getenv(variable);
    return text ? std::atol(text) : fallback;
}

int failure()
{
    if (g_open == 0)
        return 1; // NVML_ERROR_UNINITIALIZED
    return std::getenv("FAKE_NVML_FAIL_CALLS") ? static_cast<int>(number("FAKE_NVML_FAIL_CALLS", 999)) : 0;
}

void note(const char *what)
{
    const char *path = std::getenv("FAKE_NVML_LOG");
    std::FILE *file = path ? std::fopen(path, "ae") : nullptr;
    if (!file)
        return;
    std::fprintf(file, "%s\n", what);
    std::fclose(file);
}

bool isFirst(const void *device)
{
    return device == &g_gpus[0];
}

template <typename T> int answer(T *to, T value)
{
    const int failed = failure();
    if (failed == 0)
        *to = value;
    return failed;
}

} // namespace

EXPORT int nvmlInit_v2()
{
    if (const long result = number("FAKE_NVML_FAIL", 0); result != 0)
        return static_cast<int>(result);
    ++g_open;
    note("init");
    return 0;
}
EXPORT int nvmlShutdown()
{
    --g_open;
    note("shutdown");
    return 0;
}
EXPORT const char *nvmlErrorString(int result)
{
    return result == 18 ? "Driver/library version mismatch" : "Fake error";
}
EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned length)
{
    std::snprintf(text, length, "%s", "580.42.01");
    return failure();
}
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    for (Gpu &gpu : g_gpus) {
        if (std::strcmp(bus, gpu.bus) == 0)
            return answer<void *>(device, &gpu);
    }
    return kNotFound;
}
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    for (Gpu &gpu : g_gpus) {
        if (std::strcmp(uuid, gpu.uuid) == 0)
            return answer<void *>(device, &gpu);
    }
    return kNotFound;
}
EXPORT int nvmlDeviceGetUUID(void *device, char *text, unsigned length)
{
    std::snprintf(text, length, "%s", static_cast<Gpu *>(device)->uuid);
    return failure();
}

struct Utilisation
{
    unsigned gpu, memory;
};
EXPORT int nvmlDeviceGetUtilizationRates(void *device, Utilisation *use)
{
    return answer(use, isFirst(device) ? Utilisation{93, 41} : Utilisation{12, 4});
}

struct Memory
{
    unsigned long long total, free, used;
};
EXPORT int nvmlDeviceGetMemoryInfo(void *device, Memory *memory)
{
    const unsigned long long used = isFirst(device) ? 20ULL << 30 : 1ULL << 30;
    return answer(memory, Memory{80ULL << 30, (80ULL << 30) - used, used});
}
EXPORT int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *mhz)
{
    const bool held = isFirst(device) && number("FAKE_NVML_THROTTLE", 0) != 0;
    return answer(mhz, type == 2 ? 2619U : type == 1 ? (held ? 1200U : 1965U) : 1U);
}
EXPORT int nvmlDeviceGetMaxClockInfo(void *, unsigned type, unsigned *mhz)
{
    return answer(mhz, type == 2 ? 2619U : type == 1 ? 1980U : 1U);
}
EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    return answer(milliwatts, isFirst(device) ? 512'345U : 90'000U);
}
EXPORT int nvmlDeviceGetTemperature(void *device, unsigned sensor, unsigned *degrees)
{
    return sensor != 0 ? kNotSupported : answer(degrees, isFirst(device) ? 71U : 38U);
}
EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(void *, unsigned *generation)
{
    return answer(generation, 4U);
}
EXPORT int nvmlDeviceGetCurrPcieLinkWidth(void *, unsigned *lanes)
{
    return answer(lanes, 8U);
}
EXPORT int nvmlDeviceGetMaxPcieLinkGeneration(void *, unsigned *generation)
{
    return answer(generation, 5U);
}
EXPORT int nvmlDeviceGetMaxPcieLinkWidth(void *, unsigned *lanes)
{
    return answer(lanes, 16U);
}
EXPORT int nvmlDeviceGetPersistenceMode(void *, unsigned *on)
{
    return answer(on, 1U);
}

struct ProcessV1
{
    unsigned pid;
    unsigned long long memory;
};
EXPORT int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, ProcessV1 *list)
{
    const unsigned most = *count;
    unsigned found = 0;
    const auto add = [&](unsigned pid, unsigned long long memory) {
        if (found < most)
            list[found] = {pid, memory};
        ++found;
    };
    if (failure() != 0)
        return failure();
    add(number("FAKE_NVML_NOT_US", 0) != 0 ? 4'000'001U : static_cast<unsigned>(getpid()), 17ULL << 30);
    if (const long other = number("FAKE_NVML_OTHERS", 0); other != 0 && isFirst(device))
        add(static_cast<unsigned>(other), 3ULL << 30);
    *count = found;
    return found > most ? kInsufficientSize : 0;
}

#ifdef TUNELINE_OLD_NVML
EXPORT int nvmlDeviceGetPowerManagementLimit(void *, unsigned *milliwatts)
{
    return answer(milliwatts, 700'000U);
}
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    return answer(reasons, isFirst(device) ? static_cast<unsigned long long>(number("FAKE_NVML_THROTTLE", 0)) : 0ULL);
}
#else
EXPORT int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *milliwatts)
{
    return answer(milliwatts, 700'000U);
}
EXPORT int nvmlDeviceGetEccMode(void *, unsigned *now, unsigned *pending)
{
    *pending = 0;
    return answer(now, 1U);
}
EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons)
{
    return answer(reasons, isFirst(device) ? static_cast<unsigned long long>(number("FAKE_NVML_THROTTLE", 0)) : 0ULL);
}

struct Process
{
    unsigned pid;
    unsigned long long memory;
    unsigned gpuInstance, computeInstance;
};
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, Process *list)
{
    ProcessV1 plain[8];
    unsigned found = *count < 8 ? *count : 8;
    const int result = nvmlDeviceGetComputeRunningProcesses(device, &found, plain);
    for (unsigned i = 0; result == 0 && i < found; ++i)
        list[i] = {plain[i].pid, plain[i].memory, 0xFFFFFFFFU, 0xFFFFFFFFU};
    *count = found;
    return result;
}

struct ProcessUse
{
    unsigned pid;
    unsigned long long time;
    unsigned sm, memory, encoder, decoder;
};
// The first question gets a sample of long ago, which must not count; 200 samples, so that it must be asked twice.
EXPORT int nvmlDeviceGetProcessUtilization(void *, ProcessUse *list, unsigned *count, unsigned long long since)
{
    constexpr unsigned kSamples = 200;
    if (failure() != 0)
        return failure();
    if (*count < kSamples) {
        *count = kSamples;
        return kInsufficientSize;
    }
    for (unsigned i = 0; i < kSamples; ++i)
        list[i] = {
            static_cast<unsigned>(number("FAKE_NVML_OTHERS", 0)), since + 1 + i, since == 0 ? 99U : 37U, 0, 0, 0};
    *count = kSamples;
    return 0;
}
#endif
