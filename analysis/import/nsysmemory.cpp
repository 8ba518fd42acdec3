// SPDX-License-Identifier: GPL-3.0-or-later
// NsysReader's rest: allocations of device memory, which GPU a process's device is, tables that nothing reads.
#include "analysis/import/nsysreader.h"

#include <algorithm>
#include <array>

namespace tuneline::analysis {
namespace {

std::int64_t pidOf(std::int64_t globalId)
{
    return (globalId >> 24) & 0xFFFFFF;
}

} // namespace

// Each process counts its devices from 0. Where two processes mean different GPUs by one number, the machine's numbers
// are used.
void NsysReader::readDeviceMap()
{
    std::map<std::int64_t, std::set<std::int64_t>> gpusOf; // by the process's number
    forEachRow("TARGET_INFO_CUDA_DEVICE", [&](TableReader &table) {
        const auto gpu = table.integer(table.column("gpuId")), device = table.integer(table.column("cudaId")),
                   pid = table.integer(table.column("pid"));
        if (!gpu || !device || !pid)
            return;
        m_gpuOf[{*pid, *device}] = *gpu;
        gpusOf[*device].insert(*gpu);
    });
    const bool ambiguous =
        std::any_of(gpusOf.begin(), gpusOf.end(), [](const auto &entry) { return entry.second.size() > 1; });
    if (!ambiguous)
        m_gpuOf.clear();
}

std::int64_t NsysReader::deviceOf(std::int64_t pid, std::int64_t device) const
{
    const auto known = m_gpuOf.find({pid, device});
    return known == m_gpuOf.end() ? device : known->second;
}

// --cuda-memory-usage=true
void NsysReader::readMemory()
{
    enum Operation : std::int64_t { kAllocation = 0, kFree = 1 };
    forEachRow("CUDA_GPU_MEMORY_USAGE_EVENTS", [&](TableReader &table) {
        const auto number = [&](const char *name) { return table.integer(table.column(name)); };
        const std::int64_t operation = number("memoryOperationType").value_or(-1);
        const auto start = number("start"), bytes = number("bytes");
        if (operation != kAllocation && operation != kFree)
            return;
        if (!start || !bytes || *bytes < 0) {
            m_builder.report().add("timestamp-invalid", Severity::Warning,
                                   {-1, -1, "an allocation without a time or size; left out"});
            return;
        }
        const std::int64_t pid = pidOf(number("globalPid").value_or(0));
        const std::int64_t device = deviceOf(pid, number("deviceId").value_or(0));
        MemoryTrack &track = m_builder.memory(m_source, static_cast<int>(std::clamp<std::int64_t>(device, 0, 1 << 20)));
        track.time.push_back(*start);
        track.bytes.push_back(operation == kFree ? -*bytes : *bytes);
        track.address.push_back(static_cast<std::uint64_t>(number("address").value_or(0)));
        track.allocated.push_back(kUnknown);
        track.reserved.push_back(kUnknown);
    });
}

// Nothing is passed over without a word: tables of timed rows that have no place here.
void NsysReader::reportUnread()
{
    constexpr std::array kNoEvents{std::string_view("ENUM_"), std::string_view("TARGET_INFO_"),
                                   std::string_view("META_DATA_"), std::string_view("sqlite_"),
                                   std::string_view("ANALYSIS_")};
    for (const std::string &name : m_tables) {
        const bool skip = std::any_of(kNoEvents.begin(), kNoEvents.end(),
                                      [&](std::string_view prefix) { return name.starts_with(prefix); });
        if (skip || m_read.contains(name))
            continue;
        TableReader table(m_database, name);
        if (table.column("start") < 0 && table.column("timestamp") < 0)
            continue;
        std::uint64_t rows = 0;
        while (table.next() && !m_progress.cancelled())
            ++rows;
        m_builder.report().add(
            "table-not-shown", Severity::Info,
            {-1, -1, "table " + name + " (" + std::to_string(rows) + " rows) has no place on the timeline"}, rows);
    }
}

} // namespace tuneline::analysis
