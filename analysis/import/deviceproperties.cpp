// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/deviceproperties.h"

#include <nlohmann/json.hpp>

namespace tuneline::analysis {
namespace {

using nlohmann::json;

template <typename T> T number(const json &object, const char *key, T unknown)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_number() ? member->get<T>() : unknown;
}

std::string text(const json &object, const char *key)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

void readProcesses(const json &entry, DeviceProperties &device)
{
    device.otherProcesses = number(entry, "other_processes", -1);
    const auto list = entry.find("processes");
    if (list == entry.end() || !list->is_array())
        return;
    for (const json &process : *list) {
        if (process.is_object())
            device.processes.push_back({number<std::int64_t>(process, "pid", -1), text(process, "name"),
                                        number<std::int64_t>(process, "memory_bytes", -1),
                                        number(process, "used_share", -1.0)});
    }
}

// Only captures have these: from NVML.
void readState(const json &entry, DeviceProperties &device)
{
    device.uuid = text(entry, "uuid");
    device.smClockMaxMhz = number(entry, "clock_sm_max_mhz", -1);
    device.powerLimitWatts = number(entry, "power_limit_watts", -1.0);
    device.pcieGeneration = number(entry, "pcie_generation", -1);
    device.pcieGenerationMax = number(entry, "pcie_generation_max", -1);
    device.pcieWidth = number(entry, "pcie_width", -1);
    device.pcieWidthMax = number(entry, "pcie_width_max", -1);
    readProcesses(entry, device);
}

} // namespace

void readDevices(const json &list, DeviceSpelling spelling, Source &source)
{
    const bool kineto = spelling == DeviceSpelling::Kineto;
    const auto pick = [kineto](const char *capture, const char *other) { return kineto ? other : capture; };
    for (const json &entry : list.is_array() ? list : json::array()) {
        if (!entry.is_object())
            continue;
        DeviceProperties device;
        device.id = number(entry, "id", static_cast<int>(source.devices.size()));
        device.name = text(entry, "name");
        device.memoryBytes = number<std::int64_t>(entry, pick("memory_bytes", "totalGlobalMem"), -1);
        device.computeMajor = number(entry, pick("compute_major", "computeMajor"), -1);
        device.computeMinor = number(entry, pick("compute_minor", "computeMinor"), -1);
        device.multiprocessors = number(entry, pick("multiprocessors", "numSms"), -1);
        device.maxThreadsPerMultiprocessor =
            number(entry, pick("max_threads_per_multiprocessor", "maxThreadsPerMultiprocessor"), -1);
        if (!kineto)
            readState(entry, device);
        source.devices.push_back(std::move(device));
    }
}

} // namespace tuneline::analysis
