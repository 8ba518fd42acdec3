// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a sequence of tokens: what it launches, one after another; without a device, its operators.
#pragma once

#include "analysis/metrics/names.h"
#include "analysis/trace/trace.h"

#include <vector>

namespace tuneline::analysis {

struct Token
{
    std::int64_t time = 0; // host time
    StringId name{0U}; // of the first record launched, or of the operator
    EventId event; // the launch call or the operator
    std::uint32_t traits = 0; // NameTrait bits of that name; kBackward also where a backward operator launched it
};

[[nodiscard]] std::vector<Token> tokensOf(const Trace &trace, const NameTable &names, SourceId source);

// Where something that comes once a step stands in the sequence.
struct Anchor
{
    StringId name{0U};
    std::uint32_t traits = 0;
    std::uint32_t period = 0; // tokens, median
    std::vector<std::uint32_t> begins, ends; // of each run of it; ends: one behind its last token
};

// All names whose runs follow each other at regular distance.
[[nodiscard]] std::vector<Anchor> regularAnchors(const std::vector<Token> &tokens);

inline constexpr std::uint32_t kLookAhead = 64, kLookBack = 16; // tokens compared to find where a step begins

// How many of the tokens around two places are the same: from the place on, and some before it where both have them.
[[nodiscard]] std::uint32_t likeness(const std::vector<Token> &tokens, std::uint32_t a, std::uint32_t b);
// The place that looks most like `pattern`, nearest to the guess first.
[[nodiscard]] std::uint32_t mostAlike(const std::vector<Token> &tokens, std::uint32_t pattern, std::uint32_t guess,
                                      std::uint32_t reach);

} // namespace tuneline::analysis
