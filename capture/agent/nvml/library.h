// SPDX-License-Identifier: MIT
// NVIDIA's management library, loaded by name: no header of NVIDIA's is needed and no driver version is required. Each
// function may be missing (old driver) and each call may fail (not supported by this GPU): then the fact isn't known.
// Numbers and layouts are those of the public NVML API reference. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tuneline::agent::nvml {

using Device = void *; // nvmlDevice_t

inline constexpr int kSuccess = 0;
inline constexpr int kInsufficientSize = 7; // the count says how many are needed
inline constexpr unsigned kClockSm = 1, kClockMemory = 2; // nvmlClockType_t
inline constexpr unsigned kTemperatureGpu = 0; // nvmlTemperatureSensors_t
inline constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0}; // NVML_VALUE_NOT_AVAILABLE

struct Utilisation // nvmlUtilization_t, per cent
{
    std::uint32_t gpu = 0, memory = 0;
};
struct Memory // nvmlMemory_t, bytes
{
    std::uint64_t total = 0, free = 0, used = 0;
};
struct ProcessV1 // nvmlProcessInfo_v1_t
{
    std::uint32_t pid = 0;
    std::uint64_t memory = 0;
};
struct Process // nvmlProcessInfo_t of _v2 and _v3
{
    std::uint32_t pid = 0;
    std::uint64_t memory = 0;
    std::uint32_t gpuInstance = 0, computeInstance = 0;
};
static_assert(sizeof(ProcessV1) == 16 && sizeof(Process) == 24);
struct ProcessUse // nvmlProcessUtilizationSample_t, per cent
{
    std::uint32_t pid = 0;
    std::uint64_t time = 0; // µs
    std::uint32_t sm = 0, memory = 0, encoder = 0, decoder = 0;
};
static_assert(sizeof(ProcessUse) == 32);

// Null where the library hasn't got it.
struct Functions
{
    int (*shutdown)() = nullptr;
    const char *(*errorText)(int) = nullptr;
    int (*driverVersion)(char *, unsigned) = nullptr;
    int (*byPciBusId)(const char *, Device *) = nullptr;
    int (*byUuid)(const char *, Device *) = nullptr;
    int (*uuid)(Device, char *, unsigned) = nullptr;
    int (*utilisation)(Device, Utilisation *) = nullptr;
    int (*memory)(Device, Memory *) = nullptr;
    int (*clock)(Device, unsigned, unsigned *) = nullptr;
    int (*maxClock)(Device, unsigned, unsigned *) = nullptr;
    int (*power)(Device, unsigned *) = nullptr; // mW
    int (*powerLimit)(Device, unsigned *) = nullptr; // mW, the one in force
    int (*temperature)(Device, unsigned, unsigned *) = nullptr;
    int (*throttleReasons)(Device, std::uint64_t *) = nullptr;
    int (*eccMode)(Device, unsigned *, unsigned *) = nullptr;
    int (*persistenceMode)(Device, unsigned *) = nullptr;
    int (*pcieGeneration)(Device, unsigned *) = nullptr;
    int (*pcieWidth)(Device, unsigned *) = nullptr;
    int (*maxPcieGeneration)(Device, unsigned *) = nullptr;
    int (*maxPcieWidth)(Device, unsigned *) = nullptr;
    int (*processes)(Device, unsigned *, Process *) = nullptr;
    int (*processesV1)(Device, unsigned *, ProcessV1 *) = nullptr;
    int (*processUse)(Device, ProcessUse *, unsigned *, std::uint64_t) = nullptr;
};

class Library
{
public:
    // Loads and initialises: about 10 ms. Null without NVML or when it refuses; `why` says it in words, empty = there
    // is none. TUNELINE_NVML_LIBRARY names another file.
    static std::unique_ptr<Library> open(std::string &why);
    ~Library(); // shuts NVML down again, which closes its descriptors; the library stays mapped
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    // By PCI bus id, else by UUID; null if neither finds it.
    [[nodiscard]] Device find(const std::string &pciBusId, const std::string &uuid) const noexcept;
    [[nodiscard]] const Functions &functions() const noexcept { return m_functions; }
    [[nodiscard]] std::string driverVersion() const; // "" = not known

private:
    Library() = default;
    Functions m_functions;
};

// True if there is such a function and it did its work.
template <typename... Parameters, typename... Arguments>
[[nodiscard]] bool ask(int (*function)(Parameters...), Arguments... arguments) noexcept
{
    return function && function(arguments...) == kSuccess;
}

} // namespace tuneline::agent::nvml
