// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of one run that a comparison needs, per step and per unit of work. Times in ns.
#pragma once

#include "analysis/compare/compare.h"
#include "analysis/compare/statistics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tuneline::analysis {

struct OpFigures
{
    double nsPerStep = 0; // operators: self time on their thread; device records: their duration
    double callsPerStep = 0;
};

struct RunFigures
{
    Samples stepNs; // of the undisturbed run where the capture timed it, else of the steady steps
    bool undisturbed = false; // stepNs were timed without recording
    std::uint32_t steadySteps = 0;
    std::optional<double> unitsPerStep; // samples or tokens, from marks, else the batch size of the baseline record
    std::map<std::string, Samples> perStep; // figure by metric name, one value per steady step
    std::map<std::string, double> perRun; // figures that exist once
    std::map<std::string, OpFigures> ops, deviceRecords; // by name, main source, steady steps only
    Samples losses; // as marked, in order; may hold NaN and infinities
    double skippedSteps = 0;
};

[[nodiscard]] RunFigures figuresOf(const Analysis &analysis);

} // namespace tuneline::analysis
