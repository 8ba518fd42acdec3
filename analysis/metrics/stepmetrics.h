// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of each step and the headline breakdown of the step time.
#pragma once

#include "analysis/metrics/devicemetrics.h"
#include "analysis/metrics/hostactivity.h"

#include <vector>

namespace tuneline::analysis {

// A partition of a step's time: the parts add up to it exactly.
struct StepBreakdown
{
    std::int64_t computeNs = 0; // without a device: 0, everything is in `idle`, whose causes are then the host's own
    std::int64_t exposedCopyNs = 0; // copies outside compute
    std::int64_t exposedCommNs = 0; // communication outside compute and copies
    IdleBreakdown idle; // NotMeasurable included
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return computeNs + exposedCopyNs + exposedCommNs + idle.total();
    }
};

struct StepMetrics
{
    std::int64_t busyNs = 0; // in [start, end) of the step
    std::int64_t kernelNs = 0; // sum over kernels that belong to it
    std::uint32_t kernels = 0, launches = 0, copies = 0, memsets = 0; // launches: calls that put work on a device
    std::optional<double> util;
    bool reliable = true;
    std::int64_t inputWaitNs = 0; // host time inside the data scope
    std::uint32_t syncCalls = 0;
    std::int64_t syncNs = 0; // host time inside blocking calls
    std::int64_t copyBytes = 0;
    StepBreakdown breakdown; // of the step set's device, or of the training thread where there is none
};

struct SyncFigures
{
    double callsPerStep = 0; // over steady steps; over the whole trace where there are none
    std::int64_t nsPerStep = 0; // host time inside them
    std::optional<std::int64_t> trueCostNsPerStep; // from the replay; nullopt = not replayed
};

struct InputFigures
{
    std::optional<double> waitShare; // host time inside the data scope / step time; nullopt without steps
    std::optional<int> workers; // as the scope's name or the source's configuration says
    bool fromMarks = false; // false: by the rule for runs without data scopes
};

// One for each step of the set; `device` is the set's device, nullptr = none.
[[nodiscard]] std::vector<StepMetrics> stepMetrics(const Trace &trace, const NameTable &names, const StepSet &steps,
                                                   const HostActivity &host, const DeviceMetrics *device);
// Mean over steady steps (over all where none is steady), scaled so that it adds up to the median step time exactly.
[[nodiscard]] StepBreakdown meanBreakdown(const StepSet &steps, const std::vector<StepMetrics> &metrics); // not scaled
[[nodiscard]] StepBreakdown headlineBreakdown(const StepSet &steps, const std::vector<StepMetrics> &metrics);
[[nodiscard]] StepBound boundOf(const StepBreakdown &breakdown, bool hasDevice);
[[nodiscard]] SyncFigures syncFigures(const StepSet &steps, const std::vector<StepMetrics> &metrics, const Trace &trace,
                                      const HostActivity &host);
[[nodiscard]] InputFigures inputFigures(const Trace &trace, const NameTable &names, const StepSet &steps,
                                        const std::vector<StepMetrics> &metrics, const HostActivity &host);

} // namespace tuneline::analysis
