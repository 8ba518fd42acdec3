// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/trace.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

template <typename Detail> const Detail *detailAt(const Column<Detail> &table, std::uint32_t index)
{
    return index < table.size() ? &table[index] : nullptr;
}

} // namespace

const KernelDetail *Trace::kernel(EventId e) const
{
    return kind(e) == EventKind::Kernel ? detailAt(kernels, events.detail[e.value]) : nullptr;
}

const CopyDetail *Trace::copy(EventId e) const
{
    const bool isCopy = kind(e) == EventKind::Copy || kind(e) == EventKind::Memset;
    return isCopy ? detailAt(copies, events.detail[e.value]) : nullptr;
}

const OpDetail *Trace::op(EventId e) const
{
    const bool hasOp = kind(e) == EventKind::Op || kind(e) == EventKind::Range;
    return hasOp ? detailAt(ops, events.detail[e.value]) : nullptr;
}

const CollectiveDetail *Trace::collective(EventId e) const
{
    const auto entry = std::lower_bound(collectiveOf.begin(), collectiveOf.end(), e,
                                        [](const auto &pair, EventId id) { return pair.first < id; });
    return entry != collectiveOf.end() && entry->first == e ? detailAt(collectives, entry->second) : nullptr;
}

std::span<const EventId> Trace::deviceRecordsOf(EventId apiCall) const
{
    const auto launchOf = [this](EventId e) { return events.launch[e.value]; };
    const auto from = std::lower_bound(deviceByLaunch.begin(), deviceByLaunch.end(), apiCall,
                                       [&](EventId e, EventId call) { return launchOf(e) < call; });
    const auto to = std::upper_bound(from, deviceByLaunch.end(), apiCall,
                                     [&](EventId call, EventId e) { return call < launchOf(e); });
    return {from, to};
}

std::pair<std::uint32_t, std::uint32_t> Trace::visible(const Lane &lane, std::int64_t from, std::int64_t to) const
{
    const auto end = std::lower_bound(lane.maxEnd.begin(), lane.maxEnd.end(), from);
    const auto starts = std::span(events.start).subspan(lane.first, lane.count);
    const auto start = std::lower_bound(starts.begin(), starts.end(), to);
    const auto first = lane.first + static_cast<std::uint32_t>(end - lane.maxEnd.begin());
    return {first, std::max(first, lane.first + static_cast<std::uint32_t>(start - starts.begin()))};
}

} // namespace tuneline::analysis
