// SPDX-License-Identifier: GPL-3.0-or-later
// Products that could run faster: number types, sizes, attention in pieces.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/attentionpattern.h"
#include "analysis/whatif/productmodel.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

namespace {

struct Products
{
    std::vector<std::uint32_t> nodes;
    double ns = 0; // per step
    std::string example; // name of the kernel that takes most
    std::string ops; // operators with their time
};

template <typename Test> Products productsThat(const RuleContext &c, Test &&test)
{
    Products p;
    std::map<std::string, double> byOp, byKernel;
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        if (!isProduct(c.facts.work[i]) || !test(i))
            continue;
        p.nodes.push_back(i);
        const auto ns = static_cast<double>(c.facts.graph.nodes[i].duration);
        p.ns += ns;
        byKernel[std::string(c.trace.name(c.facts.graph.nodes[i].event))] += ns;
        const EventId op = c.facts.work[i].op;
        if (op.valid())
            byOp[std::string(c.trace.name(op))] += ns;
    }
    p.ns = c.perStep(p.ns);
    const auto most = [](const std::map<std::string, double> &m) {
        return std::max_element(m.begin(), m.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    };
    if (!byKernel.empty())
        p.example = most(byKernel)->first.substr(0, 80);
    while (!byOp.empty() && p.ops.size() < 90) {
        const auto it = most(byOp);
        p.ops += (p.ops.empty() ? "" : ", ") + it->first + " " + timeText(c.perStep(it->second));
        byOp.erase(it);
    }
    return p;
}

void kernelEvidence(const RuleContext &c, Finding &f, const std::vector<std::uint32_t> &nodes)
{
    for (const std::uint32_t i : nodes) {
        const std::string shapes = shapesOf(c, c.facts.work[i].op);
        const EventId e = c.facts.graph.nodes[i].event;
        addEvidence(c, f, e,
                    operatorAt(c, c.facts.work[i].op) + (shapes.empty() ? "" : " " + shapes) + ", "
                        + timeText(static_cast<double>(c.trace.duration(e))));
    }
}

} // namespace

void checkTf32(const RuleContext &c, RuleReport &report)
{
    if (!c.device) {
        report.notApplicable("tf32-off", "no device work");
        return;
    }
    if (c.facts.rates.tf32 <= c.facts.rates.fp32) {
        report.notApplicable("tf32-off", "this device has no TF32");
        return;
    }
    const Products p = productsThat(c, [&](std::uint32_t i) { return isPlainFloatProduct(c.facts, i); });
    if (p.nodes.empty() || c.share(p.ns) < 0.02) {
        report.fine("tf32-off",
                    "FP32 products without tensor cores take " + percentText(c.share(p.ns)) + " of the step");
        return;
    }
    Placeholders words{{"time", timeText(p.ns)},
                       {"count", numberText(c.perStep(static_cast<double>(p.nodes.size())))},
                       {"example", p.example},
                       {"gpu", c.facts.rates.name.empty() ? "a device" : c.facts.rates.name},
                       {"ops", p.ops.empty() ? "not recorded" : p.ops}};
    Finding f = makeFinding(c, "tf32-off", p.ns, {change(ChangeKind::Tf32)}, words);
    f.fix.knob = "precision=tf32";
    kernelEvidence(c, f, p.nodes);
    report.add(c, std::move(f));
}

