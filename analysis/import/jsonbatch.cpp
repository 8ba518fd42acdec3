// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonbatch.h"

namespace tuneline::analysis::json {

StringId ThreadTables::intern(std::string_view text)
{
    StringId id = m_seen.find(text);
    if (!id.valid()) {
        id = strings.intern(text);
        m_seen.put(strings.view(id), id);
    }
    return id;
}

LaneId ThreadTables::row(const Row &row)
{
    Known &known = m_lately[RowHash{}(row) % kLately];
    if (known.id.valid() && known.row == row)
        return known.id;
    const auto [entry, fresh] = m_ids.try_emplace(row, LaneId{m_rows.size()});
    if (fresh) {
        m_rows.push_back(row);
        m_usedIn.push_back(0);
        m_flowUsedIn.push_back(0);
    }
    known = {row, entry->second};
    return known.id;
}

void ThreadTables::noteSizes(Batch &batch, std::size_t Part::*edge) const
{
    batch.events.*edge = events->size();
    batch.kernels.*edge = kernels.size();
    batch.copies.*edge = copies.size();
    batch.ops.*edge = ops.size();
    batch.collectives.*edge = collectives.size();
    batch.flows.*edge = flows->size();
    batch.memory.*edge = memory.size();
}

void ThreadTables::open(Batch &batch)
{
    ++m_batch;
    noteSizes(batch, &Part::from);
}

void ThreadTables::close(Batch &batch) const
{
    noteSizes(batch, &Part::to);
}

void ThreadTables::add(const RawEvent &event, Batch &batch)
{
    events->push(event);
    if (std::exchange(m_usedIn[event.lane.value], m_batch) != m_batch)
        batch.rows.push_back(event.lane);
}

void ThreadTables::add(const RawFlow &flow, Batch &batch)
{
    flows->push(flow);
    if (std::exchange(m_flowUsedIn[flow.lane.value], m_batch) != m_batch)
        batch.flowRows.push_back(flow.lane);
}

} // namespace tuneline::analysis::json
