// SPDX-License-Identifier: GPL-3.0-or-later
// The step time that a change would give, from replaying the changed event graph.
#pragma once

#include "analysis/whatif/change.h"
#include "analysis/whatif/criticalpath.h"
#include "analysis/whatif/eventgraph.h"
#include "analysis/whatif/replay.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

class RunFacts;

struct WhatIfResult
{
    std::int64_t stepNs = 0; // predicted step time of the undisturbed run
    std::int64_t lowNs = 0, highNs = 0; // lowNs ≤ stepNs ≤ highNs
    std::vector<std::string> assumptions; // what the prediction rests on, in words
};

struct WhatIfOptions
{
    std::optional<std::int64_t> batch; // present batch size, where marks and shapes don't say
    std::size_t mostEvents = kMostEvents; // of the graph; more are represented by the middle steps
};

// Graph and replay of one analysis; keep it to ask many questions. It keeps references into `analysis`, which must
// outlive it. predict() is const and may be called from any thread.
class WhatIf
{
public:
    explicit WhatIf(const Analysis &analysis, WhatIfOptions options = {});
    ~WhatIf();
    WhatIf(WhatIf &&) noexcept;
    WhatIf &operator=(WhatIf &&) noexcept;

    [[nodiscard]] bool usable() const; // false: no steps, nothing to replay
    [[nodiscard]] const EventGraph &graph() const;
    [[nodiscard]] const RunFacts &facts() const;
    [[nodiscard]] std::optional<std::int64_t> batch() const; // samples per step, nullopt = unknown
    [[nodiscard]] bool inputPaced() const; // the loaders set the pace: other changes show only once they keep up
    // The step that the loader threads can sustain, where the window's steps were shorter: they ran on batches that
    // were loaded before. It is the base of every prediction then.
    [[nodiscard]] std::optional<std::int64_t> loaderPaceNs() const;
    [[nodiscard]] std::int64_t measuredStepNs() const; // the median as traced
    [[nodiscard]] std::int64_t replayedStepNs() const; // unchanged graph, recording cost still in it
    [[nodiscard]] double replayError() const; // of the replay, against the measured median of the same steps
    [[nodiscard]] std::int64_t undisturbedStepNs() const; // recording cost taken out: the base of every prediction
    [[nodiscard]] std::int64_t undisturbedLowNs() const; // its range, from the uncertainty of the recording cost
    [[nodiscard]] std::int64_t undisturbedHighNs() const;

    // What limits the step with these changes, largest share first.
    [[nodiscard]] std::vector<PathShare> limits(const std::vector<Change> &changes) const;
    // All changes together. < 50 ms for 100,000 events.
    [[nodiscard]] WhatIfResult predict(const std::vector<Change> &changes) const;
    // Its stepNs alone, at a fifth of the cost.
    [[nodiscard]] std::int64_t predictedStepNs(const std::vector<Change> &changes) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace tuneline::analysis
