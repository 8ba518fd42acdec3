// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/deviceproperties.h"

#include "analysis/import/jsonnumber.h"
#include <nlohmann/json.hpp>

namespace tuneline::analysis {
namespace {

using nlohmann::json;

std::string text(const json &object, const char *key)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

void readProcesses(const json &entry, DeviceProperties &device)
{
    device.otherProcesses = numberIn(entry, "other_processes", -1);
    const auto list = entry.find("processes");
    if (list == entry.end() || !list->is_array())
        return;
    for (const json &process : *list) {
        if (process.is_object())
            device.processes.push_back({numberIn<std::int64_t>(process, "pid", -1), text(process, "name"),
                                        numberIn<std::int64_t>(process, "memory_bytes", -1),
                                        numberIn(process, "used_share", -1.0)});
    }
}

json writeState(const DeviceProperties &device)
{
    json processes = json::array();
    for (const DeviceProcess &process : device.processes)
        processes.push_back({{"pid", process.pid},
                             {"name", process.name},
                             {"memory_bytes", process.memoryBytes},
                             {"used_share", process.usedShare}});
    return {{"uuid", device.uuid},
            {"clock_sm_max_mhz", device.smClockMaxMhz},
            {"power_limit_watts", device.powerLimitWatts},
            {"pcie_generation", device.pcieGeneration},
            {"pcie_generation_max", device.pcieGenerationMax},
            {"pcie_width", device.pcieWidth},
            {"pcie_width_max", device.pcieWidthMax},
            {"other_processes", device.otherProcesses},
            {"processes", std::move(processes)}};
}

// Only captures have these: from NVML.
void readState(const json &entry, DeviceProperties &device)
{
    device.uuid = text(entry, "uuid");
    device.smClockMaxMhz = numberIn(entry, "clock_sm_max_mhz", -1);
    device.powerLimitWatts = numberIn(entry, "power_limit_watts", -1.0);
    device.pcieGeneration = numberIn(entry, "pcie_generation", -1);
    device.pcieGenerationMax = numberIn(entry, "pcie_generation_max", -1);
    device.pcieWidth = numberIn(entry, "pcie_width", -1);
    device.pcieWidthMax = numberIn(entry, "pcie_width_max", -1);
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
        device.id = numberIn(entry, "id", static_cast<int>(source.devices.size()));
        device.name = text(entry, "name");
        device.memoryBytes = numberIn<std::int64_t>(entry, pick("memory_bytes", "totalGlobalMem"), -1);
        device.computeMajor = numberIn(entry, pick("compute_major", "computeMajor"), -1);
        device.computeMinor = numberIn(entry, pick("compute_minor", "computeMinor"), -1);
        device.multiprocessors = numberIn(entry, pick("multiprocessors", "numSms"), -1);
        device.maxThreadsPerMultiprocessor =
            numberIn(entry, pick("max_threads_per_multiprocessor", "maxThreadsPerMultiprocessor"), -1);
        if (!kineto)
            readState(entry, device);
        source.devices.push_back(std::move(device));
    }
}

nlohmann::json writeDevices(const Source &source, DeviceSpelling spelling)
{
    const bool kineto = spelling == DeviceSpelling::Kineto;
    const auto pick = [kineto](const char *capture, const char *other) { return kineto ? other : capture; };
    json list = json::array();
    for (const DeviceProperties &device : source.devices) {
        json entry = kineto ? json::object() : writeState(device);
        entry["id"] = device.id;
        entry["name"] = device.name;
        entry[pick("memory_bytes", "totalGlobalMem")] = device.memoryBytes;
        entry[pick("compute_major", "computeMajor")] = device.computeMajor;
        entry[pick("compute_minor", "computeMinor")] = device.computeMinor;
        entry[pick("multiprocessors", "numSms")] = device.multiprocessors;
        entry[pick("max_threads_per_multiprocessor", "maxThreadsPerMultiprocessor")] =
            device.maxThreadsPerMultiprocessor;
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace tuneline::analysis
