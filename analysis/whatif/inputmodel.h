// SPDX-License-Identifier: GPL-3.0-or-later
// How the input keeps up: what one batch costs the loaders, how many there are, what a ready batch costs the thread.
#pragma once

#include "analysis/whatif/graphedit.h"

#include <optional>

namespace tuneline::analysis {

struct InputModel
{
    std::optional<int> workers; // 0 = the training thread loads itself; nullopt = unknown
    bool workersGuessed = false; // from the pattern of the waits
    std::optional<int> cores; // that the process may use
    std::optional<double> usedCores; // share of all cores that was busy, 0..1
    double waitNs = 0; // per step, as it is
    double handOverNs = 0; // per step, of a batch that is ready
    bool inMostSteps = false; // waits for batches that were not ready: the loaders set the pace
    double loadNs = 0; // one worker's time for a batch (a step's worth); 0 = not known, it never held the step up
    // A step at the pace of the loader threads, where that is longer than the window's steps (they ran on batches that
    // were loaded before); 0 = it is not, or there are no such threads.
    double paceNs = 0, paceLowNs = 0, paceHighNs = 0;
};

[[nodiscard]] InputModel inputModel(const RunFacts &facts);
[[nodiscard]] bool isInputNode(const GraphNode &node);
// The transfer operator around a copy call waits for nothing any more.
void unblockTransfer(GraphEdit &edit, std::uint32_t call);
// The stretch of host code right after a large copy from pageable memory, in which the program gives the batch's memory
// back (a shared-memory segment of a loader process): node, kNone = there is none.
[[nodiscard]] std::uint32_t releaseAfter(const RunFacts &facts, std::uint32_t call);
// A copy to the host and the next copy of exactly that size back, in one step: nodes. Sizes above 64 KB.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> roundtrips(const RunFacts &facts);
// By node: is it such a stretch, after any large pageable copy?
[[nodiscard]] std::vector<bool> releaseGaps(const RunFacts &facts);
// The whole transfer operator around a copy call goes.
void dropTransfer(GraphEdit &edit, std::uint32_t call);

// A stretch of host code at least this long is work of the program, not the loop between two operators.
inline constexpr std::int64_t kLongHostCodeNs = 300'000;
// By node: is it such a stretch of the training thread, at a place where most steps have one? Not what belongs to
// copies (releaseGaps), and not what the optimizer's own step or zero_grad does between its operators: nobody can move
// that out of the loop.
[[nodiscard]] std::vector<bool> hostWork(const RunFacts &facts);

} // namespace tuneline::analysis
