// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of one device of one source in its window: the steps where there are steps, else first to last record
// (DESIGN section 4). All times in ns, ratios 0..1, nullopt = not known.
#pragma once

#include "analysis/metrics/causes.h"
#include "analysis/metrics/intervalset.h"
#include "analysis/steps/steps.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

// A part of an idle gap.
struct IdlePiece
{
    std::int64_t start = 0, end = 0;
    IdleCause cause = IdleCause::Unknown;
    EventId event; // the scope, call or operator to show as evidence; invalid = none
};

// No work on the device in [start, end), which ends with the start of `next`.
struct IdleGap
{
    std::int64_t start = 0, end = 0;
    EventId next; // the device record w that ends it; invalid: the window ends first and nothing follows
    EventId launch; // the call L that launched w; invalid = unlinked
    LaneId thread; // where L ran
    EventId insideBlocking; // blocking call of that thread in which the gap began (a refill), invalid = none
    std::uint32_t step = StepSet::kNoStep; // the step in which it begins
    std::uint32_t firstPiece = 0, pieces = 0; // in DeviceMetrics::pieces; they cover the gap exactly

    [[nodiscard]] std::int64_t length() const noexcept { return end - start; }
};

struct DeviceMetrics
{
    SourceId source;
    int device = 0;
    std::optional<int> rank;
    std::string name; // "" = unknown
    Range window;

    IntervalSet compute, copy, comm, busy; // unions of work inside the window
    std::int64_t busyNs = 0, idleNs = 0, computeNs = 0, copyNs = 0, exposedCopyNs = 0, commNs = 0, exposedCommNs = 0;
    std::int64_t kernelSumNs = 0; // sum of kernel durations: may exceed the window
    std::optional<double> util; // busy / window
    std::optional<double> tensorCoreShare; // of kernel time
    std::optional<double> occupancy; // kernel-time weighted, as the trace states it
    std::optional<double> saturation; // how much of the device the running kernels can fill, weighted by their time
    std::uint32_t maxQueue = 0; // launched, not yet started
    double meanQueue = 0; // at the starts of kernels
    bool reliable = true; // false: idle may be an artefact (graph launches without kernels, dropped records, …)
    std::string unreliableWhy;

    std::vector<IdleGap> gaps; // by time; their lengths add up to idleNs
    std::vector<IdlePiece> pieces;
    IdleBreakdown idle; // adds up to idleNs exactly
};

class HostActivity;
class NameTable;

// Each device of the steps' source, by device number. `host` is that source's.
[[nodiscard]] std::vector<DeviceMetrics> deviceMetrics(const Trace &trace, const NameTable &names, const StepSet &steps,
                                                       const HostActivity &host);
// Moves parts of gaps to another cause, oldest piece first: `ns` by index of the gap (see ReplayAnswers).
void moveToCause(DeviceMetrics &device, const std::vector<std::int64_t> &ns, IdleCause cause);

} // namespace tuneline::analysis
