// SPDX-License-Identifier: GPL-3.0-or-later
// linker.h's second half: which backward node belongs to which forward operator.
#include "analysis/trace/linker.h"

#include <algorithm>
#include <tuple>

namespace tuneline::analysis {
namespace {

void linkByBackwardFlows(Trace &trace, const FlowRuns &flows)
{
    std::vector<const RawFlow *> sorted;
    forEachFlow(flows, [&](const RawFlow &flow) {
        if (flow.type == RawFlow::Type::ForwardBackward && flow.lane.valid())
            sorted.push_back(&flow);
    });
    const auto key = [&](const RawFlow *f) {
        return std::tuple(trace.lanes[f->lane.value].source.value, f->id, f->time, !f->begin);
    };
    std::sort(sorted.begin(), sorted.end(), [&](auto *a, auto *b) { return key(a) < key(b); });
    const RawFlow *begin = nullptr;
    for (const RawFlow *flow : sorted) {
        if (flow->begin) {
            begin = flow;
            continue;
        }
        const auto same = [&](const RawFlow *a) {
            return a->id == flow->id && trace.lanes[a->lane.value].source == trace.lanes[flow->lane.value].source;
        };
        if (begin == nullptr || !same(begin))
            continue;
        const auto op = [&](const RawFlow *at) {
            return innermostAt(trace, at->lane, at->time,
                               [&](EventId e) { return trace.kind(e) == EventKind::Op && trace.start(e) <= at->time; });
        };
        const EventId forward = op(begin), backward = op(flow);
        if (forward.valid() && backward.valid())
            trace.forwardBackward.push_back({forward, backward});
    }
}

// Autograd gives a forward operator's sequence number to its backward node. Operators inside carry it too: the last one
// to begin made the node.
void linkBySequence(Trace &trace)
{
    struct Entry
    {
        std::uint32_t source;
        std::int64_t sequence;
        bool backward;
        std::int64_t start;
        EventId event;
    };
    std::vector<Entry> entries;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
        const EventId e{i};
        const OpDetail *detail = trace.kind(e) == EventKind::Op ? trace.op(e) : nullptr;
        if (detail == nullptr || detail->sequence < 0)
            continue;
        const bool backward = detail->forwardThread >= 0;
        if (backward && trace.name(e).starts_with("autograd::engine::"))
            continue;
        entries.push_back({trace.laneOf(e).source.value, detail->sequence, backward, trace.start(e), e});
    }
    const auto key = [](const Entry &a) { return std::tuple(a.source, a.sequence, a.backward, a.start); };
    std::sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) { return key(a) < key(b); });
    for (std::size_t i = 1; i < entries.size(); ++i) {
        const Entry &forward = entries[i - 1], &backward = entries[i];
        if (!forward.backward && backward.backward && forward.source == backward.source
            && forward.sequence == backward.sequence)
            trace.forwardBackward.push_back({forward.event, backward.event});
    }
}

} // namespace

void linkForwardBackward(Trace &trace, const FlowRuns &flows)
{
    linkByBackwardFlows(trace, flows);
    if (trace.forwardBackward.empty())
        linkBySequence(trace);
    std::sort(trace.forwardBackward.begin(), trace.forwardBackward.end(),
              [](const ForwardBackward &a, const ForwardBackward &b) { return a.forward < b.forward; });
}

} // namespace tuneline::analysis
