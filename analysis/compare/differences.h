// SPDX-License-Identifier: GPL-3.0-or-later
// What is not the same in the baseline records of two captures, and whether they may be compared at all.
#pragma once

#include "analysis/compare/compare.h"
#include "analysis/trace/trace.h"

#include <map>

namespace tuneline::analysis {

// The facts of a run that a comparison looks at: knobs and program facts by their CLI.md names, machine and versions.
using BaselineRecord = std::map<std::string, std::string>;

[[nodiscard]] BaselineRecord baselineRecord(const Trace &trace);

struct Differences
{
    std::vector<Difference> list; // decisive ones first, then by key
    bool recorded = false; // both sides carry a baseline record: "no difference" means something
    std::uint32_t variables = 0; // how many of them are changes that somebody made on purpose (not seed, steps, out, …)
    [[nodiscard]] bool comparable() const;
};

[[nodiscard]] Differences findDifferences(const BaselineRecord &before, const BaselineRecord &after);

} // namespace tuneline::analysis
