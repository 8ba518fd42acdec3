// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/analysis.h"

#include "analysis/whatif/whatif.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// The parts of a gap that would go on without the blocking call in which it began.
std::int64_t refillOf(const DeviceMetrics &device, const IdleGap &gap)
{
    std::int64_t ns = 0;
    for (std::uint32_t i = gap.firstPiece; i < gap.firstPiece + gap.pieces; ++i) {
        const IdlePiece &piece = device.pieces[i];
        if (piece.cause == IdleCause::LaunchCalls || piece.cause == IdleCause::HostOperators
            || piece.cause == IdleCause::HostCode)
            ns += piece.end - piece.start;
    }
    return ns;
}

// What the replay saves without any blocking call goes to the gaps that began inside one, by their refill.
std::vector<std::int64_t> vanishing(const DeviceMetrics &device, std::int64_t savedNs)
{
    std::vector<std::int64_t> refill(device.gaps.size(), 0);
    std::int64_t all = 0, already = 0;
    for (std::size_t i = 0; i < device.gaps.size(); ++i) {
        if (device.gaps[i].insideBlocking.valid())
            all += refill[i] = refillOf(device, device.gaps[i]);
    }
    already = device.idle.of(IdleCause::Synchronisation); // counted as such without the replay
    const std::int64_t move = std::clamp<std::int64_t>(savedNs - already, 0, all);
    for (std::int64_t &ns : refill)
        ns = all == 0
            ? 0
            : static_cast<std::int64_t>(static_cast<double>(ns) * static_cast<double>(move) / static_cast<double>(all));
    return refill;
}

} // namespace

ReplayAnswers replayAnswers(const Analysis &analysis)
{
    ReplayAnswers answers;
    answers.whatIf = std::make_shared<const WhatIf>(analysis);
    const WhatIf &whatIf = *answers.whatIf;
    if (!whatIf.usable())
        return answers;
    std::vector<Change> changes(2);
    changes[0].kind = ChangeKind::SyncItem;
    changes[1].kind = ChangeKind::SyncExplicit;
    if (analysis.host().launchesBlock())
        changes.emplace_back().kind = ChangeKind::LaunchBlocking;
    const std::int64_t saved = std::max<std::int64_t>(0, whatIf.undisturbedStepNs() - whatIf.predictedStepNs(changes));
    answers.trueSyncCostNsPerStep = saved;
    if (const DeviceMetrics *device = analysis.device())
        answers.vanishingNs = vanishing(*device, saved * static_cast<std::int64_t>(analysis.steps.size()));
    return answers;
}

} // namespace tuneline::analysis
