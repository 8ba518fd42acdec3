// SPDX-License-Identifier: GPL-3.0-or-later
// What the charts draw: curves computed once from a trace, off the GUI thread, then immutable.
#pragma once

#include "analysis/progress.h"
#include "analysis/trace/trace.h"
#include "ui/models/timerange.h"

#include <QString>
#include <memory>
#include <vector>

namespace tuneline::analysis {
struct Analysis;
}

namespace tuneline::ui {

// A curve over trace time: value[i] holds from time[i] to time[i + 1].
struct Curve
{
    QString name; // "device 0", "rank 1 · device 0"
    std::vector<std::int64_t> time; // ns, sorted
    std::vector<double> value;
};

struct StepBar
{
    std::int64_t start = 0, duration = 0; // ns
    std::int64_t number = 0; // as the timeline calls it: the marker's number, or its index
    bool steady = true; // false: warm-up, partial or outlier; drawn paler and not in the median
    bool outlier = false;
};

struct ChartData
{
    TimeRange bounds;
    std::vector<Curve> deviceUtilisation; // 0..1, per device: share of each slot in which any work ran
    std::vector<Curve>
        cpuUtilisation; // 0..1: counters of the machine where the capture has them, else recorded threads
    bool cpuIsCounter = false; // which of the two
    std::vector<Curve> memory; // bytes, per device
    std::vector<StepBar> steps;
    std::int64_t medianStepNs = 0; // 0 = no steps
    // Why a list is empty, in one sentence for the user; "" when it is not.
    QString whyNoDevice, whyNoCpu, whyNoMemory, whyNoSteps;
};
using ChartDataPtr = std::shared_ptr<const ChartData>;

// Any thread; about 20 ns an event. Null when cancelled. The analysis may be null (no steps then).
[[nodiscard]] ChartDataPtr buildChartData(const analysis::Trace &trace, const analysis::Analysis *analysis,
                                          const analysis::Progress &progress);

} // namespace tuneline::ui
