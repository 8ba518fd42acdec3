// SPDX-License-Identifier: GPL-3.0-or-later
// The host is slower than the device: launch-bound steps, chains of small kernels, compilation, the program's own code.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/inputmodel.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr double kManyKernels = 100; // per step
constexpr double kShortKernelNs = 30e3; // mean: longer ones give the host time to keep ahead

// The longest gaps of a cause, as evidence.
void gapEvidence(const RuleContext &c, Finding &f, const std::vector<IdleCause> &causes, std::size_t most)
{
    if (!c.device)
        return;
    std::vector<IdlePiece> pieces;
    for (const IdlePiece &p : c.device->pieces)
        if (std::find(causes.begin(), causes.end(), p.cause) != causes.end())
            pieces.push_back(p);
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const IdlePiece &a, const IdlePiece &b) { return a.end - a.start > b.end - b.start; });
    pieces.resize(std::min(pieces.size(), most));
    for (const IdlePiece &p : pieces) {
        std::string what = "device idle " + timeText(static_cast<double>(p.end - p.start));
        if (p.event.valid())
            what += ": host in " + std::string(c.trace.name(p.event));
        f.evidence.push_back({p.start, p.end - p.start,
                              p.event.valid() ? c.trace.events.lane[p.event.value] : c.analysis.stepSet().trainingLane,
                              p.event, what});
    }
}

// Operators on whose account the device idles most.
std::string idleOperators(const RuleContext &c)
{
    std::map<std::string, std::int64_t> time;
    for (const IdlePiece &p : c.device->pieces)
        if (p.cause == IdleCause::HostOperators && p.event.valid())
            time[operatorAt(c, p.event)] += p.end - p.start;
    std::vector<std::pair<std::int64_t, std::string>> sorted;
    for (const auto &[name, ns] : time)
        sorted.emplace_back(ns, name);
    std::sort(sorted.rbegin(), sorted.rend());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); ++i)
        text +=
            (i > 0 ? ", " : "") + sorted[i].second + " " + timeText(c.perStep(static_cast<double>(sorted[i].first)));
    return text.empty() ? text : " Most of it in " + text + " per step.";
}

} // namespace

void checkLaunchBound(const RuleContext &c, RuleReport &report)
{
    if (!c.device) {
        report.notApplicable("launch-bound", "no device work");
        return;
    }
    if (!c.idleMeasurable) {
        report.notMeasurable("launch-bound", "idle in this capture may be an artefact: " + c.device->unreliableWhy);
        return;
    }
    const double idle =
        c.idle(IdleCause::HostOperators) + c.idle(IdleCause::LaunchCalls) + c.idle(IdleCause::DeviceWait);
    double kernels = 0, ns = 0;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i)
        if (c.facts.work[i].cls != WorkClass::None && c.trace.kind(c.facts.graph.nodes[i].event) == EventKind::Kernel) {
            ++kernels;
            ns += static_cast<double>(c.facts.graph.nodes[i].duration);
        }
    const double mean = kernels > 0 ? ns / kernels : 0;
    kernels = c.perStep(kernels);
    // The recording's own cost lies in these gaps: what a replay without it leaves is what counts.
    const double real = std::max(0.0, idle - (c.tracedStepNs - c.stepNs));
    if (real < 0.05 * c.stepNs || kernels < kManyKernels || mean > kShortKernelNs) {
        report.fine("launch-bound",
                    real < 0.05 * idle && idle > 0.05 * c.tracedStepNs
                        ? "the idle time vanishes when the recording's own cost is taken out"
                        : "the device idles " + percentText(real / c.stepNs)
                            + " of the step while the host issues work");
        return;
    }
    Placeholders words{{"idle", timeText(real)},
                       {"kernels", numberText(kernels)},
                       {"mean", timeText(mean)},
                       {"queue", numberText(c.device->meanQueue)},
                       {"top", idleOperators(c)}};
    Finding f = makeFinding(c, "launch-bound", real, {change(ChangeKind::CudaGraphs)}, words);
    // torch.compile is the milder of the two fixes: the range reaches down to it.
    const WhatIfResult compiled = c.whatIf.predict({change(ChangeKind::Compile)});
    f.gain.lowNs = std::min(f.gain.lowNs, static_cast<std::int64_t>(c.stepNs) - compiled.highNs);
    f.share = std::clamp(real / c.stepNs, 0.0, 1.0);
    f.fix.knob = "cuda_graph=true";
    gapEvidence(c, f, {IdleCause::HostOperators, IdleCause::LaunchCalls}, 40);
    report.add(c, std::move(f));
}

