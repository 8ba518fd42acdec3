// SPDX-License-Identifier: GPL-3.0-or-later
// The optimizer's own kernels: one chain for each parameter, gradients zeroed by fills, the loss scaler.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/optimizermodel.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

constexpr double kMaterial = 0.02; // of the step (RULES.md)

} // namespace

void checkOptimizer(const RuleContext &c, RuleReport &report)
{
    const OptimizerFigures &o = optimizerFigures(c.facts);
    if (o.device.empty()) {
        if (c.device)
            report.notMeasurable("optimizer-unfused", "no optimizer scope in this trace");
        else
            report.notApplicable("optimizer-unfused", "no device work");
        return;
    }
    // One kernel or more for each parameter; fused and multi-tensor updates need one for dozens.
    const bool unfused = o.unfusedPerStep > 0.3 * o.kernelsPerStep && o.unfusedPerStep >= 20;
    if (!unfused) {
        report.fine("optimizer-unfused", numberText(o.kernelsPerStep) + " optimizer kernels per step");
        return;
    }
    const double parameters = std::max(1.0, o.parameters);
    const double time = std::max(o.hostNs, o.deviceNs);
    Placeholders words{
        {"kernels", numberText(o.kernelsPerStep)},
        {"params", numberText(parameters)},
        {"scope", o.scope.valid() ? std::string(c.trace.name(o.scope)) : "The optimizer"},
        {"per_param", numberText(o.kernelsPerStep / parameters)},
        {"host", timeText(o.hostNs)},
        {"device", timeText(o.deviceNs)},
        {"which",
         o.hostNs > o.deviceNs ? "The host's part limits: it issues kernels that the device runs faster."
                               : "The device's part limits: each kernel reads and writes its tensors again."},
    };
    // LibTorch's C++ optimizers have no fused form: what can be had there is a multi-tensor update, which moves as
    // much.
    const bool cpp = o.scope.valid() && c.trace.name(o.scope).find('#') == std::string_view::npos;
    Finding f = makeFinding(c, "optimizer-unfused", time,
                            {change(cpp ? ChangeKind::OptimizerForeach : ChangeKind::OptimizerFused)}, words);
    if (cpp)
        f.fix.knob = "optimizer=adamw-multi";
    for (std::uint32_t i = 0; i < c.trace.events.size() && o.scope.valid(); ++i)
        if (c.trace.events.name[i] == c.trace.events.name[o.scope.value]
            && c.trace.laneOf(EventId{i}).kind == LaneKind::Cpu)
            addEvidence(c, f, EventId{i},
                        "optimizer update, " + timeText(static_cast<double>(c.trace.duration(EventId{i}))));
    report.add(c, std::move(f));
}

void checkZeroGrad(const RuleContext &c, RuleReport &report)
{
    double fills = 0, bytes = 0, deviceNs = 0, hostNs = 0;
    EventId scope;
    std::vector<EventId> evidence;
    for (std::uint32_t i = 0; i < c.facts.graph.nodes.size(); ++i) {
        const GraphNode &n = c.facts.graph.nodes[i];
        const bool device = n.kind == NodeKind::Device;
        if (((device ? c.facts.launchedWithin(i) : c.facts.withinOf(i)) & HostTrait::kZeroGrad) == 0)
            continue;
        if (!device) {
            hostNs += static_cast<double>(n.duration);
            if (!scope.valid())
                scope = c.facts.enclosing(n.event, HostTrait::kZeroGrad);
            continue;
        }
        ++fills;
        deviceNs += static_cast<double>(n.duration);
        if (const CopyDetail *d = c.trace.copy(n.event))
            bytes += static_cast<double>(std::max<std::int64_t>(0, d->bytes));
        evidence.push_back(n.event);
    }
    fills = c.perStep(fills);
    // A multi-tensor fill writes as much in a few kernels.
    if (fills < 10 && c.share(c.perStep(deviceNs)) < kMaterial) {
        report.fine("zero-grad-memset", numberText(fills) + " fills per step while gradients are reset");
        return;
    }
    Finding f =
        makeFinding(c, "zero-grad-memset", c.perStep(std::max(hostNs, deviceNs)), {change(ChangeKind::ZeroGradMemset)},
                    {{"count", numberText(fills)},
                     {"scope", scope.valid() ? std::string(c.trace.name(scope)) : "zero_grad"},
                     {"bytes", bytes > 0 ? bytesText(c.perStep(bytes)) : "as many bytes as there are gradients"},
                     {"time", timeText(c.perStep(deviceNs))},
                     {"host", timeText(c.perStep(hostNs))}});
    f.fix.knob = "zero_grad=none";
    for (const EventId e : evidence)
        addEvidence(c, f, e, "fill");
    report.add(c, std::move(f));
}

void checkScaler(const RuleContext &c, RuleReport &report)
{
    double kernels = 0, ns = 0;
    std::vector<EventId> evidence;
    for (std::uint32_t i = 0; i < c.facts.graph.nodes.size(); ++i) {
        const GraphNode &n = c.facts.graph.nodes[i];
        if (n.kind == NodeKind::Device || !n.event.valid())
            continue;
        for (EventId e = n.event; e.valid(); e = c.trace.events.parent[e.value]) {
            if (c.trace.name(e).find("_amp_foreach_non_finite_check_and_unscale_") == std::string_view::npos)
                continue;
            ns += static_cast<double>(n.duration);
            if (n.kind == NodeKind::Call)
                ++kernels;
            if (evidence.empty() || evidence.back() != e)
                evidence.push_back(e);
            break;
        }
    }
    if (evidence.empty()) {
        report.fine("fp16-scaler", "no loss scaler");
        return;
    }
    if (!c.facts.rates.bf16) {
        report.notApplicable("fp16-scaler", "this device has no bfloat16");
        return;
    }
    const double perStep = c.perStep(ns);
    // The check, the unscaling and the read of its answer go.
    Finding f = makeFinding(
        c, "fp16-scaler", perStep, {change(ChangeKind::SyncItem)},
        {{"kernels", numberText(c.perStep(kernels))}, {"time", timeText(perStep)}, {"gpu", c.facts.rates.name}});
    f.fix.knob = "precision=bf16";
    // Numbers that overflow are a risk whatever the check of them costs (RULES.md).
    if (static_cast<double>(f.gain.highNs) < kMaterial * c.stepNs)
        f.severity = FindingSeverity::Risk;
    for (const EventId e : evidence)
        addEvidence(c, f, e, "checks the gradients for infinities");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
