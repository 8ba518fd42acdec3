// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/collectivematch.h"

#include "analysis/trace/saturate.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tuneline::analysis {

namespace {

constexpr std::int64_t kFarthest = 64; // collectives by which windows may begin apart
constexpr std::size_t kMost = 4096; // compared; more tell nothing new
constexpr std::size_t kFewest = 3;
constexpr std::int64_t kNoise = 1000; // ns: clocks are not better than that

std::int64_t medianOf(std::vector<std::int64_t> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::optional<CollectiveMatch> tryShift(std::span<const std::int64_t> reference, std::span<const std::int64_t> own,
                                        std::int64_t shift)
{
    std::vector<std::int64_t> apart;
    for (std::size_t i = 0; i < own.size() && apart.size() < kMost; ++i) {
        const std::int64_t j = static_cast<std::int64_t>(i) + shift;
        if (j >= 0 && j < static_cast<std::int64_t>(reference.size()))
            apart.push_back(saturatedDifference(reference[static_cast<std::size_t>(j)], own[i]));
    }
    // Windows that hardly overlap would match anything.
    if (apart.size() < kFewest || 2 * apart.size() < std::min(reference.size(), own.size()))
        return std::nullopt;
    CollectiveMatch match{shift, 0, 0, apart.size()};
    match.offsetNs = medianOf(apart);
    for (std::int64_t &a : apart)
        a = std::abs(saturatedDifference(a, match.offsetNs));
    match.residualNs = medianOf(apart);
    return match;
}

} // namespace

std::optional<CollectiveMatch> matchCollectives(std::span<const std::int64_t> reference,
                                                std::span<const std::int64_t> own, bool sameClock)
{
    std::vector<CollectiveMatch> tries;
    for (std::int64_t shift = -kFarthest; shift <= kFarthest; ++shift) {
        if (const auto match = tryShift(reference, own, shift))
            tries.push_back(*match);
    }
    if (tries.empty())
        return std::nullopt;
    const auto best = std::ranges::min(tries, {}, &CollectiveMatch::residualNs).residualNs;
    // Steps of equal length fit shifted as well. Then the clock decides where it can be trusted, else that windows
    // which hold as many collectives are the same windows, else the smallest step from what the clocks say.
    std::erase_if(tries, [&](const CollectiveMatch &m) { return m.residualNs > 4 * best + kNoise; });
    if (!sameClock && reference.size() == own.size()) {
        const auto unshifted = std::ranges::find(tries, 0, &CollectiveMatch::shift);
        if (unshifted != tries.end())
            return *unshifted;
    }
    return std::ranges::min(tries, {}, [](const CollectiveMatch &m) { return std::abs(m.offsetNs); });
}

} // namespace tuneline::analysis
