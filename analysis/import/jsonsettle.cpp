// SPDX-License-Identifier: GPL-3.0-or-later
// Merger's second half: events, details and arrows get the trace's ids where they lie, on all cores.
#include "analysis/import/jsonmerge.h"
#include "analysis/trace/hugepages.h"
#include "analysis/trace/parallel.h"

#include <algorithm>

namespace tuneline::analysis::json {
namespace {

// Moves one table of all batches to the trace's, in file order behind what it has; settled(row, tables) is what a row
// becomes. The threads' own are empty afterwards: together they take as much memory as one table twice.
template <typename Detail, typename Settled>
void place(const std::vector<Merger::Item> &items, Slab<Detail> ThreadTables::*table, Part Batch::*part,
           Column<Detail> &all, Settled &&settled)
{
    std::vector<std::size_t> begins;
    std::size_t end = all.size();
    for (const Merger::Item &item : items) {
        begins.push_back(end);
        end += (item.batch->*part).size();
    }
    if (all.empty())
        reserveOnHugePages(all, end);
    all.resize(end);
    forEachOnAllCores(items.size(), [&](std::size_t i) {
        const Batch &batch = *items[i].batch;
        ThreadTables *const tables = items[i].tables.get();
        auto to = all.begin() + static_cast<std::ptrdiff_t>(begins[i]);
        (tables->*table).forRange((batch.*part).from, (batch.*part).to, [&](std::span<Detail> rows) {
            to = std::transform(rows.begin(), rows.end(), to, [&](const Detail &row) { return settled(row, tables); });
        });
    });
    for (const Merger::Item &item : items)
        (item.tables.get()->*table).clear();
}

} // namespace

void Merger::settleAll()
{
    findFlowEnds();
    std::uint64_t lost = 0;
    const auto settlePart = [&](std::size_t i) {
        if (i == 0)
            lost = countLostFlows(RawFlow::Type::Launch) + countLostFlows(RawFlow::Type::ForwardBackward);
        else
            settle(m_unsettled[i - 1]);
    };
    if (m_unsettled.size() > 2) {
        forEachOnAllCores(m_unsettled.size() + 1, settlePart);
    } else { // one of many small documents, perhaps
        for (std::size_t i = 0; i <= m_unsettled.size(); ++i)
            settlePart(i);
    }
    m_builder.report().add("flow-without-start", Severity::Info, {-1, -1, "arrows whose beginning is not in the file"},
                           lost);
    for (const Unsettled &part : m_unsettled) {
        for (const LaneId row : part.batch->rows)
            part.remap->lanes[row.value] = {};
        for (const HalfEvent &half : part.batch->halves)
            part.remap->lanes[half.event.lane.value] = {};
    }
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
    for (const Unsettled &part : m_unsettled) {
        for (const LaneId local : part.batch->flowRows) {
            const Row &row = part.tables->rows()[local.value];
            const auto found = ends.find({part.remap->strings[row.pid.value], part.remap->strings[row.tid.value]});
            part.remap->flowEnds[local.value] = found == ends.end() ? FlowEnds{} : found->second;
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

void Merger::settle(const Unsettled &part)
{
    part.tables->events->forRange(part.batch->events.from, part.batch->events.to, [&](std::span<RawEvent> events) {
        for (RawEvent &event : events)
            settle(event, *part.remap, part.shift);
    });
    part.tables->flows->forRange(part.batch->flows.from, part.batch->flows.to, [&](std::span<RawFlow> flows) {
        for (RawFlow &flow : flows) {
            const auto [host, device] = part.remap->flowEnds[flow.lane.value];
            const bool wantsDevice = flow.type == RawFlow::Type::Launch && !flow.begin;
            flow.lane = wantsDevice && device.valid() ? device : host.valid() ? host : device;
        }
    });
}

void Merger::placeDetails(const std::vector<Item> &items)
{
    Trace &trace = m_builder.trace();
    const auto unchanged = [](const auto &row, const ThreadTables *) { return row; };
    place(items, &ThreadTables::kernels, &Batch::kernels, trace.kernels, unchanged);
    place(items, &ThreadTables::copies, &Batch::copies, trace.copies, unchanged);
    place(items, &ThreadTables::ops, &Batch::ops, trace.ops, [this](OpDetail op, const ThreadTables *tables) {
        const std::vector<StringId> &strings = m_remaps.find(tables)->second.strings;
        op.shapes = strings[op.shapes.value];
        op.types = strings[op.types.value];
        op.concrete = strings[op.concrete.value];
        return op;
    });
    place(items, &ThreadTables::collectives, &Batch::collectives, trace.collectives,
          [this](CollectiveDetail one, const ThreadTables *tables) {
              const std::vector<StringId> &strings = m_remaps.find(tables)->second.strings;
              one.name = strings[one.name.value];
              one.group = strings[one.group.value];
              one.type = strings[one.type.value];
              return one;
          });
}

std::uint64_t Merger::countLostFlows(RawFlow::Type type) const
{
    std::vector<std::uint64_t> begins, ends;
    for (const Unsettled &part : m_unsettled) {
        part.tables->flows->forRange(part.batch->flows.from, part.batch->flows.to, [&](std::span<RawFlow> flows) {
            for (const RawFlow &flow : flows) {
                if (flow.type == type)
                    (flow.begin ? begins : ends).push_back(flow.id);
            }
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
