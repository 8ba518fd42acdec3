// SPDX-License-Identifier: GPL-3.0-or-later
// Tables over a whole trace: operators, kernels, API calls, ranges, Python functions. Sorted by time, most first.
// Linear in the number of events.
#pragma once

#include "analysis/metrics/names.h"
#include "analysis/trace/trace.h"

#include <optional>
#include <vector>

namespace tuneline::analysis {

// Times in ns. An event inside another of the same name counts as a call, but its time only once.
struct NameRow
{
    StringId name{0U};
    std::uint64_t calls = 0;
    std::uint64_t timed = 0; // calls with a known duration
    std::int64_t totalNs = 0;
    std::int64_t selfNs = 0; // without what is nested inside, of any kind
    std::int64_t deviceTotalNs = 0; // device records launched inside it
    std::int64_t deviceSelfNs = 0; // of those, the ones that no operator nested inside launched
    [[nodiscard]] std::optional<std::int64_t> meanNs() const noexcept
    {
        return timed == 0 ? std::nullopt : std::optional(totalNs / static_cast<std::int64_t>(timed));
    }
};

struct Tables
{
    std::vector<NameRow> ops, kernels, api, ranges, python, copies; // copies: by the record's name
};

struct CopyFigures
{
    std::int64_t bytes = 0;
    std::optional<double> meanBandwidthGbs; // mean of what the records state, else bytes / time
};

struct LinkFigures
{
    LinkCounts counts;
    std::optional<std::int64_t> meanLaunchDelayNs; // start of call to start of its first record, skewed ones left out
};

[[nodiscard]] Tables makeTables(const Trace &trace);
[[nodiscard]] CopyFigures copyFigures(const Trace &trace);
[[nodiscard]] LinkFigures linkFigures(const Trace &trace);
// Innermost operator that encloses an event on its lane; invalid = none.
[[nodiscard]] EventId enclosingOp(const Trace &trace, EventId e);

} // namespace tuneline::analysis
