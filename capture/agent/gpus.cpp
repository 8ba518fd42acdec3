// SPDX-License-Identifier: MIT
#include "capture/agent/gpus.h"

#include "capture/agent/target.h"

#include <dlfcn.h>

namespace tuneline::agent {

namespace {

// CUdevice_attribute
constexpr int kMultiprocessors = 16;
constexpr int kThreadsPerMultiprocessor = 39;
constexpr int kComputeMajor = 75;
constexpr int kComputeMinor = 76;

template <typename Function> Function symbol(void *library, const char *name) noexcept
{
    return reinterpret_cast<Function>(dlsym(library, name));
}

} // namespace

void writeGpus(JsonWriter &json)
{
    void *cuda = openMapped("libcuda.so");
    if (!cuda)
        return;
    int version = 0;
    if (const auto get = symbol<int (*)(int *)>(cuda, "cuDriverGetVersion"); get && get(&version) == 0)
        json.number("cuda_driver_version", version);
    // These answer CUDA_ERROR_NOT_INITIALIZED until the program itself has called cuInit.
    const auto count = symbol<int (*)(int *)>(cuda, "cuDeviceGetCount");
    const auto device = symbol<int (*)(int *, int)>(cuda, "cuDeviceGet");
    const auto name = symbol<int (*)(char *, int, int)>(cuda, "cuDeviceGetName");
    const auto memory = symbol<int (*)(std::size_t *, int)>(cuda, "cuDeviceTotalMem_v2");
    const auto attribute = symbol<int (*)(int *, int, int)>(cuda, "cuDeviceGetAttribute");
    int devices = 0;
    if (!count || !device || !name || !memory || !attribute || count(&devices) != 0)
        return;
    json.beginArray("gpus");
    for (int id = 0; id < devices; ++id) {
        int handle = 0;
        if (device(&handle, id) != 0)
            continue;
        json.beginObject();
        json.number("id", id);
        char text[256] = {};
        if (name(text, sizeof text - 1, handle) == 0)
            json.text("name", text);
        if (std::size_t bytes = 0; memory(&bytes, handle) == 0)
            json.number("memory_bytes", static_cast<std::int64_t>(bytes));
        const auto number = [&](const char *key, int which) {
            if (int value = 0; attribute(&value, which, handle) == 0)
                json.number(key, value);
        };
        number("compute_major", kComputeMajor);
        number("compute_minor", kComputeMinor);
        number("multiprocessors", kMultiprocessors);
        number("max_threads_per_multiprocessor", kThreadsPerMultiprocessor);
        json.endObject();
    }
    json.endArray();
}

} // namespace tuneline::agent
