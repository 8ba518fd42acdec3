// SPDX-License-Identifier: GPL-3.0-or-later
// How a rule is written: a function that looks at one run and either reports a finding, or says why it has none. One
// file per bottleneck family. To add a rule: its text in resources/advice/<rule>.json, its name in
// findings/CMakeLists.txt, its function here and in allRules().
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/catalogue.h"
#include "analysis/findings/finding.h"
#include "analysis/whatif/runfacts.h"
#include "analysis/whatif/whatif.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tuneline::analysis {

// What rules see. Lives for one advise() call.
struct RuleContext
{
    const Analysis &analysis;
    const Trace &trace;
    const WhatIf &whatIf;
    const RunFacts &facts;
    double stepNs = 0; // undisturbed, > 0
    double tracedStepNs = 0; // as in the file, or at the pace of its loader threads
    std::size_t steps = 1; // in the graph: of a very long window it holds the middle only
    const DeviceMetrics *device = nullptr; // nullptr: no device work
    bool idleMeasurable = true;

    [[nodiscard]] double perStep(double total) const { return total / static_cast<double>(steps); }
    // Of a total over all steps of the run, not only those in the graph.
    [[nodiscard]] double perRunStep(double total) const
    {
        return total / static_cast<double>(std::max<std::size_t>(1, analysis.stepSet().list.size()));
    }
    [[nodiscard]] double share(double nsPerStep) const { return nsPerStep / tracedStepNs; }
    // ns per step of an idle cause in the headline breakdown.
    [[nodiscard]] double idle(IdleCause cause) const { return static_cast<double>(analysis.breakdown.idle.of(cause)); }
};

class RuleReport
{
public:
    std::vector<Finding> findings;
    std::vector<CheckedRule> checked;

    // Below the thresholds of RULES.md it is listed as fine instead.
    void add(const RuleContext &context, Finding finding);
    void fine(std::string rule, std::string why);
    void notMeasurable(std::string rule, std::string why);
    void notApplicable(std::string rule, std::string why);
};

// A finding with the catalogue's words, {placeholders} filled, and the gain that the changes bring by replay. Adds the
// placeholders {step} and {predicted}.
[[nodiscard]] Finding makeFinding(const RuleContext &context, std::string_view rule, double nsPerStep,
                                  const std::vector<Change> &changes, Placeholders words);
// Without a gain: for risks.
[[nodiscard]] Finding makeRisk(std::string_view rule, double share, Placeholders words);
void addEvidence(const RuleContext &context, Finding &finding, EventId event, std::string what);
void addEvidence(Finding &finding, std::int64_t start, std::int64_t end, LaneId lane, std::string what);

[[nodiscard]] Change change(ChangeKind kind, std::int64_t number = 0);

// The user's own words for a place: operator or scope around an event, innermost first.
[[nodiscard]] std::string operatorAt(const RuleContext &context, EventId event);
[[nodiscard]] std::string scopeAt(const RuleContext &context, EventId event); // "" = none
[[nodiscard]] std::string shapesOf(const RuleContext &context, EventId op); // "[64, 3, 224, 224] × [64, 3, 7, 7]"
// "aten::mm (48), aten::bmm (24)": the most frequent names.
[[nodiscard]] std::string mostFrequent(const std::vector<std::string> &names, double perStep, std::size_t most = 3);

using Rule = void (*)(const RuleContext &, RuleReport &);
[[nodiscard]] const std::vector<Rule> &allRules(); // specific ones before general ones

// input.cpp
void checkInputWait(const RuleContext &context, RuleReport &report);
void checkWorkerRestart(const RuleContext &context, RuleReport &report);
// copies.cpp
void checkPageableCopies(const RuleContext &context, RuleReport &report);
void checkExposedCopies(const RuleContext &context, RuleReport &report);
void checkSmallCopies(const RuleContext &context, RuleReport &report);
void checkRoundtrips(const RuleContext &context, RuleReport &report);
// synchronisation.cpp
void checkItems(const RuleContext &context, RuleReport &report);
void checkExplicitSyncs(const RuleContext &context, RuleReport &report);
void checkAllocations(const RuleContext &context, RuleReport &report);
void checkLaunchBlocking(const RuleContext &context, RuleReport &report);
// launch.cpp
void checkLaunchBound(const RuleContext &context, RuleReport &report);
void checkPointwiseChains(const RuleContext &context, RuleReport &report);
void checkRecompiles(const RuleContext &context, RuleReport &report);
void checkHostWork(const RuleContext &context, RuleReport &report);
void checkGraphBreaks(const RuleContext &context, RuleReport &report);
// optimizer.cpp
void checkOptimizer(const RuleContext &context, RuleReport &report);
void checkZeroGrad(const RuleContext &context, RuleReport &report);
void checkScaler(const RuleContext &context, RuleReport &report);
// compute.cpp
void checkTf32(const RuleContext &context, RuleReport &report);
void checkPrecision(const RuleContext &context, RuleReport &report);
void checkAlignment(const RuleContext &context, RuleReport &report);
void checkAttention(const RuleContext &context, RuleReport &report);
// convolution.cpp
void checkChannelsLast(const RuleContext &context, RuleReport &report);
void checkConvAutotune(const RuleContext &context, RuleReport &report);
void checkBiasBeforeNorm(const RuleContext &context, RuleReport &report);
// size.cpp
void checkSmallGrid(const RuleContext &context, RuleReport &report);
void checkBatchSize(const RuleContext &context, RuleReport &report);
void checkPadding(const RuleContext &context, RuleReport &report);
void checkShapesVary(const RuleContext &context, RuleReport &report);
// memory.cpp
void checkMemoryLimit(const RuleContext &context, RuleReport &report);
void checkMemoryGrowth(const RuleContext &context, RuleReport &report);
void checkTemporaries(const RuleContext &context, RuleReport &report);
void checkFragmentation(const RuleContext &context, RuleReport &report);
void checkRecomputation(const RuleContext &context, RuleReport &report);
// distributed.cpp
void checkCommunication(const RuleContext &context, RuleReport &report);
void checkStraggler(const RuleContext &context, RuleReport &report);
void checkDataParallel(const RuleContext &context, RuleReport &report);
// run.cpp
void checkCheckpointStall(const RuleContext &context, RuleReport &report);
void checkNumerics(const RuleContext &context, RuleReport &report);
// clocks.cpp
void checkClocks(const RuleContext &context, RuleReport &report);

} // namespace tuneline::analysis