void checkPointwiseChains(const RuleContext &c, RuleReport &report)
{
    struct Run
    {
        std::vector<std::uint32_t> nodes;
    };
    std::map<std::uint16_t, Run> open;
    std::vector<Run> chains;
    const auto close = [&](Run &run) {
        if (run.nodes.size() >= 3)
            chains.push_back(run);
        run.nodes.clear();
    };
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        if (c.facts.work[i].cls == WorkClass::None)
            continue;
        Run &run = open[c.facts.graph.nodes[i].row];
        const bool pointwise = c.facts.work[i].cls == WorkClass::Pointwise
            && (c.facts.launchedWithin(i) & (HostTrait::kOptimizer | HostTrait::kZeroGrad)) == 0;
        // The same grid means the same number of elements.
        const KernelDetail *a = c.trace.kernel(c.facts.graph.nodes[i].event);
        const KernelDetail *b = run.nodes.empty() ? a : c.trace.kernel(c.facts.graph.nodes[run.nodes.back()].event);
        const bool sameSize =
            a && b && std::max(a->grid[0], b->grid[0]) <= 4 * std::max(1, std::min(a->grid[0], b->grid[0]));
        if (!pointwise || !sameSize)
            close(run);
        if (pointwise)
            run.nodes.push_back(i);
    }
    for (auto &[row, run] : open)
        close(run);
    double kernels = 0, ns = 0;
    for (const Run &r : chains)
        for (const std::uint32_t i : r.nodes) {
            ++kernels;
            ns += static_cast<double>(c.facts.graph.nodes[i].duration);
        }
    const double time = c.perStep(ns);
    if (chains.empty() || c.share(time) < 0.02) {
        report.fine("pointwise-chains",
                    "chains of elementwise kernels take " + percentText(c.share(time)) + " of the step");
        return;
    }
    const auto &longest = *std::max_element(chains.begin(), chains.end(),
                                            [](const Run &a, const Run &b) { return a.nodes.size() < b.nodes.size(); });
    const std::uint32_t call = c.facts.work[longest.nodes.front()].call;
    const std::string op = call == RunFacts::kNone ? "" : operatorAt(c, c.facts.graph.nodes[call].event);
    Finding f = makeFinding(
        c, "pointwise-chains", time, {change(ChangeKind::PointwiseChains)},
        {{"kernels", numberText(c.perStep(kernels))},
         {"chains", numberText(c.perStep(static_cast<double>(chains.size())))},
         {"example", "the longest has " + std::to_string(longest.nodes.size()) + " kernels and starts with " + op},
         {"time", timeText(time)}});
    for (const Run &r : chains)
        addEvidence(f, c.trace.start(c.facts.graph.nodes[r.nodes.front()].event),
                    c.trace.end(c.facts.graph.nodes[r.nodes.back()].event),
                    c.facts.graph.rows[c.facts.graph.nodes[r.nodes.front()].row].lane,
                    std::to_string(r.nodes.size()) + " elementwise kernels in a row");
    report.add(c, std::move(f));
}

