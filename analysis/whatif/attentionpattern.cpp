// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/attentionpattern.h"

#include <algorithm>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr std::size_t kMaxKernels = 40; // between the two matmuls: scale, mask, casts, softmax, dropout
constexpr std::size_t kMaxCopies = 3;
constexpr double kForwardEfficiency = 0.32, kBackwardEfficiency = 0.22; // of the half rate, measured on an H200

bool isScores(const std::optional<Product> &p)
{
    // Queries times keys: the inner size is the head's, the outer ones are sequence lengths.
    return p && !p->convolution && p->batch > 1 && p->k < p->n && p->k < p->m;
}

bool isContext(const std::optional<Product> &p, const Product &scores)
{
    return p && !p->convolution && p->batch == scores.batch && p->m == scores.m && p->k == scores.n;
}

// One host thread's launches in order.
using Launches = std::vector<std::uint32_t>;

class Finder
{
public:
    explicit Finder(const RunFacts &facts)
        : m_facts(facts)
    { }

    std::vector<AttentionBlock> run()
    {
        std::map<std::uint16_t, Launches> threads;
        for (std::uint32_t i = 0; i < m_facts.work.size(); ++i)
            if (m_facts.work[i].call != RunFacts::kNone)
                threads[m_facts.graph.nodes[m_facts.work[i].call].row].push_back(i);
        for (auto &[row, launches] : threads)
            scan(launches);
        addHostNodes();
        return std::move(m_blocks);
    }

private:
    const std::optional<Product> &product(std::uint32_t node) const { return m_facts.product(m_facts.work[node].op); }

