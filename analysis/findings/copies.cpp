// SPDX-License-Identifier: GPL-3.0-or-later
// Copies between host and device that cost the step more than they must.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/inputmodel.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

constexpr std::int64_t kStagedBytes = 64 * 1024;
constexpr std::int64_t kSmallBytes = 256 * 1024;
constexpr double kManyCopies = 20; // per step

struct CopySum
{
    std::vector<std::uint32_t> nodes;
    double count = 0, bytes = 0, ns = 0, hostNs = 0; // per step
    std::vector<std::string> ops;
};

// Host time of a copy call, its wait included.
double callNs(const RuleContext &c, std::uint32_t node)
{
    const std::uint32_t call = c.facts.work[node].call;
    return call == RunFacts::kNone ? 0 : static_cast<double>(c.trace.duration(c.facts.graph.nodes[call].event));
}

template <typename Test> CopySum sumOf(const RuleContext &c, WorkClass cls, Test &&test)
{
    CopySum sum;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        if (c.facts.work[i].cls != cls)
            continue;
        const CopyDetail *copy = c.trace.copy(c.facts.graph.nodes[i].event);
        if (!copy || !test(*copy))
            continue;
        sum.nodes.push_back(i);
        sum.bytes += static_cast<double>(std::max<std::int64_t>(0, copy->bytes));
        sum.ns += static_cast<double>(c.facts.graph.nodes[i].duration);
        sum.hostNs += callNs(c, i);
        if (const std::uint32_t call = c.facts.work[i].call; call != RunFacts::kNone)
            sum.ops.push_back(operatorAt(c, c.facts.graph.nodes[call].event));
    }
    sum.count = c.perStep(static_cast<double>(sum.nodes.size()));
    sum.bytes = c.perStep(sum.bytes);
    sum.ns = c.perStep(sum.ns);
    sum.hostNs = c.perStep(sum.hostNs);
    return sum;
}

void copyEvidence(const RuleContext &c, Finding &f, const CopySum &sum)
{
    for (const std::uint32_t i : sum.nodes) {
        const EventId e = c.facts.graph.nodes[i].event;
        const CopyDetail *copy = c.trace.copy(e);
        addEvidence(c, f, e,
                    bytesText(static_cast<double>(copy->bytes)) + " in "
                        + timeText(static_cast<double>(c.trace.duration(e))));
    }
}

std::string firstOf(const std::vector<std::string> &names, const char *otherwise)
{
    return names.empty() || names.front().empty() ? otherwise : names.front();
}

} // namespace

void checkPageableCopies(const RuleContext &c, RuleReport &report)
{
    const CopySum sum = sumOf(c, WorkClass::HostToDevice, [](const CopyDetail &d) {
        return d.source == MemoryKind::Pageable && d.bytes > kStagedBytes;
    });
    if (sum.nodes.empty()) {
        report.fine("copy-pageable", "no host-to-device copy above 64 KB from pageable memory");
        return;
    }
    const std::uint32_t call = c.facts.work[sum.nodes.front()].call;
    Placeholders words{
        {"exposed", timeText(std::max(sum.ns, sum.hostNs))},
        {"count", numberText(sum.count)},
        {"bytes", bytesText(sum.bytes)},
        {"op", firstOf(sum.ops, "the training loop")},
        {"bandwidth", rateText(sum.ns > 0 ? 1e9 * sum.bytes / sum.ns : 0)},
        {"blocked", timeText(sum.hostNs)},
        {"call",
         call == RunFacts::kNone ? "the copy call" : std::string(c.trace.name(c.facts.graph.nodes[call].event))},
        {"pinned_time", timeText(1e9 * sum.bytes / c.facts.rates.pinnedCopy)},
    };
    Finding f =
        makeFinding(c, "copy-pageable", std::max(sum.ns, sum.hostNs), {change(ChangeKind::CopyPageable)}, words);
    f.fix.knob = "pin_memory=true";
    copyEvidence(c, f, sum);
    report.add(c, std::move(f));
}