void checkRecompiles(const RuleContext &c, RuleReport &report)
{
    double ns = 0;
    std::vector<EventId> evidence;
    std::vector<std::string> names;
    for (const GraphNode &n : c.facts.graph.nodes)
        if (n.kind != NodeKind::Device && n.cause == IdleCause::Compilation)
            ns += static_cast<double>(n.duration);
    for (std::uint32_t i = 0; i < c.trace.events.size(); ++i) {
        const EventId e{i};
        const bool compile = c.trace.kind(e) == EventKind::Compile
            || (c.trace.laneOf(e).kind == LaneKind::Cpu
                && (c.analysis.names.of(c.trace, e) & NameTrait::kCompilation) != 0);
        const EventId parent = c.trace.events.parent[i];
        const bool outermost = !parent.valid() || (c.facts.within[parent.value] & NameTrait::kCompilation) == 0;
        if (!compile || !outermost || c.analysis.stepSet().stepAtHost(c.trace.start(e)) == StepSet::kNoStep)
            continue;
        evidence.push_back(e);
        names.emplace_back(c.trace.name(e));
    }
    const double time = c.perStep(ns);
    if (evidence.empty() || c.share(time) < 0.01) {
        report.fine("recompile",
                    evidence.empty() ? "nothing is compiled in the window"
                                     : "compilation takes " + percentText(c.share(time)) + " of the step");
        return;
    }
    std::string what = mostFrequent(names, 1, 2);
    Finding f = makeFinding(c, "recompile", time, {change(ChangeKind::Recompile)},
                            {{"count", std::to_string(evidence.size())},
                             {"what", what},
                             {"time", timeText(time)},
                             {"example",
                              ", the longest "
                                  + timeText(static_cast<double>(c.trace.duration(
                                      *std::max_element(evidence.begin(), evidence.end(), [&](EventId a, EventId b) {
                                          return c.trace.duration(a) < c.trace.duration(b);
                                      }))))}});
    for (const EventId e : evidence)
        addEvidence(c, f, e, std::string(c.trace.name(e)) + ", " + timeText(static_cast<double>(c.trace.duration(e))));
    report.add(c, std::move(f));
}

void checkHostWork(const RuleContext &c, RuleReport &report)
{
    double ns = 0;
    std::vector<std::uint32_t> gaps;
    const std::vector<bool> work = hostWork(c.facts);
    for (std::uint32_t i = 0; i < work.size(); ++i) {
        if (!work[i])
            continue;
        gaps.push_back(i);
        ns += static_cast<double>(c.facts.graph.nodes[i].duration);
    }
    // Without a device, long gaps may be the wait for other ranks: that is the straggler's, or communication.
    const double waiting = c.device ? 0 : static_cast<double>(c.analysis.breakdown.exposedCommNs);
    const double perStep = std::max(0.0, c.perStep(ns) - waiting);
    std::vector<bool> touched(c.facts.graph.stepCount(), false);
    for (const std::uint32_t i : gaps)
        if (c.facts.graph.nodes[i].step < touched.size())
            touched[c.facts.graph.nodes[i].step] = true;
    const auto steps = std::count(touched.begin(), touched.end(), true);
    if (2 * static_cast<std::size_t>(steps) < touched.size()) {
        report.fine("python-or-host-work", "no long stretch of host code in most steps");
        return;
    }
    if (gaps.empty() || c.share(perStep) < 0.02) {
        report.fine("python-or-host-work",
                    "host code outside operators takes " + percentText(c.share(perStep)) + " of the step in long gaps");
        return;
    }
    const std::uint32_t longest = *std::max_element(gaps.begin(), gaps.end(), [&](std::uint32_t a, std::uint32_t b) {
        return c.facts.graph.nodes[a].duration < c.facts.graph.nodes[b].duration;
    });
    // The gap follows the nearest event before it on the thread.
    std::string after = "the step's beginning";
    for (std::uint32_t i = longest; i-- > 0;)
        if (c.facts.graph.nodes[i].row == 0
            && (c.facts.graph.nodes[i].kind == NodeKind::HostOp || c.facts.graph.nodes[i].kind == NodeKind::Call)) {
            after = std::string(c.trace.name(c.facts.graph.nodes[i].event));
            break;
        }
    const EventId owner = c.facts.graph.nodes[longest].event;
    const std::string scope = owner.valid() ? scopeAt(c, owner) : std::string();
    Finding f = makeFinding(c, "python-or-host-work", perStep, {change(ChangeKind::HostWork)},
                            {{"gap", timeText(perStep)},
                             {"then", c.device ? ", and the device waits for it" : ""},
                             {"where", scope.empty() ? "" : ", the longest in " + scope},
                             {"longest", timeText(static_cast<double>(c.facts.graph.nodes[longest].duration))},
                             {"after", after}});
    if (waiting > 0) { // the replay took it for host code
        f.gain.highNs = std::min(f.gain.highNs, static_cast<std::int64_t>(perStep));
        f.gain.lowNs = std::min(f.gain.lowNs, f.gain.highNs / 2);
        f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs) - f.gain.highNs;
    }
    if (const auto *segments = c.analysis.host().segments(c.analysis.stepSet().trainingLane))
        for (const HostSegment &s : *segments)
            // Longer ones than any such gap are waits for another thread: backward runs there.
            if (s.cause == IdleCause::HostCode && s.end - s.start >= kLongHostCodeNs
                && s.end - s.start <= c.facts.graph.nodes[longest].duration)
                addEvidence(f, s.start, s.end, c.analysis.stepSet().trainingLane,
                            "nothing recorded for " + timeText(static_cast<double>(s.end - s.start)));
    report.add(c, std::move(f));
}

