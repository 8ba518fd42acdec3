// SPDX-License-Identifier: MIT
// A stand-in for the driver's libcuda.so.1, as far as the agent asks it: three GPUs, of which the program uses the
// first and, with FAKE_CUDA_USED=2, the second. The third stands for those that are visible and unused.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
EXPORT int cuDeviceGetCount(int *count)
{
    *count = 3;
    return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal + 100; // handles are not ordinals
    return 0;
}
EXPORT int cuDeviceGetName(char *name, int length, int)
{
    std::snprintf(name, static_cast<std::size_t>(length), "%s", "Fake H200");
    return 0;
}
EXPORT int cuDeviceTotalMem_v2(std::size_t *bytes, int)
{
    *bytes = std::size_t{80} << 30;
    return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int)
{
    *value = attribute == 75 ? 9 : attribute == 16 ? 132 : 0;
    return 0;
}
EXPORT int cuDeviceGetPCIBusId(char *text, int length, int device)
{
    // The first is found by its UUID only.
    static const char *const kIds[] = {"0000:99:00.0", "0000:af:00.0", "0000:c1:00.0"};
    std::snprintf(text, static_cast<std::size_t>(length), "%s", kIds[device - 100]);
    return 0;
}
EXPORT int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    for (int i = 0; i < 16; ++i)
        uuid[i] = static_cast<unsigned char>(device == 100 ? i : 255);
    return 0;
}
EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    const char *used = std::getenv("FAKE_CUDA_USED");
    *flags = 0;
    *active = device - 100 < (used ? std::atoi(used) : 1) ? 1 : 0;
    return 0;
}
