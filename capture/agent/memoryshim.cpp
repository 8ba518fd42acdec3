// SPDX-License-Identifier: MIT
// Tensor memory: stands between LibTorch's allocators and c10::reportMemoryUsageToProfiler. Works when the agent was
// preloaded, without a LibTorch header, and leaves the program's own profiler alone; pushing a profiler state of our
// own would break it (CAPTURE.md section 6.5). 1.13 reports int64 totals (…EPvlllNS_…), 2.x size_t (…EPvlmmNS_…).
#include "capture/agent/clock.h"
#include "capture/agent/memoryreports.h"
#include "capture/agent/target.h"
#include "capture/agent/threadstate.h"

#include <dlfcn.h>

namespace {

using namespace tuneline::agent;
namespace format = tuneline::format;

// c10::Device, passed by value in a register.
struct Device
{
    std::int8_t type;
    std::int8_t index;
};

std::atomic<std::uint64_t> g_reports{0};

// Host blocks that LibTorch has told us of in this capture. LibTorch prints a warning into the program's stderr when it
// is asked for the free of a block whose allocation it didn't see: it must not be asked then. Two blocks may share a
// bit; at worst one warning gets through.
constexpr std::size_t kBits = std::size_t{1} << 20U;
std::atomic<std::uint64_t> g_seenBlocks[kBits / 64];
thread_local bool t_unseenFree = false;

std::size_t bitOf(const void *pointer) noexcept
{
    return (reinterpret_cast<std::uintptr_t>(pointer) * 0x9E3779B97F4A7C15ULL) >> 44U;
}

bool wasSeen(const void *pointer) noexcept
{
    const std::size_t bit = bitOf(pointer);
    return (g_seenBlocks[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1U) != 0;
}

// The definition behind ours: the next in search order, or, for a Python that loaded libc10 RTLD_LOCAL, libc10's own.
void *nextDefinition(const char *symbol) noexcept
{
    if (void *next = dlsym(RTLD_NEXT, symbol))
        return next;
    void *c10 = openMapped("libc10.so");
    return c10 ? dlsym(c10, symbol) : nullptr;
}

template <typename Function> Function cached(std::atomic<Function> &slot, const char *symbol) noexcept
{
    Function function = slot.load(std::memory_order_acquire);
    if (!function) {
        function = reinterpret_cast<Function>(nextDefinition(symbol));
        slot.store(function, std::memory_order_release);
    }
    return function;
}

void record(const void *pointer, std::int64_t bytes, std::int64_t allocated, std::int64_t reserved,
            Device device) noexcept
{
    ThreadState *state = ThreadState::current();
    if (!state)
        return;
    format::MemoryRecord report;
    report.time = hostNow();
    report.address = reinterpret_cast<std::uintptr_t>(pointer);
    report.bytes = bytes;
    report.allocated = allocated;
    report.reserved = reserved;
    report.thread = state->tid;
    report.deviceType = device.type;
    report.deviceIndex = device.index;
    state->push(format::RecordKind::Memory, report);
    if (constexpr std::int8_t kCpu = 0; device.type == kCpu && bytes > 0) {
        const std::size_t bit = bitOf(pointer);
        g_seenBlocks[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_relaxed);
    }
    g_reports.fetch_add(1, std::memory_order_relaxed);
}

constexpr char kEnabled[] = "_ZN3c1022memoryProfilingEnabledEv";
constexpr char kReport113[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE";
constexpr char kDelete[] = "_ZN3c1025ProfiledCPUMemoryReporter6DeleteEPv";
constexpr char kReport2[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";

std::atomic<bool (*)()> g_enabled{nullptr};
std::atomic<void (*)(void *, void *)> g_delete{nullptr};
std::atomic<void (*)(void *, std::int64_t, std::int64_t, std::int64_t, Device)> g_report113{nullptr};
std::atomic<void (*)(void *, std::int64_t, std::size_t, std::size_t, Device)> g_report2{nullptr};

bool programWantsReports() noexcept
{
    const auto enabled = cached(g_enabled, kEnabled);
    return enabled && enabled();
}

} // namespace

namespace tuneline::agent {

std::uint64_t memoryReports() noexcept
{
    return g_reports.load();
}

void forgetMemoryBlocks() noexcept
{
    for (auto &word : g_seenBlocks) {
        if (word.load(std::memory_order_relaxed) != 0) // don't touch pages that were never used
            word.store(0, std::memory_order_relaxed);
    }
}

} // namespace tuneline::agent

extern "C" {

#define TUNELINE_EXPORT __attribute__((visibility("default")))

TUNELINE_EXPORT bool tunelineMemoryProfilingEnabled() asm("_ZN3c1022memoryProfilingEnabledEv");
TUNELINE_EXPORT void tunelineDelete(void *self, void *pointer) asm("_ZN3c1025ProfiledCPUMemoryReporter6DeleteEPv");
TUNELINE_EXPORT void
tunelineReportMemory113(void *pointer, std::int64_t bytes, std::int64_t allocated, std::int64_t reserved,
                        Device device) asm("_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE");
TUNELINE_EXPORT void tunelineReportMemory2(void *pointer, std::int64_t bytes, std::size_t allocated,
                                           std::size_t reserved,
                                           Device device) asm("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");

bool tunelineMemoryProfilingEnabled()
{
    return (g_hot.memory.load(std::memory_order_relaxed) && !t_unseenFree) || programWantsReports();
}

// c10::ProfiledCPUMemoryReporter::Delete: the book-keeping of a free, not the free itself.
void tunelineDelete(void *self, void *pointer)
{
    const auto next = cached(g_delete, kDelete);
    if (!next)
        return;
    t_unseenFree = g_hot.memory.load(std::memory_order_relaxed) && !wasSeen(pointer);
    next(self, pointer);
    t_unseenFree = false;
}

void tunelineReportMemory113(void *pointer, std::int64_t bytes, std::int64_t allocated, std::int64_t reserved,
                             Device device)
{
    if (g_hot.memory.load(std::memory_order_relaxed))
        record(pointer, bytes, allocated, reserved, device);
    if (const auto next = cached(g_report113, kReport113))
        next(pointer, bytes, allocated, reserved, device);
}

void tunelineReportMemory2(void *pointer, std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                           Device device)
{
    if (g_hot.memory.load(std::memory_order_relaxed))
        record(pointer, bytes, static_cast<std::int64_t>(allocated), static_cast<std::int64_t>(reserved), device);
    if (const auto next = cached(g_report2, kReport2))
        next(pointer, bytes, allocated, reserved, device);
}
}
