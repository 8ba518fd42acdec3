// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/scaling.h"

#include "analysis/analysis.h"
#include "analysis/compare/side.h"
#include "analysis/findings/catalogue.h"
#include "analysis/findings/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace tuneline::analysis {

namespace {

// A cause is named when it explains at least this part of the lost time.
constexpr double kNamedPart = 0.25;

// Per step and device. Marks of all opened ranks are in one list: only the main source's count here.
std::optional<double> unitsOf(const Analysis &a, const RunFigures &figures)
{
    double units = 0, others = 0;
    for (const Mark &m : a.trace->marks)
        if (m.kind == MarkKind::Units && a.stepSet().stepAtHost(m.time) != StepSet::kNoStep)
            (m.source.value == a.mainSource ? units : others) += m.value;
    if (!figures.unitsPerStep || units + others <= 0)
        return figures.unitsPerStep; // the batch size of the main source's own configuration
    return units > 0 ? std::optional(*figures.unitsPerStep * units / (units + others)) : std::nullopt;
}

double medianOf(const RunFigures &figures, const char *name)
{
    const auto it = figures.perStep.find(name);
    return it == figures.perStep.end() || it->second.empty() ? 0 : median(it->second);
}

// What the larger run loses per step, and to what.
void nameCause(const Analysis &a, const RunFigures &one, const RunFigures &many, double lostNs, Scaling &s)
{
    double waiting = 0;
    if (a.mainSource < a.ranks.ranks.size())
        waiting = static_cast<double>(a.ranks.ranks[a.mainSource].commWaitNs)
            / static_cast<double>(std::max<std::size_t>(1, a.stepSet().list.size()));
    const double exposed = medianOf(many, "exposed_comm");
    waiting = std::min(waiting, exposed); // the rest was hidden behind compute
    const std::array<std::pair<const char *, double>, 3> causes{
        {{"comm-exposed", exposed - waiting},
         {"straggler", waiting},
         {"input-wait", medianOf(many, "input_wait") - medianOf(one, "input_wait")}}};
    const auto most = std::max_element(causes.begin(), causes.end(),
                                       [](const auto &x, const auto &y) { return x.second < y.second; });
    if (most->second >= kNamedPart * lostNs && lostNs > 0)
        std::tie(s.cause, s.causeNs) = std::pair(std::string(most->first), most->second);
}

} // namespace

int devicesOf(const Analysis &a)
{
    const auto ranks = std::count_if(a.ranks.ranks.begin(), a.ranks.ranks.end(),
                                     [](const RankFigures &r) { return r.rank.has_value(); });
    const int stated = a.trace->sources.empty() ? 1 : a.trace->sources[a.mainSource].worldSize.value_or(1);
    return std::max(static_cast<int>(ranks), stated);
}

std::optional<Scaling> scalingBetween(const Analysis &before, const Analysis &after)
{
    if (before.trace->sources.empty() || after.trace->sources.empty() || before.stepsOfSource.empty()
        || after.stepsOfSource.empty())
        return std::nullopt;
    const bool grows = devicesOf(after) > devicesOf(before);
    const Analysis &small = grows ? before : after, &large = grows ? after : before;
    if (devicesOf(small) != 1 || devicesOf(large) < 2)
        return std::nullopt;
    const RunFigures one = figuresOf(small), many = figuresOf(large);
    const double oneNs = median(one.stepNs), manyNs = median(many.stepNs);
    if (!std::isfinite(oneNs) || !std::isfinite(manyNs) || oneNs <= 0 || manyNs <= 0)
        return std::nullopt;
    Scaling s;
    s.devices = devicesOf(large);
    const auto oneUnits = unitsOf(small, one), manyUnits = unitsOf(large, many);
    s.sameWorkAssumed = !oneUnits || !manyUnits;
    const double work = s.sameWorkAssumed ? 1 : *manyUnits / *oneUnits; // of each device, beside the single one
    s.efficiency = work * oneNs / manyNs;
    s.speedup = s.efficiency * s.devices;
    nameCause(large, one, many, manyNs - work * oneNs, s);
    return s;
}

namespace {

Placeholders wordsOf(const Scaling &s)
{
    std::string limit = "What holds the rest is not visible in these captures.";
    if (!s.cause.empty())
        limit = "Most of the rest goes to " + s.cause + ": " + timeText(s.causeNs) + " of each step.";
    if (s.sameWorkAssumed)
        limit += " The units of work are not recorded: each device is taken to do as much per step as the single one.";
    return {{"n", std::to_string(s.devices)},
            {"efficiency", percentText(s.efficiency)},
            {"speedup", numberText(s.speedup)},
            {"limit", limit}};
}

std::string words(const Scaling &s, std::string CatalogueEntry::*text)
{
    const CatalogueEntry *entry = catalogueEntry("scaling");
    return entry ? fill(entry->*text, wordsOf(s)) : std::string();
}

} // namespace

std::string scalingTitle(const Scaling &scaling)
{
    return words(scaling, &CatalogueEntry::title);
}

std::string scalingText(const Scaling &scaling)
{
    return words(scaling, &CatalogueEntry::explanation);
}

} // namespace tuneline::analysis
