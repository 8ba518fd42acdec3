// SPDX-License-Identifier: GPL-3.0-or-later
// Input: the training waits for its next batch.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/batchmodel.h"
#include "analysis/whatif/inputmodel.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

constexpr double kBusyCores = 0.85;
constexpr double kSmallWait = 0.03; // of the step
constexpr std::int64_t kManyWorkers = 16; // where the number of cores is not known

Change noWait()
{
    Change c = change(ChangeKind::InputFaster);
    c.factor = 0;
    return c;
}

EventId firstInputScope(const RuleContext &c)
{
    for (const GraphNode &n : c.facts.graph.nodes)
        if (isInputNode(n) && n.event.valid())
            return n.event;
    return {};
}

// Loader workers that would keep up, rounded up; never more than the cores.
std::int64_t wantedWorkers(const InputModel &model, double withoutWait)
{
    auto n = static_cast<std::int64_t>(std::ceil(1.2 * model.loadNs / std::max(1.0, withoutWait)));
    n = std::max<std::int64_t>(n, model.workers.value_or(0) + 1);
    if (!model.cores)
        return std::min<std::int64_t>(n, kManyWorkers);
    // The training thread keeps one for itself.
    return std::clamp<std::int64_t>(n, 1, std::max(1, *model.cores - 1));
}

std::string workersNow(const InputModel &m)
{
    if (!m.workers)
        return "how many workers there are is not in this file (two assumed)";
    if (*m.workers == 0)
        return "there are no workers: the training thread loads each batch itself";
    return "there " + std::string(*m.workers == 1 ? "is 1 worker" : "are " + std::to_string(*m.workers) + " workers");
}

void inputEvidence(const RuleContext &c, Finding &f)
{
    // Neighbouring pieces of one wait are one interval.
    const LaneId lane = c.analysis.stepSet().trainingLane;
    if (const auto *segments = c.analysis.host().segments(lane)) {
        std::int64_t begin = 0, end = -1;
        const auto flush = [&] {
            if (end > begin)
                addEvidence(f, begin, end, lane,
                            "waits " + timeText(static_cast<double>(end - begin)) + " for a batch");
        };
        for (const HostSegment &s : *segments) {
            if (s.cause != IdleCause::InputWait)
                continue;
            if (s.start > end) {
                flush();
                begin = s.start;
            }
            end = s.end;
        }
        flush();
    }
}

// More workers than cores is no advice: say what is instead.
void reportCpuLimit(const RuleContext &c, const InputModel &model, double wait, RuleReport &report)
{
    Placeholders words{{"wait", timeText(wait)},
                       {"cpu", numberText(model.usedCores.value_or(1) * *model.cores)},
                       {"cores", std::to_string(*model.cores)}};
    Finding f = makeFinding(c, "input-cpu-limit", wait, {}, words);
    // Half of the load time is what pre-decoding usually saves at least; all of the wait at most.
    f.gain = {static_cast<std::int64_t>(0.2 * wait), static_cast<std::int64_t>(wait),
              static_cast<std::int64_t>(c.stepNs - 0.5 * wait)};
    f.confidence = Confidence::Low;
    inputEvidence(c, f);
    report.add(c, std::move(f));
}

} // namespace

void checkInputWait(const RuleContext &c, RuleReport &report)
{
    const InputModel model = inputModel(c.facts);
    const double wait = model.waitNs;
    // A batch that is ready still takes a moment to hand over.
    if (c.share(wait - model.handOverNs) < kSmallWait) {
        report.fine("input-wait", "waits for batches are " + percentText(c.share(wait)) + " of the step");
        report.fine("input-cpu-limit", "the input keeps up");
        return;
    }
    const WhatIfResult without = c.whatIf.predict({noWait()});
    const bool allUsed = model.cores && model.workers && *model.workers >= *model.cores;
    const bool allBusy = model.cores && model.workers.value_or(0) > 0 && model.usedCores.value_or(0) >= kBusyCores;
    if (allUsed || allBusy) {
        report.fine("input-wait", "the input is the limit, but more workers can't help: see input-cpu-limit");
        reportCpuLimit(c, model, wait, report);
        return;
    }
    const auto workers = wantedWorkers(model, static_cast<double>(without.stepNs));
    const EventId scope = firstInputScope(c);
    Placeholders words{
        {"who", c.device ? "The training thread, and the device behind it," : "The training thread"},
        {"wait", timeText(wait)},
        {"scope", scopeAt(c, scope).empty() ? "its loader" : "the range \"" + scopeAt(c, scope) + '"'},
        {"load", timeText(model.loadNs)},
        {"workers_now", workersNow(model)},
        {"compute", timeText(static_cast<double>(without.stepNs))},
        {"workers", std::to_string(workers)},
        {"batch", std::to_string(c.whatIf.batch().value_or(64))},
        {"advice",
         std::to_string(workers) + (workers == 1 ? " worker" : " workers") + " would keep up"
             + (model.cores ? " on the " + std::to_string(*model.cores) + " cores of this machine." : ".")},
    };
    Finding f = makeFinding(c, "input-wait", wait, {change(ChangeKind::InputWorkers, workers)}, words);
    f.fix.knob = "workers=" + std::to_string(workers);
    inputEvidence(c, f);
    report.add(c, std::move(f));
    report.fine("input-cpu-limit", model.cores ? "there are free cores" : "the number of cores is not recorded");
}

