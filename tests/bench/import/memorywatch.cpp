// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/import/memorywatch.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <sys/resource.h>

namespace tuneline::bench {
namespace {

struct Held
{
    std::uint64_t anonymous = 0, resident = 0; // bytes
};

Held held()
{
    Held now;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:"))
            now.anonymous = std::stoull(line.substr(8)) * 1024;
        else if (line.starts_with("VmRSS:"))
            now.resident = std::stoull(line.substr(6)) * 1024;
    }
    return now;
}

void raise(std::atomic<std::uint64_t> &mark, std::uint64_t value)
{
    mark = std::max(mark.load(), value);
}

double above(std::uint64_t peak, std::uint64_t before)
{
    return peak > before ? static_cast<double>(peak - before) / 1e6 : 0;
}

} // namespace

MemoryWatch::MemoryWatch()
{
    const Held now = held();
    m_anonymousBefore = now.anonymous;
    m_residentBefore = now.resident;
    m_thread = std::thread([this] {
        while (!m_stop) {
            sample();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
}

MemoryWatch::~MemoryWatch()
{
    m_stop = true;
    m_thread.join();
}

void MemoryWatch::sample()
{
    const Held now = held();
    raise(m_anonymous, now.anonymous);
    raise(m_resident, now.resident);
}

double MemoryWatch::anonymousMegabytes() const
{
    return above(m_anonymous, m_anonymousBefore);
}

double MemoryWatch::residentMegabytes() const
{
    return above(m_resident, m_residentBefore);
}

double processorSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval &t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace tuneline::bench
