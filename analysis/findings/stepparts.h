// SPDX-License-Identifier: GPL-3.0-or-later
// The step time as parts that add up to it, the same list in every report and in the window: each view adds its
// colours.
#pragma once

#include "analysis/findings/advice.h"
#include "analysis/metrics/causes.h"

#include <string>
#include <vector>

namespace tuneline::analysis {

enum class PartKind : std::uint8_t { Compute, ExposedCopy, ExposedComm, Idle };

struct StepPart
{
    PartKind kind = PartKind::Compute;
    IdleCause cause = IdleCause::Unknown; // of Idle; without a device it is what the training thread did
    const char *name = ""; // the word of DESIGN section 4
    std::int64_t ns = 0; // per step
};

// In drawing order: work, exposed transfers, idle by cause. Parts of 0 ns are left out.
[[nodiscard]] std::vector<StepPart> stepParts(const StepSummary &step);

// The captured step and the undisturbed one differ by more than rounding: lanes and metrics show the first, gains refer
// to the second, so a reader must be told both.
[[nodiscard]] bool showsBothTimes(const StepSummary &step);
// Why they differ: "without the capture's own cost". "" where they don't.
[[nodiscard]] std::string timesDifferBy(const StepSummary &step);
// "25.1 ms captured, about 15.1 ms without the capture's own cost"; one figure where they don't differ.
[[nodiscard]] std::string stepTimesText(const StepSummary &step);

// Which of the two times the figures of findings refer to. "" where they don't differ.
[[nodiscard]] std::string timesUsedText(const StepSummary &step);

// "Gains come from replaying the middle 61 of 300 steps, …": "" where the whole window was replayed.
[[nodiscard]] std::string replayedStepsText(const Advice &advice);

} // namespace tuneline::analysis
