// SPDX-License-Identifier: GPL-3.0-or-later
// Merger's second half: events, details and arrows get the trace's ids where they lie, on all cores.
#include "analysis/import/jsonmerge.h"
#include "analysis/trace/parallel.h"

#include <algorithm>

namespace tuneline::analysis::json {
namespace {

// Copies a batch's part of a table to its place in the trace's, each row changed by `settled`.
template <typename Detail, typename Settled>
void place(Slab<Detail> &table, const Part &part, std::vector<Detail> &all, std::uint32_t shift, Settled &&settled)
{
    auto to = all.begin() + static_cast<std::uint32_t>(static_cast<std::uint32_t>(part.from) + shift);
    table.forRange(part.from, part.to,
                   [&](std::span<Detail> rows) { to = std::transform(rows.begin(), rows.end(), to, settled); });
}

template <typename Detail> Detail unchanged(const Detail &detail)
{
    return detail;
}

} // namespace

void Merger::settleAll()
{
    findFlowEnds();
    std::uint64_t lost = 0;
    forEachOnAllCores(m_unsettled.size() + 1, [&](std::size_t i) {
        if (i == 0)
            lost = countLostFlows();
        else
            settle(m_unsettled[i - 1]);
    });
    m_builder.report().add("flow-without-start", Severity::Info, {-1, -1, "arrows whose beginning is not in the file"},
                           lost);
    m_unsettled.clear();
}

// Flow ends name a process and thread, not host or device: an arrow begins at the host row and ends at the device row.
void Merger::findFlowEnds()
{
    std::map<std::pair<StringId, StringId>, FlowEnds> ends;
    for (const LaneUse &use : m_lanes) {
        FlowEnds &of = ends[{use.pid, use.tid}];
        if (use.kind == RowKind::Cpu)
            of.host = use.lane;
        else if (use.kind == RowKind::Stream)
            of.device = use.lane;
    }
    for (auto &[tables, remap] : m_remaps) {
        remap.flowEnds.assign(tables->rows().size(), {});
        for (std::size_t i = 0; i < remap.flowEnds.size(); ++i) {
            const Row &row = tables->rows()[i];
            const auto found = ends.find({remap.strings[row.pid.value], remap.strings[row.tid.value]});
            if (found != ends.end())
                remap.flowEnds[i] = found->second;
        }
    }
}

void Merger::settle(RawEvent &event, const Remap &remap, const Shift &shift)
{
    event.lane = remap.lanes[event.lane.value];
    event.name = remap.strings[event.name.value];
    if (event.collective != Id<EventTag>::kNone)
        event.collective += shift.collectives;
    if (event.detail != Id<EventTag>::kNone)
        event.detail += event.kind == EventKind::Kernel                     ? shift.kernels
            : event.kind == EventKind::Op || event.kind == EventKind::Range ? shift.ops
                                                                            : shift.copies;
}

void Merger::settle(const Unsettled &part) const
{
    const auto &[batch, tables, remap, shift] = part;
    const std::vector<StringId> &strings = remap->strings;
    Trace &trace = m_builder.trace();
    place(tables->kernels, batch->kernels, trace.kernels, shift.kernels, unchanged<KernelDetail>);
    place(tables->copies, batch->copies, trace.copies, shift.copies, unchanged<CopyDetail>);
    place(tables->ops, batch->ops, trace.ops, shift.ops, [&](OpDetail op) {
        op.shapes = strings[op.shapes.value];
        op.types = strings[op.types.value];
        op.concrete = strings[op.concrete.value];
        return op;
    });
    place(tables->collectives, batch->collectives, trace.collectives, shift.collectives, [&](CollectiveDetail one) {
        one.name = strings[one.name.value];
        one.group = strings[one.group.value];
        one.type = strings[one.type.value];
        return one;
    });
    tables->events.forRange(batch->events.from, batch->events.to, [&](std::span<RawEvent> events) {
        for (RawEvent &event : events)
            settle(event, *remap, shift);
    });
    tables->flows.forRange(batch->flows.from, batch->flows.to, [&](std::span<RawFlow> flows) {
        for (RawFlow &flow : flows) {
            const auto [host, device] = remap->flowEnds[flow.lane.value];
            const bool wantsDevice = flow.type == RawFlow::Type::Launch && !flow.begin;
            flow.lane = wantsDevice && device.valid() ? device : host.valid() ? host : device;
        }
    });
}

std::uint64_t Merger::countLostFlows() const
{
    std::vector<std::uint64_t> begins, ends;
    for (const Unsettled &part : m_unsettled) {
        part.tables->flows.forRange(part.batch->flows.from, part.batch->flows.to, [&](std::span<RawFlow> flows) {
            for (const RawFlow &flow : flows)
                (flow.begin ? begins : ends).push_back(flow.id);
        });
    }
    for (auto *ids : {&begins, &ends}) {
        if (!std::is_sorted(ids->begin(), ids->end()))
            std::sort(ids->begin(), ids->end());
    }
    std::uint64_t lost = 0;
    auto begin = begins.begin();
    for (const std::uint64_t id : ends) {
        while (begin != begins.end() && *begin < id)
            ++begin;
        lost += begin == begins.end() || *begin != id ? 1 : 0;
    }
    return lost;
}

} // namespace tuneline::analysis::json
