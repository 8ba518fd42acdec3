// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/machine.h"

#include "analysis/findings/words.h"
#include "analysis/trace/counters.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {
namespace {

using nlohmann::json;

template <typename T> json orNull(const std::optional<T> &value)
{
    return value ? json(*value) : json(nullptr);
}

json known(double value)
{
    return value < 0 ? json(nullptr) : json(value);
}

json known(std::int64_t value)
{
    return value < 0 ? json(nullptr) : json(value);
}

json processesJson(const DeviceProperties &device)
{
    json list = json::array();
    for (const DeviceProcess &p : device.processes)
        list.push_back({{"pid", known(p.pid)},
                        {"name", p.name.empty() ? json(nullptr) : json(p.name)},
                        {"memory_bytes", known(p.memoryBytes)},
                        {"used_share", known(p.usedShare)}});
    return list;
}

json reasonsJson(std::uint32_t bits)
{
    json list = json::array();
    for (const ThrottleReason &reason : kThrottleReasons) {
        if ((bits & reason.bit) != 0)
            list.push_back(reason.key);
    }
    return list;
}

json gpuJson(const Trace &trace, const GpuState &g)
{
    json out{{"id", g.device},
             {"rank", orNull(trace.sources[g.source.value].rank)},
             {"samples", g.samples},
             {"used_share", orNull(g.usedShare)},
             {"memory_used_bytes", orNull(g.memoryUsedBytes)},
             {"clock_sm_mhz", orNull(g.smClockMhz)},
             {"clock_sm_lowest_mhz", orNull(g.lowestClockMhz)},
             {"clock_sm_max_mhz", orNull(g.smClockMaxMhz)},
             {"power_watts", orNull(g.powerWatts)},
             {"power_limit_watts", orNull(g.powerLimitWatts)},
             {"temperature_c", orNull(g.temperatureC)},
             {"throttle_reasons", g.limitedShare ? reasonsJson(g.reasons) : json(nullptr)},
             {"limited_share", orNull(g.limitedShare)}};
    if (const DeviceProperties *d = g.properties)
        out.update({{"uuid", d->uuid.empty() ? json(nullptr) : json(d->uuid)},
                    {"pcie_generation", known(std::int64_t{d->pcieGeneration})},
                    {"pcie_generation_max", known(std::int64_t{d->pcieGenerationMax})},
                    {"pcie_width", known(std::int64_t{d->pcieWidth})},
                    {"pcie_width_max", known(std::int64_t{d->pcieWidthMax})},
                    {"other_processes", known(std::int64_t{d->otherProcesses})},
                    {"processes", processesJson(*d)}});
    return out;
}

std::string of(const std::optional<double> &value, const std::optional<double> &most, const char *unit)
{
    return value ? numberText(*value) + (most ? " of " + numberText(*most) : std::string()) + unit : std::string();
}

void append(std::string &line, const std::string &part)
{
    if (!part.empty())
        line += (line.ends_with(": ") ? "" : ", ") + part;
}

std::string gpuLine(const GpuState &g)
{
    std::string line = "GPU " + std::to_string(g.device) + " while recorded: ";
    append(line, g.usedShare ? percentText(*g.usedShare) + " used (NVML)" : std::string());
    append(line, of(g.smClockMhz, g.smClockMaxMhz, " MHz"));
    append(line, of(g.powerWatts, g.powerLimitWatts, " W"));
    append(line, of(g.temperatureC, std::nullopt, " °C"));
    append(line, g.memoryUsedBytes ? bytesText(*g.memoryUsedBytes) + " of memory in use" : std::string());
    if (const std::string words = limitingWords(g.reasons); !words.empty())
        append(line, "held back by " + words + " in " + percentText(g.limitedShare.value_or(0)) + " of the samples");
    const DeviceProperties *d = g.properties;
    if (d && d->pcieWidth > 0 && (d->pcieWidth < d->pcieWidthMax || d->pcieGeneration < d->pcieGenerationMax))
        append(line,
               "PCIe " + std::to_string(d->pcieGeneration) + " x" + std::to_string(d->pcieWidth) + " (could be "
                   + std::to_string(d->pcieGenerationMax) + " x" + std::to_string(d->pcieWidthMax) + ')');
    if (const std::string others = d ? otherProcesses(*d) : std::string(); !others.empty())
        append(line, "shared with " + others);
    return line;
}

// What a capture's metadata say about the machine, under their own keys (FORMAT.md).
json machineOf(const Source &source)
{
    if (source.format != SourceFormat::Tuneline)
        return nullptr;
    const json metadata = json::parse(source.metadataJson, nullptr, false);
    json machine = json::object();
    for (const char *key :
         {"hostname", "cpu_model", "cpu_count", "cpu_usable", "cpu_quota_cores", "cpu_governor", "load_average",
          "memory_bytes", "memory_available_bytes", "memory_limit_bytes", "gpu_driver", "nvml", "disks"}) {
        if (metadata.is_object() && metadata.contains(key))
            machine[key] = metadata[key];
    }
    return machine.empty() ? json(nullptr) : machine;
}

double numberOf(const json &object, const char *key)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_number() ? member->get<double>() : -1;
}