namespace {

// Host time in compiled regions, forward and backward, that runs none of their graphs: guards, wrappers, autograd.
// 0 = the graphs are not recorded.
double aroundCompiledGraphs(const RuleContext &c)
{
    double regions = 0, graphs = 0;
    for (std::uint32_t i = 0; i < c.trace.events.size(); ++i) {
        const EventId e{i};
        if (c.trace.laneOf(e).kind != LaneKind::Cpu
            || c.analysis.stepSet().stepAtHost(c.trace.start(e)) == StepSet::kNoStep)
            continue;
        const std::string_view name = c.trace.name(e);
        if (name.starts_with("Torch-Compiled Region") || name == "CompiledFunctionBackward")
            regions += static_cast<double>(c.trace.duration(e));
        else if (name.starts_with("## Call CompiledFxGraph"))
            graphs += static_cast<double>(c.trace.duration(e));
    }
    return graphs > 0 ? std::max(0.0, regions - graphs) : 0;
}

} // namespace

void checkGraphBreaks(const RuleContext &c, RuleReport &report)
{
    std::vector<EventId> regions;
    for (std::uint32_t i = 0; i < c.trace.events.size(); ++i) {
        const EventId e{i};
        const std::string_view name = c.trace.name(e);
        if (c.trace.laneOf(e).kind == LaneKind::Cpu && name.starts_with("Torch-Compiled Region")
            && c.analysis.stepSet().stepAtHost(c.trace.start(e)) != StepSet::kNoStep)
            regions.push_back(e);
    }
    const double perStep = c.perRunStep(static_cast<double>(regions.size()));
    if (regions.empty()) {
        report.notApplicable("graph-breaks", "nothing is compiled with torch.compile");
        return;
    }
    if (perStep < 4) {
        report.fine("graph-breaks", numberText(perStep) + " compiled regions per step");
        return;
    }
    double lost = aroundCompiledGraphs(c);
    for (std::size_t i = 1; i < regions.size(); ++i) {
        const std::int64_t between = c.trace.start(regions[i]) - c.trace.end(regions[i - 1]);
        if (between > 0 && between < 1'000'000) // longer: other work of the step
            lost += static_cast<double>(between);
    }
    // One region would be left.
    const double time = c.perRunStep(lost) * (perStep - 1) / perStep;
    Finding f = makeFinding(c, "graph-breaks", time, {}, {{"count", numberText(perStep)}, {"gap", timeText(time)}});
    // Host time: a device that never waits for it gains nothing. The recording's part of it is none of the run's.
    const double idle = c.device ? static_cast<double>(c.analysis.breakdown.idle.total()) : c.tracedStepNs;
    const double most = std::min(time, idle) * c.stepNs / c.tracedStepNs;
    f.gain = {static_cast<std::int64_t>(0.2 * most), static_cast<std::int64_t>(most),
              static_cast<std::int64_t>(c.stepNs - 0.6 * most)};
    f.confidence = Confidence::Low;
    for (const EventId e : regions)
        addEvidence(c, f, e, "compiled region");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