void checkPrecision(const RuleContext &c, RuleReport &report)
{
    if (!c.device || !c.facts.rates.bf16) {
        report.notApplicable("precision", c.device ? "this device has no bfloat16" : "no device work");
        return;
    }
    const bool tf32Fires = std::any_of(report.findings.begin(), report.findings.end(),
                                       [](const Finding &f) { return f.rule == "tf32-off"; });
    const Products p = productsThat(c, [&](std::uint32_t i) { return modeOf(c.facts, i) != MathMode::Half; });
    if (p.nodes.empty() || c.share(p.ns) < 0.03) {
        report.fine("precision", "products in FP32 or TF32 take " + percentText(c.share(p.ns)) + " of the step");
        return;
    }
    if (tf32Fires)
        return; // counted on top of it in the plan
    Placeholders words{{"time", timeText(p.ns)}, {"now", "TF32"}, {"ops", p.ops.empty() ? p.example : p.ops}};
    Finding f = makeFinding(c, "precision", p.ns, {change(ChangeKind::PrecisionBf16)}, words);
    f.fix.knob = "precision=bf16";
    kernelEvidence(c, f, p.nodes);
    report.add(c, std::move(f));
}

void checkAlignment(const RuleContext &c, RuleReport &report)
{
    std::string example;
    const Products p = productsThat(c, [&](std::uint32_t i) {
        const auto &product = c.facts.product(c.facts.work[i].op);
        if (!product || product->convolution || modeOf(c.facts, i) != MathMode::Half)
            return false;
        const bool odd = product->m % 8 != 0 || product->n % 8 != 0 || product->k % 8 != 0;
        if (odd && example.empty())
            example = shapesOf(c, c.facts.work[i].op);
        return odd;
    });
    if (p.nodes.empty() || c.share(p.ns) < 0.01) {
        report.fine("alignment",
                    "16-bit products with sizes off a multiple of 8 take " + percentText(c.share(p.ns))
                        + " of the step");
        return;
    }
    Finding f = makeFinding(c, "alignment", p.ns, {change(ChangeKind::Alignment)},
                            {{"count", numberText(c.perStep(static_cast<double>(p.nodes.size())))},
                             {"example", example},
                             {"time", timeText(p.ns)}});
    kernelEvidence(c, f, p.nodes);
    report.add(c, std::move(f));
}

void checkAttention(const RuleContext &c, RuleReport &report)
{
    const auto blocks = attentionBlocks(c.facts);
    double ns = 0, bytes = 0, forward = 0;
    for (const AttentionBlock &b : blocks) {
        for (const std::uint32_t k : b.kernels)
            ns += static_cast<double>(c.facts.graph.nodes[k].duration);
        const double size = b.type == NumberType::Float32 ? 4 : 2;
        if (!b.backward) {
            ++forward;
            bytes += size * static_cast<double>(b.heads) * static_cast<double>(b.queries) * static_cast<double>(b.keys);
        }
    }
    const double time = c.perStep(ns);
    if (blocks.empty() || c.share(time) < 0.02) {
        report.fine("attention-unfused",
                    blocks.empty() ? "no matmul – softmax – matmul pattern"
                                   : "it takes " + percentText(c.share(time)) + " of the step");
        return;
    }
    // Shapes are recorded at detail full only; C++ runs may have no operator there either.
    const std::string op = operatorAt(c, blocks.front().firstOp), shapes = shapesOf(c, blocks.front().firstOp);
    Finding f = makeFinding(
        c, "attention-unfused", time, {change(ChangeKind::AttentionUnfused)},
        {{"time", timeText(time)},
         {"layers", numberText(c.perStep(forward))},
         {"example", op.empty() && shapes.empty() ? "" : " (" + op + (op.empty() ? "" : " ") + shapes + ")"},
         {"bytes", bytes > 0 ? " of " + bytesText(c.perStep(bytes)) + " per step" : ""},
         {"saved", bytes > 0 ? "about " + bytesText(c.perStep(bytes)) : "the score matrix"}});
    for (const AttentionBlock &b : blocks)
        addEvidence(f, c.trace.start(c.facts.graph.nodes[b.kernels.front()].event),
                    c.trace.end(c.facts.graph.nodes[b.kernels.back()].event),
                    c.facts.graph.rows[c.facts.graph.nodes[b.kernels.front()].row].lane,
                    std::string(b.backward ? "attention backward in " : "attention in ")
                        + std::to_string(b.kernels.size()) + " kernels");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
