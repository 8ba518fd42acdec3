// SPDX-License-Identifier: GPL-3.0-or-later
// How much of n times one device's throughput n devices reach, and what holds the rest.
#pragma once

#include <optional>
#include <string>

namespace tuneline::analysis {

struct Analysis;

struct Scaling
{
    int devices = 0; // of the larger side; the other one has one device
    double speedup = 0; // throughput of n devices / throughput of one
    double efficiency = 0; // speedup / devices
    bool sameWorkAssumed = false; // no side states its units of work: every device is taken to do as much as the one
    std::string cause; // rule that holds most of the loss: comm-exposed, straggler, input-wait; "" = none stands out
    double causeNs = 0; // per step
};

// Below this the rule `scaling` speaks (RULES.md).
inline constexpr double kGoodEfficiency = 0.9;

// Of the whole run, as far as it is known. Ranks use one device each; a capture of one rank of many states the size of
// its world.
[[nodiscard]] int devicesOf(const Analysis &analysis);
// nullopt: not one device against several, or no steps. Either side may be the larger one.
[[nodiscard]] std::optional<Scaling> scalingBetween(const Analysis &before, const Analysis &after);
// The rule's title and explanation from the catalogue, with the figures.
[[nodiscard]] std::string scalingTitle(const Scaling &scaling);
[[nodiscard]] std::string scalingText(const Scaling &scaling);

} // namespace tuneline::analysis
