// SPDX-License-Identifier: GPL-3.0-or-later
// What a what-if asks for: RULE[:ARG][+RULE[:ARG]…] of CLI.md, or a slider of the window.
#pragma once

#include "analysis/result.h"
#include "analysis/trace/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

enum class ChangeKind : std::uint8_t {
    InputWorkers, // number = loader workers in all
    InputSynthetic,
    InputFaster, // factor on the time to load a batch (slider)
    CopyPageable,
    CopyNotOverlapped,
    SyncItem,
    SyncExplicit,
    SyncAllocation,
    LaunchBlocking,
    Tf32,
    PrecisionBf16,
    PrecisionFp16,
    ChannelsLast,
    AttentionUnfused,
    BiasBeforeNorm,
    Alignment,
    ZeroGradMemset,
    OptimizerFused,
    OptimizerForeach,
    CudaGraphs,
    Compile,
    BatchSize, // number = new batch
    Checkpointing,
    NoCheckpointing,
    CommExposed,
    Straggler,
    ScaleKernels, // factor on every kernel whose name contains `text` (slider)
    DropSync, // event = a blocking call that no longer blocks, there and in every other step (slider)
    // Changes that a finding needs beyond CLI.md's table, same spelling as its rule.
    CopyManySmall,
    CopyRoundtrip,
    HostWork,
    Recompile,
    CheckpointStall,
    PointwiseChains,
    WorkerRestart,
};

struct Change
{
    ChangeKind kind = ChangeKind::SyncItem;
    std::int64_t number = 0;
    double factor = 1.0;
    std::string text;
    EventId event;
};

// Parses CLI.md's spelling. Error::Code::Usage names the part that is not understood and lists what is.
[[nodiscard]] Result<std::vector<Change>> parseChanges(std::string_view text);
// The spelling that parseChanges reads; "" for sliders.
[[nodiscard]] std::string toString(const Change &change);

} // namespace tuneline::analysis
