// SPDX-License-Identifier: MIT
#include "capture/agent/counters.h"

#include "capture/agent/clock.h"
#include "capture/agent/names.h"

#include <cstdio>
#include <unistd.h>

namespace tuneline::agent {

namespace {

double residentBytes() noexcept
{
    std::FILE *file = std::fopen("/proc/self/statm", "re");
    unsigned long long total = 0;
    unsigned long long resident = 0;
    const bool good = file && std::fscanf(file, "%llu %llu", &total, &resident) == 2;
    if (file)
        std::fclose(file);
    return good ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : -1.0;
}

} // namespace

// First line of /proc/stat: cpu user nice system idle iowait irq softirq steal …
CpuSampler::MachineTicks CpuSampler::machine() noexcept
{
    MachineTicks ticks;
    std::FILE *file = std::fopen("/proc/stat", "re");
    if (!file)
        return ticks;
    unsigned long long t[8] = {};
    if (std::fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5],
                    &t[6], &t[7])
        == 8) {
        for (const unsigned long long value : t)
            ticks.total += value;
        ticks.busy = ticks.total - t[3] - t[4];
    }
    std::fclose(file);
    return ticks;
}

void CpuSampler::sample(std::int64_t now, Batches &out)
{
    const MachineTicks ticks = machine();
    const std::int64_t processNs = readClock(CLOCK_PROCESS_CPUTIME_ID);
    if (m_time == 0) {
        m_usedShare = NameTable::instance().intern("cpu/used_share").id;
        m_processCores = NameTable::instance().intern("cpu/process_cores").id;
        m_resident = NameTable::instance().intern("memory/process_rss_bytes").id;
    } else if (now > m_time) {
        const auto counter = [&out, now](std::uint32_t name, double value) {
            out.add(format::RecordKind::Counter, format::CounterRecord{now, name, 0, value});
        };
        if (ticks.total > m_machine.total)
            counter(m_usedShare,
                    static_cast<double>(ticks.busy - m_machine.busy)
                        / static_cast<double>(ticks.total - m_machine.total));
        counter(m_processCores, static_cast<double>(processNs - m_processNs) / static_cast<double>(now - m_time));
        if (const double bytes = residentBytes(); bytes >= 0)
            counter(m_resident, bytes);
    }
    m_time = now;
    m_machine = ticks;
    m_processNs = processNs;
}

} // namespace tuneline::agent