std::string textOf(const json &object, const char *key)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

std::string machineLine(const json &machine)
{
    std::string line = "Machine: ";
    const double all = numberOf(machine, "cpu_count"), usable = numberOf(machine, "cpu_usable");
    if (all > 0)
        append(line,
               numberText(all) + " CPUs"
                   + (usable > 0 && usable < all ? " (" + numberText(usable) + " usable)" : std::string()));
    if (const double quota = numberOf(machine, "cpu_quota_cores"); quota > 0)
        append(line, "limited to " + numberText(quota) + " of them");
    if (const auto load = machine.find("load_average");
        load != machine.end() && load->is_array() && !load->empty() && load->front().is_number())
        append(line, "load " + numberText(load->front().get<double>()));
    if (const std::string governor = textOf(machine, "cpu_governor"); !governor.empty())
        append(line, "CPU governor " + governor);
    if (const double available = numberOf(machine, "memory_available_bytes"); available >= 0)
        append(line, bytesText(available) + " of memory free");
    return line;
}

std::string diskLine(const json &disk)
{
    std::string line = "Disk of " + textOf(disk, "path") + ": ";
    append(line, textOf(disk, "device") + " (" + textOf(disk, "fs") + ')');
    if (const auto turns = disk.find("rotational"); turns != disk.end() && turns->is_boolean() && turns->get<bool>())
        append(line, "rotating");
    if (const double free = numberOf(disk, "free_bytes"); free >= 0)
        append(line, bytesText(free) + " free");
    return line;
}

} // namespace

json machinesJson(const Trace &trace)
{
    json list = json::array();
    for (const Source &source : trace.sources)
        list.push_back(machineOf(source));
    return list;
}

json gpusJson(const Trace &trace)
{
    json list = json::array();
    for (const GpuState &g : gpuStates(trace))
        list.push_back(gpuJson(trace, g));
    return list;
}

std::vector<std::string> machineLines(const Trace &trace)
{
    std::vector<std::string> lines;
    std::vector<std::string> hosts; // ranks of one machine say the same
    for (const Source &source : trace.sources) {
        const json machine = machineOf(source);
        if (!machine.is_object() || std::find(hosts.begin(), hosts.end(), textOf(machine, "hostname")) != hosts.end())
            continue;
        hosts.push_back(textOf(machine, "hostname"));
        lines.push_back(machineLine(machine));
        const auto disks = machine.find("disks");
        std::vector<std::string> told; // the output's and the folder's disk are mostly one
        for (const json &disk : disks != machine.end() && disks->is_array() ? *disks : json::array()) {
            if (disk.is_object() && std::find(told.begin(), told.end(), textOf(disk, "mount")) == told.end()) {
                told.push_back(textOf(disk, "mount"));
                lines.push_back(diskLine(disk));
            }
        }
    }
    for (const GpuState &g : gpuStates(trace))
        lines.push_back(gpuLine(g));
    return lines;
}

} // namespace tuneline::analysis
