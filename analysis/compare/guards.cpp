// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/guards.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tuneline::analysis {

namespace {

// Losses of a few steps scatter with their batches; a change of precision or of the order of sums moves them by far
// less. What is outside both this and three standard deviations is another training.
constexpr double kLossTolerance = 0.10;

std::string format(const char *text, double a, double b)
{
    std::array<char, 160> buffer{};
    std::snprintf(buffer.data(), buffer.size(), text, a, b);
    return buffer.data();
}

Samples allLosses(const std::vector<RunFigures> &runs)
{
    Samples all;
    for (const RunFigures &run : runs)
        all.insert(all.end(), run.losses.begin(), run.losses.end());
    return all;
}

bool allFinite(const Samples &values)
{
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Guard lossParity(const Samples &before, const Samples &after)
{
    Guard guard{"loss_parity", GuardState::NotMeasured,
                "no loss marks on both sides (tuneline_loss, or --loss-every of tuneline-train)"};
    if (before.empty() || after.empty() || !allFinite(before) || !allFinite(after))
        return guard;
    const double b = median(before), a = median(after);
    const double scatter = 3 * std::max(robustSpread(before), robustSpread(after));
    const double allowed = std::max(kLossTolerance * std::abs(b), scatter);
    guard.state = std::abs(a - b) <= allowed ? GuardState::Pass : GuardState::Fail;
    guard.why = format("median loss in the window %.4g before, %.4g after", b, a);
    return guard;
}

Guard finite(const Samples &after)
{
    if (after.empty())
        return {"finite", GuardState::NotMeasured, "no loss marks after the change"};
    const auto bad = std::count_if(after.begin(), after.end(), [](double v) { return !std::isfinite(v); });
    if (bad == 0)
        return {"finite", GuardState::Pass, "every marked loss is a finite number"};
    return {"finite", GuardState::Fail,
            std::to_string(bad) + " of " + std::to_string(after.size()) + " marked losses are not finite"};
}

Guard workDone(const std::vector<RunFigures> &before, const std::vector<RunFigures> &after)
{
    const auto skipped = [](const std::vector<RunFigures> &runs) {
        double sum = 0;
        for (const RunFigures &run : runs)
            sum += run.skippedSteps;
        return sum;
    };
    if (skipped(after) > skipped(before))
        return {"work_done", GuardState::Fail,
                format("the loss scaler skipped %.0f updates before, %.0f after: those steps did no work",
                       skipped(before), skipped(after))};
    const auto &b = before.front().unitsPerStep, &a = after.front().unitsPerStep;
    if (!b || !a)
        return {"work_done", GuardState::NotMeasured, "no unit marks on both sides (tuneline_units)"};
    if (*a > 0 && *b > 0)
        return {"work_done", GuardState::Pass,
                *a == *b ? format("%.0f units a step on both sides", *b, *a)
                         : format("%.0f units a step before, %.0f after: times are compared per unit", *b, *a)};
    return {"work_done", GuardState::Fail, format("%.0f units a step before, %.0f after", *b, *a)};
}

} // namespace

std::vector<Guard> checkGuards(const std::vector<RunFigures> &before, const std::vector<RunFigures> &after)
{
    const Samples b = allLosses(before), a = allLosses(after);
    return {lossParity(b, a), finite(a), workDone(before, after)};
}

} // namespace tuneline::analysis
