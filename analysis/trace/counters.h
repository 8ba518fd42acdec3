// SPDX-License-Identifier: GPL-3.0-or-later
// What the counters of a capture mean, read off their names (capture/format/FORMAT.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tuneline::analysis {

enum class CounterKind : std::uint8_t {
    Other, // not one of ours
    CpuUsed,
    ProcessCores,
    ProcessMemory,
    GpuUsed,
    GpuMemoryBusy,
    GpuMemoryUsed,
    SmClock,
    MemoryClock,
    Power,
    Temperature,
    ThrottleReasons, // NVML's bits
    ThrottleReason, // one of them, 0 or 1
};

struct CounterMeaning
{
    CounterKind kind = CounterKind::Other;
    int device = -1; // of GPU counters
    std::string_view rest; // ThrottleReason: which
};

[[nodiscard]] CounterMeaning counterMeaning(std::string_view name);
// "B", "MHz", …; "" = a plain number.
[[nodiscard]] std::string_view counterUnit(std::string_view name);
// For people: "GPU 0 SM clock". Other counters keep their name.
[[nodiscard]] std::string counterTitle(std::string_view name);

// NVML's throttle reasons. Those that hold a busy device back are `limiting`.
struct ThrottleReason
{
    std::uint32_t bit;
    std::string_view key; // "power_cap", in the counter's name
    std::string_view words; // "its power limit"
    bool limiting;
};
inline constexpr ThrottleReason kThrottleReasons[] = {
    {1, "idle", "nothing to do", false},
    {2, "clock_setting", "a clock setting (nvidia-smi -lgc or -ac)", false},
    {4, "power_cap", "its power limit", true},
    {8, "hardware", "a hardware slow-down (heat or power supply)", true},
    {16, "sync_boost", "sync boost with another GPU", false},
    {32, "heat", "heat", true},
    {64, "hardware_heat", "heat (hardware slow-down)", true},
    {128, "power_brake", "the power brake of the server", true},
    {256, "display", "a display's clock setting", false},
};

} // namespace tuneline::analysis
