// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace tuneline::analysis {

namespace {

// One side of the comparison, in logarithms of time.
struct Side
{
    double centre = 0; // mean of the runs' medians
    double variance = 0; // of that mean
    double freedom = 1;
};

double varianceOf(const Samples &values, double mean)
{
    double sum = 0;
    for (const double v : values)
        sum += (v - mean) * (v - mean);
    return sum / static_cast<double>(values.size() - 1);
}

// Variance of a run's median. Neighbouring steps resemble each other (clocks, caches, the loader's rhythm), so n steps
// are counted as n / 2 independent ones. 1.253 = sqrt(pi / 2): the median's error against the mean's, for normal data.
double medianVariance(const Samples &logs)
{
    const double independent = std::max(1.0, static_cast<double>(logs.size()) / 2);
    const double error = 1.2533 * robustSpread(logs) / std::sqrt(independent);
    return error * error;
}

std::optional<Side> summarise(const std::vector<Samples> &runs)
{
    Samples centres;
    double within = 0, steps = 0, widest = 0;
    for (const Samples &run : runs) {
        Samples logs;
        for (const double v : run)
            if (v > 0)
                logs.push_back(std::log(v));
        if (logs.size() < 2)
            continue;
        centres.push_back(median(logs));
        within += medianVariance(logs);
        widest = std::max(widest, robustSpread(logs));
        steps += static_cast<double>(logs.size());
    }
    if (centres.empty())
        return std::nullopt;

    const auto count = static_cast<double>(centres.size());
    Side side;
    for (const double c : centres)
        side.centre += c / count;
    if (centres.size() > 1) {
        // The spread of the medians already holds the error of each.
        side.variance = std::max(varianceOf(centres, side.centre), within / count) / count;
        side.freedom = count - 1;
    } else {
        // A loop whose steps scatter scatters between runs, too.
        const double assumed = std::max(kAssumedRunSpread, widest);
        side.variance = within + assumed * assumed;
        side.freedom = steps - 1;
    }
    return side;
}

} // namespace

double median(Samples samples)
{
    if (samples.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    if (samples.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

double robustSpread(const Samples &samples)
{
    const double centre = median(samples);
    Samples deviations;
    deviations.reserve(samples.size());
    for (const double v : samples)
        deviations.push_back(std::abs(v - centre));
    return deviations.empty() ? 0 : 1.4826 * median(deviations);
}

std::optional<RatioInterval> compareSamples(const std::vector<Samples> &before, const std::vector<Samples> &after)
{
    const auto a = summarise(before);
    const auto b = summarise(after);
    if (!a || !b)
        return std::nullopt;

    const double variance = a->variance + b->variance;
    const double freedom =
        variance * variance / (a->variance * a->variance / a->freedom + b->variance * b->variance / b->freedom);
    const boost::math::students_t distribution(std::max(1.0, std::isfinite(freedom) ? freedom : 1.0));
    const double reach = boost::math::quantile(distribution, 0.975) * std::sqrt(variance);

    const double difference = b->centre - a->centre;
    RatioInterval interval;
    interval.change = std::expm1(difference);
    interval.low = std::expm1(difference - reach);
    interval.high = std::expm1(difference + reach);
    interval.significant = (interval.low > 0 || interval.high < 0) && std::abs(interval.change) >= kMaterialChange;
    return interval;
}

} // namespace tuneline::analysis
