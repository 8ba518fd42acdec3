// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/recordingcost.h"

#include "analysis/analysis.h"
#include "analysis/whatif/replay.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// What torch.profiler adds for each recorded host event, measured on launch-bound runs (DESIGN section 4).
constexpr double kProfilerLowNs = 1800, kProfilerNs = 2700, kProfilerHighNs = 4300;
// What Tuneline's agent adds, as a share of a recorded launch call: both go with the speed of the processor. Each
// capture of a launch-bound run tells its own; 14 of them lie between 0.26 and 0.48.
constexpr double kAgentLow = 0.28, kAgentUsual = 0.38, kAgentHigh = 0.48;
constexpr double kOperatorNs = 420; // of an operator alone, where no device is recorded (64 us for 151)
// No recorder costs more for an event; a slow-down that would need it has other causes, too.
constexpr double kMostCostNs = kProfilerHighNs;

Replay replayWithCost(const EventGraph &graph, double cost)
{
    GraphState state = stateOf(graph);
    removeRecordingCost(graph, cost, state);
    return replay(graph, state);
}

double hostStepWithCost(const EventGraph &graph, double cost)
{
    return static_cast<double>(replayWithCost(graph, cost).hostStepNs);
}

// The least cost that brings the training thread's step down to `hostNs`.
double costThatGives(const EventGraph &graph, double hostNs)
{
    double low = 0, high = kMostCostNs;
    for (int i = 0; i < 10; ++i) {
        const double middle = (low + high) / 2;
        (hostStepWithCost(graph, middle) > hostNs ? low : high) = middle;
    }
    return (low + high) / 2;
}

// By kernel launches that did not wait for anything: those below the middle of all.
RecordingCost usualCost(const Trace &trace, const EventGraph &graph)
{
    std::vector<std::int64_t> launches;
    for (const GraphNode &n : graph.nodes) {
        const EventId record = n.kind == NodeKind::Call ? trace.events.launch[n.event.value] : EventId{};
        if (record.valid() && trace.kind(record) == EventKind::Kernel)
            launches.push_back(trace.duration(n.event));
    }
    if (launches.empty())
        return {0.7 * kOperatorNs, kOperatorNs, 1.4 * kOperatorNs};
    const auto quarter = launches.begin() + static_cast<std::ptrdiff_t>(launches.size() / 4);
    std::nth_element(launches.begin(), quarter, launches.end());
    const auto launch = static_cast<double>(*quarter);
    return {kAgentLow * launch, kAgentUsual * launch, kAgentHigh * launch};
}

// The cost at which the training thread's step is as much shorter as it was without recording. The agent times steps on
// that thread: of a host that runs ahead of its device, that is not the step's own time; of one that its device holds
// back, it says little of the host.
RecordingCost costOfSlowdown(const EventGraph &graph, const RecordingCost &usual, double slowdown)
{
    constexpr double kSame = 0.03;
    const double wanted = hostStepWithCost(graph, 0) / slowdown, least = hostStepWithCost(graph, kMostCostNs);
    if (least > wanted) {
        const double c = costThatGives(graph, (1 + kSame) * least);
        return c > usual.expected ? RecordingCost{0.8 * c, c, 1.2 * c} : usual;
    }
    const double c = costThatGives(graph, wanted);
    if (c < usual.low && static_cast<double>(replayWithCost(graph, usual.expected).stepNs) >= (1 - kSame) * wanted)
        return usual;
    return {0.8 * c, c, 1.2 * c};
}

// The cost was measured on launch-bound runs, where every event's shows. The busier the device, the less of it does.
double launchBoundness(const Analysis &analysis)
{
    const double step = static_cast<double>(std::max<std::int64_t>(1, analysis.breakdown.total()));
    const double idle = static_cast<double>(analysis.breakdown.idle.total()) / step;
    return analysis.device() ? std::clamp(idle / 0.3, 0.4, 1.0) : 1.0;
}

} // namespace

RecordingCost recordingCost(const Analysis &analysis, const EventGraph &graph)
{
    if (analysis.trace->sources.empty() || graph.nodes.empty())
        return {};
    const Source &source = analysis.trace->sources[analysis.mainSource];
    if (source.capture.slowdown && *source.capture.slowdown > 1)
        return costOfSlowdown(graph, usualCost(*analysis.trace, graph), *source.capture.slowdown);
    if (!source.capture.detail.empty()) // our agent's: no steps around the window, or its device hid the cost
        return usualCost(*analysis.trace, graph);
    const bool known = source.capture.hostEventCostNs > 0;
    if (!known && source.format != SourceFormat::KinetoJson)
        return {};
    const double c = (known ? source.capture.hostEventCostNs : kProfilerNs) * launchBoundness(analysis);
    return {c * kProfilerLowNs / kProfilerNs, c, c * kProfilerHighNs / kProfilerNs};
}

} // namespace tuneline::analysis
