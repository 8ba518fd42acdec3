// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/counters.h"

#include <charconv>

namespace tuneline::analysis {
namespace {

struct Known
{
    std::string_view name; // without "gpuN/"
    CounterKind kind;
    std::string_view unit, title;
};

constexpr Known kOfMachine[] = {
    {"cpu/used_share", CounterKind::CpuUsed, "share", "All CPUs, used"},
    {"cpu/process_cores", CounterKind::ProcessCores, "cores", "CPUs used by the process"},
    {"memory/process_rss_bytes", CounterKind::ProcessMemory, "B", "Memory of the process"},
};
constexpr Known kOfGpu[] = {
    {"used_share", CounterKind::GpuUsed, "share", "used (NVML)"},
    {"memory_busy_share", CounterKind::GpuMemoryBusy, "share", "memory busy (NVML)"},
    {"memory_used_bytes", CounterKind::GpuMemoryUsed, "B", "memory, all processes"},
    {"clock/sm_mhz", CounterKind::SmClock, "MHz", "SM clock"},
    {"clock/memory_mhz", CounterKind::MemoryClock, "MHz", "memory clock"},
    {"power_watts", CounterKind::Power, "W", "power"},
    {"temperature_c", CounterKind::Temperature, "°C", "temperature"},
    {"throttle_reasons", CounterKind::ThrottleReasons, "", "throttle reasons"},
};
constexpr std::string_view kThrottle = "throttle/";

// The number in "gpu3/…"; −1 = no such name. `name` keeps what is behind the slash.
int takeDevice(std::string_view &name)
{
    if (!name.starts_with("gpu"))
        return -1;
    int device = -1;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), device);
    if (error != std::errc() || end == name.data() + name.size() || *end != '/' || device < 0)
        return -1;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()) + 1);
    return device;
}

const Known *find(std::string_view name, int device)
{
    if (device < 0) {
        for (const Known &known : kOfMachine)
            if (known.name == name)
                return &known;
        return nullptr;
    }
    for (const Known &known : kOfGpu)
        if (known.name == name)
            return &known;
    return nullptr;
}

} // namespace

CounterMeaning counterMeaning(std::string_view name)
{
    const int device = takeDevice(name);
    if (const Known *known = find(name, device))
        return {known->kind, device, {}};
    if (device >= 0 && name.starts_with(kThrottle))
        return {CounterKind::ThrottleReason, device, name.substr(kThrottle.size())};
    return {};
}

std::string_view counterUnit(std::string_view name)
{
    std::string_view rest = name;
    const int device = takeDevice(rest);
    if (const Known *known = find(rest, device))
        return known->unit;
    return name.ends_with("_bytes") ? "B"
        : name.ends_with("_share")  ? "share"
        : name.ends_with("_mhz")    ? "MHz"
        : name.ends_with("_cores")  ? "cores"
                                    : "";
}

std::string counterTitle(std::string_view name)
{
    std::string_view rest = name;
    const int device = takeDevice(rest);
    const std::string gpu = device < 0 ? std::string() : "GPU " + std::to_string(device) + ' ';
    if (const Known *known = find(rest, device))
        return gpu + std::string(known->title);
    if (device >= 0 && rest.starts_with(kThrottle)) {
        for (const ThrottleReason &reason : kThrottleReasons)
            if (reason.key == rest.substr(kThrottle.size()))
                return gpu + "held back by " + std::string(reason.words);
    }
    return std::string(name);
}

} // namespace tuneline::analysis
