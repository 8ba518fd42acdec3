// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutional networks: memory format, algorithm search, biases before norms.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/layoutmodel.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

void checkChannelsLast(const RuleContext &c, RuleReport &report)
{
    double conversions = 0, conversionNs = 0, normNs = 0;
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        const auto ns = static_cast<double>(c.facts.graph.nodes[i].duration);
        if (c.facts.work[i].cls == WorkClass::Layout) {
            ++conversions;
            conversionNs += ns;
            nodes.push_back(i);
        } else if (channelsLastNs(c.facts, i, 1) > 0) {
            normNs += ns;
            nodes.push_back(i);
        }
    }
    if (nodes.empty()) {
        report.fine("channels-last", "no layout conversions and no NCHW normalisation kernels");
        return;
    }
    // Without conversions the convolutions themselves run on NCHW: channels last gains nothing certain.
    if (conversions == 0) {
        report.fine("channels-last", "convolutions use NCHW kernels without conversions");
        return;
    }
    std::string example;
    for (const std::uint32_t i : nodes)
        if (c.facts.work[i].call != RunFacts::kNone && c.facts.work[i].op.valid() && example.empty())
            example = operatorAt(c, c.facts.work[i].op) + " " + shapesOf(c, c.facts.work[i].op);
    const double time = c.perStep(conversionNs + normNs);
    Finding f = makeFinding(c, "channels-last", time, {change(ChangeKind::ChannelsLast)},
                            {{"time", timeText(time)},
                             {"conversions", numberText(c.perStep(conversions))},
                             {"conversion_time", timeText(c.perStep(conversionNs))},
                             {"norm_time", timeText(c.perStep(normNs))},
                             {"example", example.empty() ? "no operator recorded" : example}});
    f.fix.knob = "channels_last=true";
    for (const std::uint32_t i : nodes) {
        const EventId e = c.facts.graph.nodes[i].event;
        addEvidence(c, f, e, std::string(c.trace.name(e)).substr(0, 60));
    }
    report.add(c, std::move(f));
}

namespace {

EventId outermostConvolution(const RuleContext &c, EventId event)
{
    EventId found;
    for (EventId e = event; e.valid(); e = c.trace.events.parent[e.value])
        if ((c.facts.own(e) & HostTrait::kProduct) != 0 && c.trace.name(e).find("conv") != std::string_view::npos)
            found = e;
    return found;
}

// Calls that search by their name, and convolutions that wait for events again and again: cuDNN runs its algorithms
// one by one and times them; nothing else in them waits.
std::vector<EventId> algorithmSearches(const RuleContext &c)
{
    constexpr std::size_t kTimings = 3;
    std::vector<EventId> searches;
    std::map<std::uint32_t, std::size_t> timings; // by convolution
    for (std::uint32_t i = 0; i < c.trace.events.size(); ++i) {
        const EventId e{i};
        const std::uint32_t step = c.analysis.stepSet().stepAtHost(c.trace.start(e));
        // The first batches have to be searched for.
        if (c.trace.laneOf(e).kind != LaneKind::Cpu || step == StepSet::kNoStep
            || (c.analysis.stepSet().list[step].flags & StepFlag::kWarmUp) != 0)
            continue;
        const std::string_view name = c.trace.name(e);
        if (name.find("cudnnFind") != std::string_view::npos
            || name.find("cudnnGetConvolution") != std::string_view::npos
            || name.find("autotune") != std::string_view::npos) {
            searches.push_back(e);
        } else if (name == "cudaEventSynchronize") {
            if (const EventId op = outermostConvolution(c, e); op.valid() && ++timings[op.value] == kTimings)
                searches.push_back(op);
        }
    }
    return searches;
}

} // namespace

void checkConvAutotune(const RuleContext &c, RuleReport &report)
{
    const std::vector<EventId> evidence = algorithmSearches(c);
    double ns = 0;
    for (const EventId e : evidence)
        ns += static_cast<double>(c.trace.duration(e));
    const double time = c.perRunStep(ns);
    if (evidence.empty() || c.share(time) < 0.01) {
        report.fine("conv-autotune", "no algorithm search in the window");
        return;
    }
    Finding f = makeFinding(
        c, "conv-autotune", time, {},
        {{"count", numberText(static_cast<double>(evidence.size()))},
         {"time", timeText(time)},
         {"why", "With fixed shapes the search belongs into the first step; with varying ones it should be off."}});
    f.gain = {static_cast<std::int64_t>(0.5 * time), static_cast<std::int64_t>(time),
              static_cast<std::int64_t>(std::max(0.0, c.stepNs - 0.8 * time))};
    for (const EventId e : evidence)
        addEvidence(c, f, e, std::string(c.trace.name(e)));
    report.add(c, std::move(f));
}

void checkBiasBeforeNorm(const RuleContext &c, RuleReport &report)
{
    bool norms = false;
    double kernels = 0, ns = 0;
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        if (c.facts.work[i].cls == WorkClass::Norm)
            norms = norms || c.trace.name(c.facts.graph.nodes[i].event).find("layer_norm") == std::string_view::npos;
        if (!isBiasBeforeNorm(c.facts, i))
            continue;
        ++kernels;
        ns += static_cast<double>(c.facts.graph.nodes[i].duration);
        nodes.push_back(i);
    }
    const double time = c.perStep(ns);
    if (nodes.empty() || !norms || c.share(time) < 0.005) {
        report.fine("bias-before-norm",
                    nodes.empty() || norms ? "no bias kernels of convolutions worth mentioning"
                                           : "no batch norm follows the biased convolutions");
        return;
    }
    Finding f = makeFinding(c, "bias-before-norm", time, {change(ChangeKind::BiasBeforeNorm)},
                            {{"count", numberText(c.perStep(kernels) / 2)},
                             {"kernels", numberText(c.perStep(kernels))},
                             {"time", timeText(time)}});
    for (const std::uint32_t i : nodes)
        addEvidence(c, f, c.facts.graph.nodes[i].event, "bias of a convolution");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
