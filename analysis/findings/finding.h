// SPDX-License-Identifier: GPL-3.0-or-later
// One bottleneck that the advisor found, with its evidence on the timeline, its fix and what the fix should bring.
#pragma once

#include "analysis/trace/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

enum class FindingSeverity : std::uint8_t { Time, Risk };
enum class Confidence : std::uint8_t { High, Medium, Low };

struct Evidence
{
    std::int64_t start = 0; // ns, trace time
    std::int64_t duration = 0;
    LaneId lane;
    EventId event; // invalid = a gap or an interval without one event
    std::string what;
};

struct Gain
{
    std::int64_t lowNs = 0, highNs = 0; // of step time saved, low ≤ high; may be negative
    std::int64_t predictedStepNs = 0;
};

struct Fix
{
    std::string where; // what of the reader's program the code replaces or joins, one sentence
    std::string cpp, python; // code, several lines
    std::optional<std::string> knob; // of tuneline-train: "workers=6"
};

struct Verification
{
    std::string metric, expect;
};

struct Finding
{
    std::string rule; // id of RULES.md
    FindingSeverity severity = FindingSeverity::Time;
    std::string title;
    double share = 0; // of step time, 0..1
    Gain gain;
    Confidence confidence = Confidence::Medium;
    std::vector<Evidence> evidence;
    std::string explanation;
    Fix fix;
    Verification verify;
    std::vector<std::string> caveats;
    std::vector<std::string> makesUseless; // rules that lose their point once this is fixed
    std::string whatIf; // the change behind the gain, as CLI.md spells it; "" = none
};

enum class CheckResult : std::uint8_t { Fine, NotMeasurable, NotApplicable };

struct CheckedRule
{
    std::string rule;
    CheckResult result = CheckResult::Fine;
    std::string why;
};

} // namespace tuneline::analysis
