// SPDX-License-Identifier: GPL-3.0-or-later
// Is the difference between two sets of runs more than chance? Pure functions on samples; any thread.
#pragma once

#include <optional>
#include <vector>

namespace tuneline::analysis {

using Samples = std::vector<double>; // of one run: step times, > 0

struct RatioInterval
{
    double change = 0; // after / before − 1, of the medians
    double low = 0, high = 0; // 95 % confidence interval
    bool significant = false; // the interval leaves out 0 and the change is at least kMaterialChange
};

// Below this a change is not worth a word, however sure (TraceML calls < 3 % negligible; the advisor speaks from 2 %).
inline constexpr double kMaterialChange = 0.02;

// Spread between runs of one configuration that is assumed while there is one run only, as a share of the step. Runs of
// one configuration differ by more than their steps do (clocks, memory placement, neighbours): 2 to 5 % in quiet loops
// on the H200s that the truth traces come from. Repeats replace this guess by what they show.
inline constexpr double kAssumedRunSpread = 0.03;

[[nodiscard]] double median(Samples samples); // NaN if empty
// Median absolute deviation, scaled to estimate a normal distribution's standard deviation.
[[nodiscard]] double robustSpread(const Samples &samples);

// Works on logarithms, so that "a third less" and "half as much again" weigh the same. Each run counts once, by its
// median; the variance is that between runs plus that of each median; Welch's t with Satterthwaite's degrees of freedom
// (B. L. Welch, Biometrika 34, 1947). nullopt if a side has no run with at least two samples.
[[nodiscard]] std::optional<RatioInterval> compareSamples(const std::vector<Samples> &before,
                                                          const std::vector<Samples> &after);

} // namespace tuneline::analysis
