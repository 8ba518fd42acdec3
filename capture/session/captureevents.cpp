// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/captureevents.h"

#include <algorithm>
#include <array>

namespace tuneline::capture {

std::string_view stateName(SessionState state) noexcept
{
    constexpr std::array<std::string_view, 8> kNames{"starting",  "dormant",        "warming-up", "baseline",
                                                     "recording", "baseline-after", "finished",   "failed"};
    return kNames[static_cast<std::size_t>(state)];
}

SessionProgress summarise(std::vector<RankProgress> ranks)
{
    SessionProgress all;
    if (!ranks.empty()) {
        const auto least = [&](auto field) { return std::invoke(field, *std::ranges::min_element(ranks, {}, field)); };
        all.state = least(&RankProgress::state);
        all.stepsSeen = least(&RankProgress::stepsSeen);
        all.windowSteps = least(&RankProgress::windowSteps);
    }
    for (const auto &rank : ranks) {
        all.records += rank.records;
        all.dropped += rank.dropped;
        all.bytes += rank.bytes;
        if (all.message.empty())
            all.message = rank.message;
    }
    all.ranks = std::move(ranks);
    return all;
}

} // namespace tuneline::capture
