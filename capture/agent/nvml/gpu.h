// SPDX-License-Identifier: MIT
// What NVML says about one GPU that the program uses: facts that stay, figures over time, who else is on it.
#pragma once

#include "capture/agent/batches.h"
#include "capture/agent/gpus.h"
#include "capture/agent/json.h"
#include "capture/agent/nvml/library.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tuneline::agent::nvml {

class Gpu
{
public:
    Gpu(const Library &library, Device device, const GpuAddress &address);

    // Adds CounterRecords gpu<N>/… at this moment (host clock); what NVML doesn't say is left out.
    void sample(std::int64_t now, Batches &out);
    // Who runs on it and how much; a look costs about 20 µs. Keeps the most that was seen of each.
    void lookAtProcesses();
    // Members of the GPU's object in metadata `gpus` (FORMAT.md); what isn't known is absent.
    void writeFacts(JsonWriter &json) const;

    [[nodiscard]] int id() const noexcept { return m_address.id; } // CUDA's number

private:
    struct Neighbour
    {
        std::string name; // "" = not visible from here
        std::optional<std::uint64_t> memory; // bytes
        std::optional<std::uint32_t> smPercent;
    };
    void takeProcess(std::uint32_t pid, std::uint64_t memory);
    void lookAtUse();
    void writeProcesses(JsonWriter &json) const;
    [[nodiscard]] std::uint32_t counterName(const char *what) const;

    const Functions &m_nvml;
    Device m_device;
    GpuAddress m_address;
    struct Names
    {
        std::uint32_t used = 0, memoryBusy = 0, memoryUsed = 0, smClock = 0, memoryClock = 0, power = 0,
                      temperature = 0, reasons = 0;
    } m_names; // ids
    std::map<std::uint32_t, Neighbour> m_neighbours; // by pid
    bool m_processesKnown = false;
    bool m_selfSeen = false; // else pids are another namespace's
    std::size_t m_mostProcesses = 0;
    std::uint64_t m_useSince = 0; // µs, NVML's clock
    unsigned m_pcieGeneration = 0, m_pcieWidth = 0; // the highest seen: the link sleeps when idle. 0 = not known
};

} // namespace tuneline::agent::nvml
