// SPDX-License-Identifier: GPL-3.0-or-later
// Did the change work? Compares two sides of an experiment, each one capture or several repeats, by step and by unit of
// work, never by totals. Ratios are after / before − 1: −0.2 is 20 % less.
#pragma once

#include "analysis/compare/scaling.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

struct Analysis;
struct Advice;

// One capture with what was found in it. Both pointers are shared with whoever opened it.
struct ComparedRun
{
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const Advice> advice;
};

enum class Verdict : std::uint8_t {
    Confirmed, // the step (per unit of work) got shorter, beyond what chance explains, and no guard failed
    NotConfirmed, // no difference that chance does not explain, or a guard failed
    Regressed, // it got longer, beyond what chance explains
    NotComparable, // different model, device, world size, …: no figure would mean anything
};
[[nodiscard]] const char *toText(Verdict verdict); // as in CLI.md: "confirmed", "not-confirmed", …

// A knob or fact of the run that is not the same on both sides; values as the captures state them.
struct Difference
{
    std::string key; // knob names of CLI.md
    std::string before, after;
    bool decisive = false; // makes the two sides incomparable
};

struct MetricChange
{
    std::string name; // step_time, units_per_s, busy, input_wait, …
    std::string label; // for people: "Step time"
    std::string unit; // "ns", "1/s", "" for a ratio
    std::optional<double> before, after;
    std::optional<double> change; // after / before − 1; ratios 0..1: after − before
    std::optional<double> ciLow, ciHigh; // 95 % confidence interval of change
    std::optional<bool> significant;
    bool lowerIsBetter = true;
};

enum class FindingState : std::uint8_t { Resolved, Improved, Unchanged, Worse, New };
[[nodiscard]] const char *toText(FindingState state);

struct FindingChange
{
    std::string rule, title;
    double beforeShare = 0, afterShare = 0; // of the step
    FindingState state = FindingState::Unchanged;
};

enum class OpState : std::uint8_t { Changed, Added, Removed, Same };
[[nodiscard]] const char *toText(OpState state);

struct OpChange
{
    std::string name;
    bool onDevice = false; // a kernel by name, else an operator by self time
    double beforeNsPerStep = 0, afterNsPerStep = 0;
    double callsBefore = 0, callsAfter = 0; // per step
    OpState state = OpState::Same;
};

enum class GuardState : std::uint8_t { Pass, Fail, NotMeasured };
[[nodiscard]] const char *toText(GuardState state);

// Something that must not have been paid for the speed.
struct Guard
{
    std::string name; // loss_parity, finite, work_done
    GuardState state = GuardState::NotMeasured;
    std::string why;
};

// What the advisor had said about just this change, against what was measured. Shares of the step saved.
struct PredictionOutcome
{
    std::string rule; // the change as CLI.md spells it, several joined by +
    double low = 0, high = 0, measured = 0;
    bool hit = false;
};

struct Comparison
{
    bool comparable = true;
    std::vector<Difference> differences;
    bool oneVariable = false; // exactly one knob was changed
    std::uint32_t stepsBefore = 0, stepsAfter = 0; // steady steps of all runs of a side
    std::uint32_t runsBefore = 0, runsAfter = 0;
    std::vector<MetricChange> metrics; // step_time first
    std::vector<FindingChange> findings;
    std::vector<OpChange> ops; // largest change of ns per step first
    std::optional<PredictionOutcome> prediction;
    std::optional<Scaling> scaling; // one device against several
    std::vector<Guard> guards;
    Verdict verdict = Verdict::NotConfirmed;
    std::string why; // the verdict's reason, one or two sentences with figures
    std::string bottleneckBefore, bottleneckAfter; // StepSet bound or the first finding's rule
    std::vector<std::string> notes; // what weakens the comparison: few steps, no repeats, slow-down of the capture
};

// Neither side may be empty. Pure; any thread.
[[nodiscard]] Comparison compare(const std::vector<ComparedRun> &before, const std::vector<ComparedRun> &after);

} // namespace tuneline::analysis
