// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/runfacts.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tuneline::analysis {

namespace {

template <std::size_t N> bool anyOf(std::string_view text, const std::array<std::string_view, N> &words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

template <std::size_t N> bool contains(std::string_view text, const std::array<std::string_view, N> &parts)
{
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.find(p) != text.npos; });
}

std::uint32_t hostTraits(std::string_view name)
{
    static constexpr std::array<std::string_view, 10> kItems{
        "aten::item",  "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero",    "aten::masked_select",
        "aten::equal", "aten::nonzero_numpy",       "aten::allclose",   "aten::unique_dim", "aten::_unique2"};
    static constexpr std::array<std::string_view, 3> kTransfers{"aten::copy_", "aten::to", "aten::_to_copy"};
    static constexpr std::array<std::string_view, 11> kProducts{"aten::mm",          "aten::addmm",
                                                                "aten::bmm",         "aten::baddbmm",
                                                                "aten::linear",      "aten::cudnn_convolution",
                                                                "aten::convolution", "aten::_convolution",
                                                                "aten::conv2d",      "aten::convolution_backward",
                                                                "aten::_scaled_mm"};
    std::uint32_t traits = 0;
    if (anyOf(name, kItems))
        traits |= HostTrait::kItem;
    if (anyOf(name, kTransfers))
        traits |= HostTrait::kTransfer;
    if (anyOf(name, kProducts))
        traits |= HostTrait::kProduct;
    if (name.find("zero_grad") != name.npos)
        traits |= HostTrait::kZeroGrad;
    if (name.find("Torch-Compiled Region") != name.npos || name.starts_with("CompiledFunction")
        || name.starts_with("## Call CompiledFxGraph"))
        traits |= HostTrait::kCompiled;
    if (name.find("CheckpointFunction") != name.npos || name.find("checkpoint_recompute") != name.npos)
        traits |= HostTrait::kRecompute;
    return traits;
}

WorkClass kernelClass(std::string_view name)
{
    static constexpr std::array<std::string_view, 4> kLayout{"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw"};
    static constexpr std::array<std::string_view, 5> kAttention{"fmha", "flash_", "_sdpa_",
                                                                "flash::", "AttentionKernel"};
    static constexpr std::array<std::string_view, 7> kNorms{"batch_norm", "layer_norm", "bn_fw",         "bn_bw",
                                                            "GammaBeta",  "group_norm", "RowwiseMoments"};
    static constexpr std::array<std::string_view, 3> kPools{"max_pool", "avg_pool", "pooling"};
    static constexpr std::array<std::string_view, 3> kSoftmax{"softmax", "SoftMax", "nll_loss"};
    static constexpr std::array<std::string_view, 4> kPointwise{"elementwise_kernel", "triton_poi", "CatArrayBatched",
                                                                "fused_dropout"};
    if (contains(name, kLayout))
        return WorkClass::Layout;
    if (contains(name, kAttention))
        return WorkClass::Attention;
    if (contains(name, kNorms))
        return WorkClass::Norm;
    if (contains(name, kSoftmax))
        return WorkClass::Softmax;
    if (contains(name, kPools))
        return WorkClass::Pool;
    if (name.find("multi_tensor_apply") != name.npos || name.find("FusedAdam") != name.npos)
        return WorkClass::Optimizer;
    if (contains(name, kPointwise))
        return WorkClass::Pointwise;
    if (name.find("reduce_kernel") != name.npos || name.starts_with("triton_red") || name.starts_with("triton_per"))
        return WorkClass::Reduction;
    return WorkClass::Other;
}

NumberType typeOf(std::string_view text)
{
    if (text.find("BFloat16") != text.npos || text.find("bfloat16") != text.npos)
        return NumberType::BFloat16;
    if (text.find("Half") != text.npos || text.find("__half") != text.npos)
        return NumberType::Half;
    if (text.find("double") != text.npos)
        return NumberType::Double;
    if (text.find("float") != text.npos)
        return NumberType::Float32;
    return NumberType::Unknown;
}

} // namespace

RunFacts::RunFacts(const Analysis &a, const EventGraph &g)
    : analysis(a)
    , trace(*a.trace)
    , graph(g)
{
    const Source *source = trace.sources.empty() ? nullptr : &trace.sources[a.mainSource];
    DeviceProperties properties;
    if (source)
        for (const DeviceProperties &p : source->devices)
            if (p.id == std::max(0, a.stepSet().device) || properties.name.empty())
                properties = p;
    rates = deviceRates(properties);
    for (const std::uint8_t steady : g.steady)
        steadySteps += steady;
    steadySteps = std::max<std::size_t>(1, steadySteps);
    classifyNames();
    spreadTraits();
    m_words.resize(trace.strings.size());
    classifyWork();
    findProducts();
    refineWork();
}

void RunFacts::classifyNames()
{
    m_own.resize(trace.strings.size());
    for (std::size_t i = 0; i < m_own.size(); ++i)
        m_own[i] = hostTraits(trace.strings.view(StringId{i}));
}

