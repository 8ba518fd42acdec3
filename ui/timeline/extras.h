// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline draws besides events, prepared for drawing at any zoom: idle pieces of each device, steps, curves
// of counters and memory. Built off the GUI thread from immutable data, then immutable.
#pragma once

#include "analysis/analysis.h"
#include "analysis/progress.h"
#include "ui/timeline/spanpyramid.h"

#include <memory>
#include <vector>

namespace tuneline::ui {

// A step function with running maxima, so that a peak narrower than a pixel is still seen. O(log n) a question.
class CurvePyramid
{
public:
    CurvePyramid() = default;
    CurvePyramid(std::vector<std::int64_t> time, std::vector<double> value); // same size, sorted by time
    // Largest value in [from, to), what holds at `from` included; NaN before the first point.
    [[nodiscard]] double maximum(std::int64_t from, std::int64_t to) const;
    [[nodiscard]] double peak() const { return m_peak; }
    [[nodiscard]] bool empty() const { return m_time.empty(); }

private:
    std::vector<std::int64_t> m_time;
    std::vector<std::vector<double>> m_levels; // level 0 the values, each above the maximum of 16 neighbours
    double m_peak = 0;
};

struct TimelineExtras
{
    std::vector<SpanPyramid> idle; // by index of Analysis::devices; style = index of the piece
    SpanPyramid steps; // of the main source; style = index of the step
    std::vector<CurvePyramid> counters; // by index of Trace::counters
    std::vector<CurvePyramid> memory; // by index of Analysis::memory
};
using ExtrasPtr = std::shared_ptr<const TimelineExtras>;

// The analysis may be null: counters only.
[[nodiscard]] analysis::Result<ExtrasPtr> buildExtras(const analysis::Trace &trace, const analysis::Analysis *analysis,
                                                      const analysis::Progress &progress);

} // namespace tuneline::ui
