// SPDX-License-Identifier: GPL-3.0-or-later
// Changes a graph's state on behalf of one what-if. One thread; lives as long as one prediction.
#pragma once

#include "analysis/whatif/change.h"
#include "analysis/whatif/replay.h"
#include "analysis/whatif/runfacts.h"

#include <optional>
#include <string>
#include <vector>

namespace tuneline::analysis {

// How sure to be: each change is applied three times.
enum class Outlook : std::uint8_t { Pessimistic, Expected, Optimistic };

class GraphEdit
{
public:
    GraphEdit(const RunFacts &runFacts, GraphState &graphState, Outlook howSure)
        : facts(runFacts)
        , state(graphState)
        , outlook(howSure)
    { }

    const RunFacts &facts;
    GraphState &state;
    const Outlook outlook;
    std::optional<std::int64_t> batch; // present batch size
    double stepFloorNs = 0; // the step can't be shorter, whatever the replay says (loader throughput)
    std::vector<std::string> assumptions;

    // Picks by outlook.
    [[nodiscard]] double pick(double pessimistic, double expected, double optimistic) const
    {
        return outlook == Outlook::Expected ? expected : outlook == Outlook::Optimistic ? optimistic : pessimistic;
    }
    void assume(std::string text);

    void setDuration(std::uint32_t node, double ns);
    void scale(std::uint32_t node, double factor)
    {
        setDuration(node, factor * static_cast<double>(state.duration[node]));
    }
    // A host node or device record that goes away; a record takes the cost of its launch with it.
    void dropHost(std::uint32_t node) { state.duration[node] = 0; }
    void dropDevice(std::uint32_t node);
    // The call's end no longer waits for the device.
    void unblock(std::uint32_t wait);
    // Adds host time before a node's end.
    void addHost(std::uint32_t node, double ns) { setDuration(node, static_cast<double>(state.duration[node]) + ns); }
};

// Each applies one family of changes; false = not this family's.
bool applyInputChange(const Change &change, GraphEdit &edit);
bool applySyncChange(const Change &change, GraphEdit &edit);
bool applyPrecisionChange(const Change &change, GraphEdit &edit);
bool applyKernelChange(const Change &change, GraphEdit &edit);
bool applyLaunchChange(const Change &change, GraphEdit &edit);
bool applyBatchChange(const Change &change, GraphEdit &edit);
bool applyMemoryChange(const Change &change, GraphEdit &edit);
bool applyRankChange(const Change &change, GraphEdit &edit);

} // namespace tuneline::analysis