void checkExposedCopies(const RuleContext &c, RuleReport &report)
{
    const CopySum sum = sumOf(c, WorkClass::HostToDevice, [](const CopyDetail &d) {
        return d.source == MemoryKind::Pinned && d.bytes > kStagedBytes;
    });
    const auto exposed = static_cast<double>(c.analysis.breakdown.exposedCopyNs);
    if (sum.nodes.empty() || c.share(exposed) < 0.02) {
        report.fine("copy-not-overlapped", "exposed copies are " + percentText(c.share(exposed)) + " of the step");
        return;
    }
    Placeholders words{{"exposed", timeText(exposed)},
                       {"count", numberText(sum.count)},
                       {"bytes", bytesText(sum.bytes)},
                       {"where", "on the stream that computes"}};
    Finding f = makeFinding(c, "copy-not-overlapped", exposed, {change(ChangeKind::CopyNotOverlapped)}, words);
    copyEvidence(c, f, sum);
    report.add(c, std::move(f));
}

void checkSmallCopies(const RuleContext &c, RuleReport &report)
{
    const CopySum sum = sumOf(c, WorkClass::HostToDevice, [](const CopyDetail &d) { return d.bytes <= kSmallBytes; });
    if (sum.count < kManyCopies) {
        report.fine("copy-many-small", numberText(sum.count) + " small copies per step");
        return;
    }
    // What the operators around them take on the host: that is what goes with them.
    double host = 0;
    EventId last;
    for (const std::uint32_t i : sum.nodes) {
        const std::uint32_t call = c.facts.work[i].call;
        EventId op = call == RunFacts::kNone ? EventId{}
                                             : c.facts.enclosing(c.facts.graph.nodes[call].event, HostTrait::kTransfer);
        for (EventId up = op; up.valid(); up = c.trace.events.parent[up.value])
            if ((c.facts.own(up) & HostTrait::kTransfer) != 0)
                op = up;
        if (op.valid() && op != last)
            host += static_cast<double>(c.trace.duration(op));
        last = op;
    }
    host = std::max(c.perStep(host), sum.hostNs);
    Placeholders words{
        {"count", numberText(sum.count)}, {"each", bytesText(sum.bytes / sum.count)},
        {"bytes", bytesText(sum.bytes)},  {"op", firstOf(sum.ops, "the training loop")},
        {"time", timeText(host)},         {"packed", timeText(1e9 * sum.bytes / c.facts.rates.pinnedCopy + 1e4)}};
    Finding f = makeFinding(c, "copy-many-small", host, {change(ChangeKind::CopyManySmall)}, words);
    copyEvidence(c, f, sum);
    report.add(c, std::move(f));
}

void checkRoundtrips(const RuleContext &c, RuleReport &report)
{
    const auto pairs = roundtrips(c.facts);
    if (pairs.empty()) {
        report.fine("copy-roundtrip", "nothing goes to the host and back");
        return;
    }
    double bytes = 0, ns = 0;
    for (const auto &[a, b] : pairs) {
        bytes += static_cast<double>(c.trace.copy(c.facts.graph.nodes[a].event)->bytes);
        // The copies, and everything that waits between them.
        ns += static_cast<double>(c.trace.end(c.facts.graph.nodes[b].event)
                                  - c.trace.start(c.facts.graph.nodes[a].event));
    }
    const double perStep = c.perStep(ns);
    Finding f = makeFinding(c, "copy-roundtrip", perStep, {change(ChangeKind::CopyRoundtrip)},
                            {{"bytes", bytesText(c.perStep(bytes))},
                             {"count", numberText(c.perStep(static_cast<double>(pairs.size())))},
                             {"time", timeText(perStep)}});
    for (const auto &[a, b] : pairs) {
        addEvidence(c, f, c.facts.graph.nodes[a].event, "to the host");
        addEvidence(c, f, c.facts.graph.nodes[b].event, "and back");
    }
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