namespace {

struct Pause
{
    std::int64_t start = 0, end = 0;
};

struct LoaderCalls
{
    std::vector<Pause> anew; // from a call that found no batch left to the first batch of the next iterator
    std::vector<double> waits; // ns, of the calls between
};

constexpr int kFewOperators = 12; // an iterator that is made draws its seed with a few

// Two calls for a batch with no training between: the first found the epoch's end, the second had to start it anew.
LoaderCalls loaderCalls(const RuleContext &c)
{
    LoaderCalls calls;
    EventId last;
    int operators = 0;
    const Lane &lane = c.trace.lanes[c.analysis.stepSet().trainingLane.value];
    for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
        const EventId e{i}, parent = c.trace.events.parent[i];
        if (parent.valid() && (c.facts.within[parent.value] & HostTrait::kDataScope) != 0)
            continue;
        if ((c.facts.within[i] & HostTrait::kDataScope) == 0) {
            const bool training = c.trace.events.launch[i].valid() || (c.facts.own(e) & HostTrait::kProduct) != 0
                || (c.facts.within[i] & (HostTrait::kBackwardPass | HostTrait::kOptimizer)) != 0;
            operators += training ? kFewOperators : c.trace.kind(e) == EventKind::Op ? 1 : 0;
            continue;
        }
        if (c.analysis.stepSet().stepAtHost(c.trace.start(e)) == StepSet::kNoStep)
            continue;
        if (last.valid() && operators < kFewOperators) {
            if (!calls.waits.empty())
                calls.waits.pop_back(); // was no batch
            calls.anew.push_back({c.trace.start(last), c.trace.end(e)});
        } else {
            calls.waits.push_back(static_cast<double>(c.trace.duration(e)));
        }
        last = e;
        operators = 0;
    }
    return calls;
}

// Where Python's stack names what begins an epoch.
bool beginsEpoch(const RuleContext &c, const Step &step)
{
    const auto [first, last] = c.trace.visible(c.trace.lanes[step.lane.value], step.hostStart, step.hostEnd);
    for (std::uint32_t i = first; i < last; ++i) {
        const std::string_view name = c.trace.name(EventId{i});
        if (name.find("DataLoader.__iter__") != name.npos || name.find("_reset") != name.npos
            || name.find("epoch") != name.npos || name.find("MultiProcessingDataLoaderIter.__init__") != name.npos)
            return true;
    }
    return false;
}

// The longest wait of a step that begins an epoch.
void addNamedEpochs(const RuleContext &c, LoaderCalls &calls)
{
    std::vector<double> waits(c.facts.graph.stepCount(), 0);
    for (const GraphNode &n : c.facts.graph.nodes)
        if (isInputNode(n) && n.step < waits.size())
            waits[n.step] += static_cast<double>(n.duration);
    const auto worst = static_cast<std::size_t>(std::max_element(waits.begin(), waits.end()) - waits.begin());
    const Step &step = c.analysis.stepSet().list[c.facts.graph.firstStep + worst];
    if (beginsEpoch(c, step))
        calls.anew.push_back({step.hostStart, step.hostStart + static_cast<std::int64_t>(waits[worst])});
    calls.waits = std::move(waits);
}

} // namespace

void checkWorkerRestart(const RuleContext &c, RuleReport &report)
{
    if (c.facts.graph.stepCount() < 4) {
        report.notMeasurable("input-worker-restart", "needs at least 4 steps and the start of an epoch");
        return;
    }
    LoaderCalls calls = loaderCalls(c);
    if (calls.waits.empty())
        calls.anew.clear(); // no training between any two: what trains here isn't recorded as such
    if (calls.anew.empty())
        addNamedEpochs(c, calls);
    std::sort(calls.waits.begin(), calls.waits.end());
    const double median = calls.waits.empty() ? 0 : calls.waits[calls.waits.size() / 2];
    double longest = 0, lost = 0;
    std::erase_if(calls.anew,
                  [&](const Pause &p) { return static_cast<double>(p.end - p.start) < 10 * std::max(median, 1e6); });
    for (const Pause &p : calls.anew) {
        longest = std::max(longest, static_cast<double>(p.end - p.start));
        lost += static_cast<double>(p.end - p.start) - median;
    }
    if (calls.anew.empty()) {
        report.fine("input-worker-restart", "no long wait at the start of an epoch");
        return;
    }
    const double perStep = c.perRunStep(lost);
    Finding f = makeFinding(c, "input-worker-restart", perStep, {},
                            {{"wait", timeText(longest)},
                             {"times", numberText(longest / std::max(1e3, median))},
                             {"median", timeText(median)}});
    // A stall beside the median step: its cost spread over the steps of the window.
    f.gain = {static_cast<std::int64_t>(0.5 * perStep), static_cast<std::int64_t>(perStep),
              static_cast<std::int64_t>(c.stepNs)};
    f.share = perStep / (perStep + c.tracedStepNs);
    for (const Pause &p : calls.anew)
        addEvidence(f, p.start, p.end, c.analysis.stepSet().trainingLane, "first batch of an epoch");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