void RunFacts::spreadTraits()
{
    within.assign(trace.events.size(), 0);
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            const EventKind kind = trace.kind(e);
            const std::uint32_t names = analysis.names.of(trace, e);
            std::uint32_t traits = own(e);
            if (kind == EventKind::Op)
                traits |= HostTrait::kInOp;
            if (!isApiCall(kind)) {
                traits |= (names & NameTrait::kBackward) != 0 ? HostTrait::kBackwardPass : 0;
                traits |= (names & NameTrait::kOptimizerScope) != 0 ? HostTrait::kOptimizer : 0;
                traits |= (names & NameTrait::kDataScope) != 0 ? HostTrait::kDataScope : 0;
                traits |= names & (NameTrait::kCheckpointScope | NameTrait::kCompilation | NameTrait::kOptimizerOp);
            }
            const EventId parent = trace.events.parent[i];
            within[i] = traits | (parent.valid() ? within[parent.value] : 0);
        }
    }
}

EventId RunFacts::enclosing(EventId e, std::uint32_t trait) const
{
    while (e.valid() && (own(e) & trait) == 0)
        e = trace.events.parent[e.value];
    return e;
}

const RunFacts::Words &RunFacts::wordsOf(StringId text)
{
    Words &words = m_words[text.value];
    if (!words.known) {
        const std::string_view view = trace.strings.view(text);
        words = {true, kernelClass(view), typeOf(view)};
    }
    return words;
}

WorkClass RunFacts::classOf(EventId record, std::uint32_t launchedIn)
{
    if (trace.kind(record) == EventKind::Memset)
        return WorkClass::Memset;
    if (trace.kind(record) == EventKind::Copy) {
        const CopyDetail *copy = trace.copy(record);
        if (!copy)
            return WorkClass::DeviceCopy;
        return copy->kind == CopyKind::HostToDevice ? WorkClass::HostToDevice
            : copy->kind == CopyKind::DeviceToHost  ? WorkClass::DeviceToHost
                                                    : WorkClass::DeviceCopy;
    }
    const std::uint32_t traits = analysis.names.of(trace, record);
    if ((traits & NameTrait::kCommunication) != 0)
        return WorkClass::Communication;
    const WorkClass byName = wordsOf(trace.events.name[record.value]).kernel;
    if (byName == WorkClass::Attention || byName == WorkClass::Layout)
        return byName;
    // Adds up what a product split along its inner size: no product, whatever precision that has.
    if (trace.name(record).find("splitKreduce") != std::string_view::npos)
        return WorkClass::Other;
    if ((traits & NameTrait::kMatrixMath) != 0)
        return WorkClass::Matmul; // convolution by its operator, below
    if ((launchedIn & HostTrait::kOptimizer) != 0 || (traits & NameTrait::kOptimizerOp) != 0)
        return WorkClass::Optimizer;
    return byName;
}

namespace {

// What a product depends on.
struct ProductKey
{
    StringId name, shapes, concrete;

    bool operator==(const ProductKey &) const = default;
};

struct ProductHash
{
    std::size_t operator()(const ProductKey &k) const
    {
        constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15ULL;
        return ((k.name.value * kPrime + k.shapes.value) * kPrime + k.concrete.value) * kPrime;
    }
};

} // namespace

// Of all operators that have device work; few differ.
void RunFacts::findProducts()
{
    std::unordered_map<ProductKey, std::uint32_t, ProductHash> known;
    m_products.emplace_back();
    m_productOf.assign(trace.events.size(), 0);
    for (const NodeWork &w : work) {
        const OpDetail *detail = w.op.valid() && m_productOf[w.op.value] == 0 ? trace.op(w.op) : nullptr;
        if (!detail)
            continue;
        const ProductKey key{trace.events.name[w.op.value], detail->shapes, detail->concrete};
        const auto [it, added] = known.try_emplace(key, static_cast<std::uint32_t>(m_products.size()));
        if (added)
            m_products.push_back(
                productOf(trace.name(w.op), trace.strings.view(detail->shapes), trace.strings.view(detail->concrete)));
        m_productOf[w.op.value] = it->second;
    }
}

void RunFacts::classifyWork()
{
    work.resize(graph.nodes.size());
    waitOf.assign(graph.nodes.size(), kNone);
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode &node = graph.nodes[i];
        if (node.kind == NodeKind::Wait) {
            for (const GraphEdge &e : graph.incoming(i))
                if (e.kind == EdgeKind::HostOrder && node.event.valid() && graph.nodes[e.from].event == node.event)
                    waitOf[e.from] = i;
            continue;
        }
        if (node.kind != NodeKind::Device)
            continue;
        NodeWork &w = work[i];
        for (const GraphEdge &e : graph.incoming(i))
            if (e.kind == EdgeKind::Launch)
                w.call = e.from;
        w.cls = classOf(node.event, launchedWithin(i));
        w.tensorCore = (analysis.names.of(trace, node.event) & NameTrait::kTensorCore) != 0;
        w.type = wordsOf(trace.events.name[node.event.value]).type;
        if (w.call != kNone)
            w.op = enclosing(graph.nodes[w.call].event, HostTrait::kProduct);
    }
}

// What only the operator around a kernel tells.
void RunFacts::refineWork()
{
    for (NodeWork &w : work) {
        if (!w.op.valid())
            continue;
        const auto &p = product(w.op);
        const bool convolution = p ? p->convolution : trace.name(w.op).find("conv") != std::string_view::npos;
        if (w.cls == WorkClass::Matmul && convolution)
            w.cls = WorkClass::Convolution;
        if (const OpDetail *detail = trace.op(w.op); detail && w.type == NumberType::Unknown)
            w.type = wordsOf(detail->types).type;
    }
}

const std::optional<Product> &RunFacts::product(EventId op) const
{
    return m_products[op.valid() ? m_productOf[op.value] : 0];
}

} // namespace tuneline::analysis
