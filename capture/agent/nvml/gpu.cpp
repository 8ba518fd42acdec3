// SPDX-License-Identifier: MIT
#include "capture/agent/nvml/gpu.h"

#include "capture/agent/names.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unistd.h>
#include <vector>

namespace tuneline::agent::nvml {

namespace {

constexpr unsigned kMostProcesses = 128;

std::string nameOfProcess(std::uint32_t pid)
{
    char path[48];
    std::snprintf(path, sizeof path, "/proc/%u/comm", pid);
    std::FILE *file = std::fopen(path, "re");
    if (!file)
        return {};
    char name[64] = {};
    const std::size_t length = std::fread(name, 1, sizeof name - 1, file);
    std::fclose(file);
    return {name, length > 0 && name[length - 1] == '\n' ? length - 1 : length};
}

} // namespace

Gpu::Gpu(const Library &library, Device device, const GpuAddress &address)
    : m_nvml(library.functions())
    , m_device(device)
    , m_address(address)
    , m_names{counterName("used_share"),    counterName("memory_busy_share"), counterName("memory_used_bytes"),
              counterName("clock/sm_mhz"),  counterName("clock/memory_mhz"),  counterName("power_watts"),
              counterName("temperature_c"), counterName("throttle_reasons")}
{ }

std::uint32_t Gpu::counterName(const char *what) const
{
    return NameTable::instance().intern("gpu" + std::to_string(m_address.id) + "/" + what).id;
}

void Gpu::sample(std::int64_t now, Batches &out)
{
    const auto counter = [&out, now](std::uint32_t name, double value) {
        out.add(format::RecordKind::Counter, format::CounterRecord{now, name, 0, value});
    };
    if (Utilisation share; ask(m_nvml.utilisation, m_device, &share)) {
        counter(m_names.used, share.gpu / 100.0);
        counter(m_names.memoryBusy, share.memory / 100.0);
    }
    if (Memory memory; ask(m_nvml.memory, m_device, &memory))
        counter(m_names.memoryUsed, static_cast<double>(memory.used));
    unsigned value = 0;
    if (ask(m_nvml.clock, m_device, kClockSm, &value))
        counter(m_names.smClock, value);
    if (ask(m_nvml.clock, m_device, kClockMemory, &value))
        counter(m_names.memoryClock, value);
    if (ask(m_nvml.power, m_device, &value))
        counter(m_names.power, value / 1000.0);
    if (ask(m_nvml.temperature, m_device, kTemperatureGpu, &value))
        counter(m_names.temperature, value);
    if (std::uint64_t reasons = 0; ask(m_nvml.throttleReasons, m_device, &reasons))
        counter(m_names.reasons, static_cast<double>(reasons));
    if (ask(m_nvml.pcieGeneration, m_device, &value))
        m_pcieGeneration = std::max(m_pcieGeneration, value);
    if (ask(m_nvml.pcieWidth, m_device, &value))
        m_pcieWidth = std::max(m_pcieWidth, value);
}

void Gpu::takeProcess(std::uint32_t pid, std::uint64_t memory)
{
    if (pid == static_cast<std::uint32_t>(getpid())) {
        m_selfSeen = true;
        return;
    }
    Neighbour &neighbour = m_neighbours[pid];
    if (neighbour.name.empty())
        neighbour.name = nameOfProcess(pid);
    if (memory != kNotAvailable)
        neighbour.memory = std::max(neighbour.memory.value_or(0), memory);
}

void Gpu::lookAtProcesses()
{
    unsigned count = kMostProcesses;
    std::array<Process, kMostProcesses> list{};
    std::array<ProcessV1, kMostProcesses> old{};
    if (ask(m_nvml.processes, m_device, &count, list.data())) {
        count = std::min(count, kMostProcesses);
        for (unsigned i = 0; i < count; ++i)
            takeProcess(list[i].pid, list[i].memory);
    } else if (count = kMostProcesses; !m_nvml.processes && ask(m_nvml.processesV1, m_device, &count, old.data())) {
        count = std::min(count, kMostProcesses);
        for (unsigned i = 0; i < count; ++i)
            takeProcess(old[i].pid, old[i].memory);
    } else {
        return;
    }
    m_processesKnown = true;
    m_mostProcesses = std::max<std::size_t>(m_mostProcesses, count);
    if (!m_neighbours.empty())
        lookAtUse();
}

// Whether a neighbour computes or only holds memory.
void Gpu::lookAtUse()
{
    std::vector<ProcessUse> samples(128);
    auto count = static_cast<unsigned>(samples.size());
    int result = m_nvml.processUse ? m_nvml.processUse(m_device, samples.data(), &count, m_useSince) : -1;
    if (result == kInsufficientSize && count > samples.size() && count < 65536) {
        samples.resize(count);
        result = m_nvml.processUse(m_device, samples.data(), &count, m_useSince);
    }
    if (result != kSuccess)
        return; // also: nothing new
    samples.resize(std::min<std::size_t>(samples.size(), count));
    const bool first = m_useSince == 0; // the buffer reaches back before this capture
    for (const ProcessUse &use : samples) {
        m_useSince = std::max(m_useSince, use.time);
        const auto neighbour = m_neighbours.find(use.pid);
        if (!first && neighbour != m_neighbours.end())
            neighbour->second.smPercent = std::max(neighbour->second.smPercent.value_or(0), use.sm);
    }
}

void Gpu::writeProcesses(JsonWriter &json) const
{
    if (!m_processesKnown)
        return;
    // In a container NVML may list the host's pids, ourselves among them under a number that isn't ours: only the
    // count says something then.
    if (!m_selfSeen && m_mostProcesses > 0) {
        json.number("other_processes", static_cast<std::int64_t>(m_mostProcesses) - 1);
        return;
    }
    json.number("other_processes", static_cast<std::int64_t>(m_neighbours.size()));
    json.beginArray("processes");
    for (const auto &[pid, neighbour] : m_neighbours) {
        json.beginObject();
        json.number("pid", pid);
        if (!neighbour.name.empty())
            json.text("name", neighbour.name);
        if (neighbour.memory)
            json.number("memory_bytes", static_cast<std::int64_t>(*neighbour.memory));
        if (neighbour.smPercent)
            json.real("used_share", *neighbour.smPercent / 100.0);
        json.endObject();
    }
    json.endArray();
}

void Gpu::writeFacts(JsonWriter &json) const
{
    unsigned value = 0;
    unsigned pending = 0;
    char uuid[97] = {};
    if (ask(m_nvml.uuid, m_device, uuid, 96U))
        json.text("uuid", uuid);
    else if (!m_address.uuid.empty())
        json.text("uuid", m_address.uuid);
    if (ask(m_nvml.maxClock, m_device, kClockSm, &value))
        json.number("clock_sm_max_mhz", value);
    if (ask(m_nvml.maxClock, m_device, kClockMemory, &value))
        json.number("clock_memory_max_mhz", value);
    if (ask(m_nvml.powerLimit, m_device, &value))
        json.real("power_limit_watts", value / 1000.0);
    if (m_pcieGeneration != 0)
        json.number("pcie_generation", m_pcieGeneration);
    if (ask(m_nvml.maxPcieGeneration, m_device, &value))
        json.number("pcie_generation_max", value);
    if (m_pcieWidth != 0)
        json.number("pcie_width", m_pcieWidth);
    if (ask(m_nvml.maxPcieWidth, m_device, &value))
        json.number("pcie_width_max", value);
    if (ask(m_nvml.eccMode, m_device, &value, &pending))
        json.boolean("ecc", value != 0);
    if (ask(m_nvml.persistenceMode, m_device, &value))
        json.boolean("persistence", value != 0);
    writeProcesses(json);
}

} // namespace tuneline::agent::nvml
