// SPDX-License-Identifier: GPL-3.0-or-later
// What the changes and rules need to know about each node of the graph: which operators and scopes it lies in, what a
// device record computes, which call launched it. Computed once; immutable; any thread.
#pragma once

#include "analysis/analysis.h"
#include "analysis/whatif/devicetable.h"
#include "analysis/whatif/eventgraph.h"
#include "analysis/whatif/shapes.h"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tuneline::analysis {

// Beside NameTrait: what operators and scopes an event lies in.
namespace HostTrait {
inline constexpr std::uint32_t kItem = 1U << 20; // reads a device value on the host
inline constexpr std::uint32_t kZeroGrad = 1U << 21;
inline constexpr std::uint32_t kOptimizer = 1U << 22; // inside an optimizer scope
inline constexpr std::uint32_t kTransfer = 1U << 23; // aten::copy_, aten::to
inline constexpr std::uint32_t kProduct = 1U << 24; // matmul or convolution operator
inline constexpr std::uint32_t kBackwardPass = 1U << 25;
inline constexpr std::uint32_t kInOp = 1U << 26; // inside some operator
inline constexpr std::uint32_t kRecompute = 1U << 27; // activation checkpointing runs a block again
inline constexpr std::uint32_t kDataScope = 1U << 28;
inline constexpr std::uint32_t kCompiled = 1U << 29; // a compiled region
} // namespace HostTrait

enum class WorkClass : std::uint8_t {
    None, // not a device record
    Matmul,
    Convolution,
    Attention, // fused
    Pointwise,
    Norm,
    Softmax,
    Reduction,
    Pool,
    Layout, // nchw ↔ nhwc
    Optimizer,
    Communication,
    HostToDevice,
    DeviceToHost,
    DeviceCopy,
    Memset,
    Other,
};

enum class NumberType : std::uint8_t { Unknown, Float32, Half, BFloat16, Double };

// What is known of one device node of the graph.
struct NodeWork
{
    WorkClass cls = WorkClass::None;
    bool tensorCore = false;
    NumberType type = NumberType::Unknown;
    EventId op; // the operator that it belongs to (matmul, convolution, … before views and copies); invalid = none
    std::uint32_t call = 0xFFFFFFFFU; // node of its launch
};

struct OptimizerFigures;

class RunFacts
{
public:
    RunFacts(const Analysis &analysis, const EventGraph &graph);

    const Analysis &analysis;
    const Trace &trace;
    const EventGraph &graph;
    DeviceRates rates;
    std::vector<std::uint32_t> within; // by EventId: traits of the event and of all that enclose it
    std::vector<NodeWork> work; // by node
    std::vector<std::uint32_t> waitOf; // by node: a call's wait node, kNone = it never blocks
    std::size_t steadySteps = 0; // at least 1

    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

    // 0 for nodes without an event. Backward nodes on another thread belong to no scope of the main thread.
    [[nodiscard]] std::uint32_t withinOf(std::uint32_t node) const
    {
        const EventId e = graph.nodes[node].event;
        return e.valid() ? within[e.value] : 0;
    }
    // Traits of what launched a device record.
    [[nodiscard]] std::uint32_t launchedWithin(std::uint32_t node) const
    {
        return work[node].call == kNone ? 0 : withinOf(work[node].call);
    }
    [[nodiscard]] bool inSteadyStep(std::uint32_t node) const
    {
        const std::uint32_t s = graph.nodes[node].step;
        return s < graph.steady.size() && graph.steady[s] != 0;
    }
    // Innermost enclosing operator with one of the traits; invalid = none.
    [[nodiscard]] EventId enclosing(EventId e, std::uint32_t trait) const;
    [[nodiscard]] const std::optional<Product> &product(EventId op) const;
    // Of one event's own name only.
    [[nodiscard]] std::uint32_t own(EventId e) const { return m_own[trace.events.name[e.value].value]; }

private:
    friend const OptimizerFigures &optimizerFigures(const RunFacts &facts);
    void classifyNames();
    void spreadTraits();
    void classifyWork();
    [[nodiscard]] WorkClass classOf(EventId record, std::uint32_t launchedIn);
    void findProducts();
    void refineWork();

    // What a text says: names come up again and again.
    struct Words
    {
        bool known = false;
        WorkClass kernel = WorkClass::None;
        NumberType type = NumberType::Unknown;
    };
    const Words &wordsOf(StringId text);

    std::vector<std::uint32_t> m_own; // by StringId
    std::vector<Words> m_words; // by StringId
    std::vector<std::optional<Product>> m_products; // each different one; the first is none
    std::vector<std::uint32_t> m_productOf; // by EventId of an operator: index into m_products
    mutable std::once_flag m_optimizerOnce;
    mutable std::shared_ptr<const OptimizerFigures> m_optimizer; // what optimizerFigures() keeps
};

} // namespace tuneline::analysis
