// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/prediction.h"

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/whatif/whatif.h"

#include <algorithm>
#include <array>

namespace tuneline::analysis {

namespace {

struct KnobChange
{
    std::string_view key, after; // after "*": any value, which becomes the argument
    std::string_view change;
};

// Knobs of CLI.md and the changes of its what-if table that turning them makes.
constexpr std::array kKnobChanges{
    KnobChange{"workers", "*", "input-wait:workers="},
    KnobChange{"synthetic_batch", "true", "input-wait:synthetic"},
    KnobChange{"pin_memory", "true", "copy-pageable"},
    KnobChange{"non_blocking", "true", "copy-pageable"},
    KnobChange{"precision", "tf32", "tf32-off"},
    KnobChange{"precision", "bf16", "precision:bf16"},
    KnobChange{"precision", "fp16", "precision:fp16"},
    KnobChange{"channels_last", "true", "channels-last"},
    KnobChange{"optimizer", "sgd-multi", "optimizer-unfused:foreach"},
    KnobChange{"optimizer", "adamw-multi", "optimizer-unfused:foreach"},
    KnobChange{"zero_grad", "none", "zero-grad-memset"},
    KnobChange{"loss_every", "*", "sync-item"},
    KnobChange{"cuda_graph", "true", "launch-bound:cuda-graphs"},
    KnobChange{"batch_size", "*", "batch-size:"},
    KnobChange{"checkpointing", "true", "memory-limit:checkpointing"},
    KnobChange{"checkpointing", "false", "checkpointing-unneeded"},
};

std::string_view normalised(std::string_view value)
{
    if (value == "1" || value == "on" || value == "yes")
        return "true";
    if (value == "0" || value == "off" || value == "no")
        return "false";
    return value;
}

} // namespace

std::string whatIfOf(const Difference &difference)
{
    for (const KnobChange &k : kKnobChanges) {
        if (k.key != difference.key)
            continue;
        if (k.after == "*")
            return std::string(k.change)
                + (k.change.ends_with('=') || k.change.ends_with(':') ? difference.after : std::string());
        if (k.after == normalised(difference.after))
            return std::string(k.change);
    }
    return {};
}

std::optional<PredictionOutcome> judgePrediction(const ComparedRun &before, const std::vector<Difference> &differences,
                                                 double measuredShareSaved)
{
    std::string question;
    for (const Difference &d : differences) {
        const std::string change = whatIfOf(d);
        if (change.empty() || question.find(change) != question.npos)
            continue;
        question += (question.empty() ? "" : "+") + change;
    }
    if (question.empty() || !before.analysis)
        return std::nullopt;
    const auto changes = parseChanges(question);
    if (!changes)
        return std::nullopt; // a knob's value that the table does not cover, such as "workers" without a number
    const WhatIf whatIf(*before.analysis);
    const auto base = static_cast<double>(whatIf.undisturbedStepNs());
    if (!whatIf.usable() || base <= 0)
        return std::nullopt;

    const WhatIfResult predicted = whatIf.predict(*changes);
    PredictionOutcome outcome;
    outcome.rule = question;
    outcome.low = 1 - static_cast<double>(predicted.highNs) / base;
    outcome.high = 1 - static_cast<double>(predicted.lowNs) / base;
    outcome.measured = measuredShareSaved;
    // The tolerance of check_truth.py: a range is held against what can be measured, ± 3 % of the step.
    outcome.hit = outcome.low - 0.03 <= measuredShareSaved && measuredShareSaved <= outcome.high + 0.03;
    return outcome;
}

} // namespace tuneline::analysis
