// SPDX-License-Identifier: MIT
#include "capture/agent/gpus.h"

#include "capture/agent/target.h"

#include <array>
#include <cstdio>
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

// Null where the driver hasn't got them. All but cuDriverGetVersion answer CUDA_ERROR_NOT_INITIALIZED until the program
// itself has called cuInit.
struct Driver
{
    explicit Driver(void *cuda) noexcept
        : count(symbol<int (*)(int *)>(cuda, "cuDeviceGetCount"))
        , device(symbol<int (*)(int *, int)>(cuda, "cuDeviceGet"))
        , name(symbol<int (*)(char *, int, int)>(cuda, "cuDeviceGetName"))
        , memory(symbol<int (*)(std::size_t *, int)>(cuda, "cuDeviceTotalMem_v2"))
        , attribute(symbol<int (*)(int *, int, int)>(cuda, "cuDeviceGetAttribute"))
        , pciBusId(symbol<int (*)(char *, int, int)>(cuda, "cuDeviceGetPCIBusId"))
        , uuid(symbol<int (*)(unsigned char *, int)>(cuda, "cuDeviceGetUuid"))
        , contextState(symbol<int (*)(int, unsigned *, int *)>(cuda, "cuDevicePrimaryCtxGetState"))
    { }

    int (*count)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*memory)(std::size_t *, int);
    int (*attribute)(int *, int, int);
    int (*pciBusId)(char *, int, int);
    int (*uuid)(unsigned char *, int);
    int (*contextState)(int, unsigned *, int *);

    [[nodiscard]] int devices() const noexcept
    {
        int number = 0;
        return count && device && count(&number) == 0 ? number : 0;
    }
    [[nodiscard]] std::string pciBusIdOf(int handle) const
    {
        char text[32] = {};
        return pciBusId && pciBusId(text, sizeof text - 1, handle) == 0 ? std::string(text) : std::string();
    }
};

std::string uuidText(const std::array<unsigned char, 16> &bytes)
{
    std::string text = "GPU";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[i]));
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += digits;
    }
    return text;
}

void writeGpu(JsonWriter &json, const Driver &driver, int id, int handle)
{
    json.number("id", id);
    char text[256] = {};
    if (driver.name && driver.name(text, sizeof text - 1, handle) == 0)
        json.text("name", text);
    if (const std::string bus = driver.pciBusIdOf(handle); !bus.empty())
        json.text("pci_bus_id", bus);
    if (std::size_t bytes = 0; driver.memory && driver.memory(&bytes, handle) == 0)
        json.number("memory_bytes", static_cast<std::int64_t>(bytes));
    const auto number = [&](const char *key, int which) {
        if (int value = 0; driver.attribute && driver.attribute(&value, which, handle) == 0)
            json.number(key, value);
    };
    number("compute_major", kComputeMajor);
    number("compute_minor", kComputeMinor);
    number("multiprocessors", kMultiprocessors);
    number("max_threads_per_multiprocessor", kThreadsPerMultiprocessor);
}

} // namespace

std::vector<GpuAddress> gpusInUse()
{
    std::vector<GpuAddress> found;
    void *cuda = openMapped("libcuda.so");
    if (!cuda)
        return found;
    const Driver driver(cuda);
    for (int id = 0; id < driver.devices(); ++id) {
        int handle = 0;
        unsigned flags = 0;
        int active = 0;
        // A rank of eight sees eight GPUs and uses one.
        if (driver.device(&handle, id) != 0 || !driver.contextState || driver.contextState(handle, &flags, &active) != 0
            || active == 0)
            continue;
        GpuAddress address{id, driver.pciBusIdOf(handle), {}};
        std::array<unsigned char, 16> uuid{};
        if (driver.uuid && driver.uuid(uuid.data(), handle) == 0)
            address.uuid = uuidText(uuid);
        found.push_back(std::move(address));
    }
    return found;
}

void writeGpus(JsonWriter &json, const std::function<void(JsonWriter &, int)> &more)
{
    void *cuda = openMapped("libcuda.so");
    if (!cuda)
        return;
    int version = 0;
    if (const auto get = symbol<int (*)(int *)>(cuda, "cuDriverGetVersion"); get && get(&version) == 0)
        json.number("cuda_driver_version", version);
    const Driver driver(cuda);
    if (driver.devices() == 0)
        return;
    json.beginArray("gpus");
    for (int id = 0; id < driver.devices(); ++id) {
        int handle = 0;
        if (driver.device(&handle, id) != 0)
            continue;
        json.beginObject();
        writeGpu(json, driver, id, handle);
        if (more)
            more(json, id);
        json.endObject();
    }
    json.endArray();
}

} // namespace tuneline::agent
