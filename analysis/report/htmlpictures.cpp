// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/htmlpictures.h"

#include "analysis/findings/words.h"
#include "analysis/report/htmlpage.h"
#include "analysis/report/svg.h"

#include <algorithm>
#include <array>

namespace tuneline::analysis {
namespace {

double fraction(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string share(std::int64_t part, std::int64_t whole)
{
    return timeText(static_cast<double>(part)) + ", " + percentText(fraction(part, whole));
}

} // namespace

const char *causeColour(IdleCause cause)
{
    constexpr std::array kColours{"soft",     "c-input", "c-checkpoint", "c-compile", "c-alloc",  "c-sync",
                                  "c-launch", "c-ops",   "c-code",       "c-wait",    "c-unknown"};
    static_assert(kColours.size() == kIdleCauses);
    return kColours[static_cast<std::size_t>(cause)];
}

const char *partColour(const StepPart &part)
{
    switch (part.kind) {
    case PartKind::Compute:
        return "c-compute";
    case PartKind::ExposedCopy:
        return "c-copy";
    case PartKind::ExposedComm:
        return "c-comm";
    case PartKind::Idle:
        break;
    }
    return causeColour(part.cause);
}

std::string stepBar(const std::vector<StepPart> &parts)
{
    std::int64_t total = 0;
    for (const StepPart &part : parts)
        total += part.ns;
    if (total <= 0)
        return {};
    Svg svg(1000, 34, "What one step's time goes to");
    double x = 0;
    for (const StepPart &part : parts) {
        const double width = 1000 * fraction(part.ns, total);
        svg.rect({x, 0, width, 34}, partColour(part), std::string(part.name) + ": " + share(part.ns, total));
        svg.label({x, 0, width, 34}, part.name);
        x += width;
    }
    return svg.take();
}

std::string gainBar(const Gain &gain, std::int64_t stepNs)
{
    if (stepNs <= 0 || gain.highNs <= 0)
        return {};
    Svg svg(1000, 16, "Saving on the step's time");
    const double low = 1000 * std::clamp(fraction(gain.lowNs, stepNs), 0.0, 1.0);
    const double high = 1000 * std::clamp(fraction(gain.highNs, stepNs), 0.0, 1.0);
    svg.rect({0, 4, 1000, 8}, "soft", "the step now: " + timeText(static_cast<double>(stepNs)));
    svg.rect({0, 2, low, 12}, "good", "at least " + share(gain.lowNs, stepNs));
    svg.rect({low, 4, std::max(high - low, 1.0), 8}, "c-compute", "up to " + share(gain.highNs, stepNs), 0.55);
    return svg.take();
}

std::string planBars(const Advice &advice)
{
    if (advice.plan.empty() || advice.step.timeNs <= 0)
        return {};
    constexpr double kRow = 24, kLabels = 230, kBar = 640;
    const std::size_t rows = advice.plan.size() + 1;
    Svg svg(1000, kRow * static_cast<double>(rows), "Step time after each change");
    for (std::size_t i = 0; i < rows; ++i) {
        const std::int64_t ns = i == 0 ? advice.step.timeNs : advice.plan[i - 1].stepNsAfter;
        const double y = kRow * static_cast<double>(i);
        const double width = kBar * std::clamp(fraction(ns, advice.step.timeNs), 0.0, 1.2);
        svg.text(0, y + 15, i == 0 ? "now" : "+ " + advice.plan[i - 1].rule);
        svg.rect({kLabels, y + 3, width, 16}, i == 0 ? "c-wait" : "c-compute", {});
        svg.text(kLabels + width + 6, y + 15, share(ns, advice.step.timeNs));
    }
    return svg.take();
}

} // namespace tuneline::analysis
