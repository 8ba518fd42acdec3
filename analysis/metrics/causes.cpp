// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/causes.h"

#include <numeric>

namespace tuneline::analysis {

const char *toString(IdleCause cause) noexcept
{
    switch (cause) {
    case IdleCause::NotMeasurable:
        return "not_measurable";
    case IdleCause::InputWait:
        return "input_wait";
    case IdleCause::Checkpoint:
        return "checkpoint";
    case IdleCause::Compilation:
        return "compilation";
    case IdleCause::Allocation:
        return "allocation";
    case IdleCause::Synchronisation:
        return "synchronisation";
    case IdleCause::LaunchCalls:
        return "launch_calls";
    case IdleCause::HostOperators:
        return "host_operators";
    case IdleCause::HostCode:
        return "host_code";
    case IdleCause::DeviceWait:
        return "device_wait";
    case IdleCause::Unknown:
        break;
    }
    return "unknown";
}

const char *causeName(IdleCause cause) noexcept
{
    static constexpr std::array kNames{"not measurable", "input wait",      "checkpoint",   "compilation",
                                       "allocation",     "synchronisation", "launch calls", "host operators",
                                       "host code",      "device wait",     "unknown"};
    static_assert(kNames.size() == kIdleCauses);
    return kNames[static_cast<std::size_t>(cause)];
}

std::int64_t IdleBreakdown::total() const noexcept
{
    return std::accumulate(ns.begin(), ns.end(), std::int64_t{0});
}

IdleBreakdown &IdleBreakdown::operator+=(const IdleBreakdown &other) noexcept
{
    for (std::size_t i = 0; i < ns.size(); ++i)
        ns[i] += other.ns[i];
    return *this;
}

} // namespace tuneline::analysis
