// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/rankcauses.h"

#include <array>

namespace tuneline::analysis {

namespace {

constexpr double kNoticeable = 0.02; // of its step

// Communication and waiting for the device are left out: that is the waiting itself.
struct Part
{
    const char *what;
    IdleCause cause;
};
constexpr std::array kParts{Part{"waiting for input", IdleCause::InputWait},
                            Part{"saving or loading state", IdleCause::Checkpoint},
                            Part{"compilation", IdleCause::Compilation},
                            Part{"allocation", IdleCause::Allocation},
                            Part{"synchronisation with its device", IdleCause::Synchronisation},
                            Part{"launch calls", IdleCause::LaunchCalls},
                            Part{"host operators", IdleCause::HostOperators},
                            Part{"host code outside operators", IdleCause::HostCode}};

} // namespace

std::optional<LateCause> whyLate(const RankBreakdowns &breakdowns, std::size_t source)
{
    if (source >= breakdowns.size() || !breakdowns[source])
        return std::nullopt;
    LateCause most;
    const auto consider = [&](const char *what, auto value) {
        std::int64_t others = 0, n = 0;
        for (std::size_t s = 0; s < breakdowns.size(); ++s) {
            if (s == source || !breakdowns[s])
                continue;
            others += value(*breakdowns[s]);
            ++n;
        }
        const std::int64_t excess = n > 0 ? value(*breakdowns[source]) - others / n : 0;
        if (excess > most.excessNs)
            most = {what, excess};
    };
    consider("computing on the device", [](const StepBreakdown &b) { return b.computeNs; });
    consider("copies", [](const StepBreakdown &b) { return b.exposedCopyNs; });
    for (const Part &part : kParts)
        consider(part.what, [&](const StepBreakdown &b) { return b.idle.of(part.cause); });
    const auto step = static_cast<double>(breakdowns[source]->total());
    return static_cast<double>(most.excessNs) > kNoticeable * step ? std::optional(most) : std::nullopt;
}

} // namespace tuneline::analysis