    void scan(const Launches &launches)
    {
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (!isBatched(launches[i]))
                continue;
            const bool backward = (m_facts.launchedWithin(launches[i]) & HostTrait::kBackwardPass) != 0;
            const std::size_t last = backward ? backwardEnd(launches, i) : forwardEnd(launches, i);
            if (last == 0)
                continue;
            const std::size_t first = firstCopy(launches, i, backward);
            const std::size_t end = lastCopy(launches, last, backward);
            addBlock(launches, first, end, backward);
            i = end;
        }
    }

    // A matmul of many small matrices: by its sizes, or without them by its operator.
    bool isBatched(std::uint32_t node) const
    {
        const NodeWork &w = m_facts.work[node];
        if (w.cls != WorkClass::Matmul || !w.op.valid())
            return false;
        if (const auto &p = product(node))
            return p->batch > 1;
        const std::string_view name = m_facts.trace.name(w.op);
        return name == "aten::bmm" || name == "aten::baddbmm";
    }

    bool isSoftmax(std::uint32_t node) const { return m_facts.work[node].cls == WorkClass::Softmax; }

    std::size_t forwardEnd(const Launches &l, std::size_t i) const
    {
        if (product(l[i]) && !isScores(product(l[i])))
            return 0;
        bool softmax = false;
        for (std::size_t j = i + 1; j < std::min(l.size(), i + kMaxKernels); ++j) {
            softmax = softmax || isSoftmax(l[j]);
            if (!isBatched(l[j]))
                continue;
            const bool fits = !product(l[j]) || !product(l[i]) || isContext(product(l[j]), *product(l[i]));
            return softmax && fits ? j : 0;
        }
        return 0;
    }

    // Two matmuls (gradients of probabilities and values), softmax backward, two matmuls (queries and keys).
    std::size_t backwardEnd(const Launches &l, std::size_t i) const
    {
        int before = 0, after = 0;
        bool softmax = false;
        const std::int64_t batch = product(l[i]) ? product(l[i])->batch : 0;
        for (std::size_t j = i; j < std::min(l.size(), i + 2 * kMaxKernels); ++j) {
            const bool sized = m_facts.work[l[j]].cls == WorkClass::Matmul && product(l[j]);
            const bool matmul = sized || isBatched(l[j]);
            if (matmul && (sized ? product(l[j])->batch : 0) != batch)
                return 0;
            softmax = softmax || isSoftmax(l[j]);
            if (matmul)
                ++(softmax ? after : before);
            if (before > 2)
                return 0;
            if (after == 2)
                return before == 2 ? j : 0;
        }
        return 0;
    }

    // Transposed or expanded inputs are copied before a batched matmul, and gradients after one: the fused kernel reads
    // them in place.
    bool isCopy(std::uint32_t node) const
    {
        const std::string_view name = m_facts.trace.name(m_facts.graph.nodes[node].event);
        return m_facts.work[node].cls == WorkClass::DeviceCopy
            || (m_facts.work[node].cls == WorkClass::Pointwise && name.find("copy") != std::string_view::npos);
    }

    std::size_t firstCopy(const Launches &l, std::size_t i, bool backward) const
    {
        const std::size_t most = backward ? 1 : kMaxCopies;
        for (std::size_t n = 0; n < most && i > 0 && isCopy(l[i - 1]); ++n)
            --i;
        return i;
    }

    std::size_t lastCopy(const Launches &l, std::size_t i, bool backward) const
    {
        const std::size_t most = backward ? kMaxCopies : 1;
        for (std::size_t n = 0; n < most && i + 1 < l.size() && isCopy(l[i + 1]); ++n)
            ++i;
        return i;
    }

    void addBlock(const Launches &l, std::size_t first, std::size_t last, bool backward)
    {
        AttentionBlock b;
        b.backward = backward;
        b.kernels.assign(l.begin() + static_cast<std::ptrdiff_t>(first),
                         l.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        b.step = m_facts.graph.nodes[l[first]].step;
        b.firstOp = m_facts.work[l[first]].op;
        b.type = m_facts.work[l[first]].type;
        // Of the block's matmuls, the one with the smallest size tells the head's.
        for (const std::uint32_t k : b.kernels) {
            const auto &p = product(k);
            if (m_facts.work[k].cls == WorkClass::Matmul)
                b.matmulNs += static_cast<double>(m_facts.graph.nodes[k].duration);
            if (m_facts.work[k].cls != WorkClass::Matmul || !p)
                continue;
            std::int64_t sizes[] = {p->m, p->n, p->k};
            std::sort(std::begin(sizes), std::end(sizes));
            b.heads = p->batch;
            b.dim = sizes[0];
            b.queries = sizes[1];
            b.keys = sizes[2];
        }
        m_blocks.push_back(std::move(b));
    }

    // Host pieces between the first and the last launch of each block, on its thread.
    void addHostNodes()
    {
        const auto &nodes = m_facts.graph.nodes;
        for (AttentionBlock &b : m_blocks) {
            const std::uint32_t first = m_facts.work[b.kernels.front()].call;
            const std::uint32_t last = m_facts.work[b.kernels.back()].call;
            for (std::uint32_t i = first; i < last; ++i)
                if (nodes[i].row == nodes[first].row && nodes[i].kind != NodeKind::Wait
                    && nodes[i].kind != NodeKind::Device)
                    b.hostNodes.push_back(i);
        }
    }

    const RunFacts &m_facts;
    std::vector<AttentionBlock> m_blocks;
};

} // namespace

std::vector<AttentionBlock> attentionBlocks(const RunFacts &facts)
{
    return Finder(facts).run();
}

double fusedAttentionNs(const DeviceRates &rates, const AttentionBlock &b)
{
    // Without sizes: the fused kernel multiplies as much (backward once more), and moves little else.
    if (b.dim == 0)
        return (b.backward ? 1.25 : 1.0) * b.matmulNs;
    const double products = b.backward ? 5 : 2;
    const double flops = products * 2.0 * static_cast<double>(b.heads) * static_cast<double>(b.queries)
        * static_cast<double>(b.keys) * static_cast<double>(b.dim);
    const double efficiency = b.backward ? kBackwardEfficiency : kForwardEfficiency;
    const bool half = b.type == NumberType::BFloat16 || b.type == NumberType::Half;
    // FP32 has only the memory-efficient kernel, which reaches about half of the plain FP32 rate.
    const double rate = half ? efficiency * rates.half : 0.5 * rates.fp32;
    return rate > 0 ? 1e9 * flops / rate + (b.backward ? 15000 : 5000) : 0;
}

} // namespace tuneline::analysis
