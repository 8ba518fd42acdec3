// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/columnfiller.h"

#include "analysis/trace/hugepages.h"

#include <algorithm>
#include <future>

namespace tuneline::analysis {
namespace {

// Outer before inner where two events have the same times.
int rankOf(EventKind kind)
{
    switch (kind) {
    case EventKind::Window:
        return 0;
    case EventKind::Range:
    case EventKind::DeviceRange:
    case EventKind::Slice:
        return 1;
    case EventKind::Python:
        return 2;
    case EventKind::Op:
        return 3;
    case EventKind::Runtime:
        return 4;
    case EventKind::Driver:
        return 5;
    default:
        return 6;
    }
}

struct Placed
{
    std::int64_t start, end;
    const RawEvent *event;
};

bool before(const Placed &a, const Placed &b)
{
    if (a.start != b.start)
        return a.start < b.start;
    if (a.end != b.end)
        return a.end > b.end;
    return rankOf(a.event->kind) < rankOf(b.event->kind);
}

// Fills the columns in their final order: lane after lane, in each by start, longer first.
class Columns
{
public:
    Columns(Trace &trace, const std::vector<std::vector<RawEvent>> &batches)
        : m_trace(trace)
        , m_batches(batches)
    { }
    void fill();
    [[nodiscard]] std::vector<std::uint64_t> takeExternalIds() { return std::move(m_externalIds); }

private:
    std::uint32_t countLanes();
    void resize(std::size_t count);
    void place(std::uint32_t count);
    void gather(std::uint32_t index);

    Trace &m_trace;
    const std::vector<std::vector<RawEvent>> &m_batches;
    std::vector<Placed> m_placed;
    std::vector<std::uint64_t> m_externalIds;
    bool m_needExternal = false;
};

void Columns::fill()
{
    const std::uint32_t count = countLanes();
    // Fresh memory takes as long as filling it: a second thread gets it ready meanwhile.
    std::future<void> ready = std::async(std::launch::async, [this, count] { resize(count); });
    place(count);
    for (Lane &lane : m_trace.lanes) {
        const auto from = m_placed.begin() + lane.first, to = from + lane.count;
        if (!std::is_sorted(from, to, before))
            std::stable_sort(from, to, before);
    }
    ready.get();
    for (std::uint32_t i = 0; i < count; ++i)
        gather(i);
}

std::uint32_t Columns::countLanes()
{
    for (const auto &batch : m_batches) {
        for (const RawEvent &event : batch) {
            ++m_trace.lanes[event.lane.value].count;
            m_needExternal =
                m_needExternal || (isDeviceWork(event.kind) && event.correlation == 0 && event.externalId != 0);
        }
    }
    std::uint32_t first = 0;
    for (Lane &lane : m_trace.lanes) {
        lane.first = first;
        first += lane.count;
    }
    return first;
}

void Columns::place(std::uint32_t count)
{
    resizeOnHugePages(m_placed, count);
    std::vector<std::uint32_t> next;
    for (const Lane &lane : m_trace.lanes)
        next.push_back(lane.first);
    for (const auto &batch : m_batches) {
        for (const RawEvent &event : batch)
            m_placed[next[event.lane.value]++] = {event.start, event.start + event.duration, &event};
    }
}

void Columns::resize(std::size_t count)
{
    EventColumns &c = m_trace.events;
    resizeOnHugePages(c.start, count);
    resizeOnHugePages(c.duration, count);
    resizeOnHugePages(c.name, count);
    resizeOnHugePages(c.lane, count);
    resizeOnHugePages(c.parent, count);
    resizeOnHugePages(c.launch, count);
    resizeOnHugePages(c.detail, count);
    resizeOnHugePages(c.depth, count);
    resizeOnHugePages(c.kind, count);
    resizeOnHugePages(c.flags, count);
    resizeOnHugePages(c.correlation, count);
    resizeOnHugePages(c.argsOffset, count);
    if (m_needExternal)
        resizeOnHugePages(m_externalIds, count);
}

void Columns::gather(std::uint32_t index)
{
    const RawEvent &event = *m_placed[index].event;
    EventColumns &c = m_trace.events;
    c.start[index] = event.start;
    c.duration[index] = event.duration;
    c.name[index] = event.name;
    c.lane[index] = event.lane;
    c.detail[index] = event.detail;
    c.kind[index] = event.kind;
    c.flags[index] = event.flags;
    c.correlation[index] = event.correlation;
    c.argsOffset[index] = event.argsOffset;
    if (m_needExternal)
        m_externalIds[index] = event.externalId;
    if (event.collective != Id<EventTag>::kNone)
        m_trace.collectiveOf.emplace_back(EventId{index}, event.collective);
}

} // namespace

std::vector<std::uint64_t> fillColumns(Trace &trace, const std::vector<std::vector<RawEvent>> &batches)
{
    Columns columns(trace, batches);
    columns.fill();
    return columns.takeExternalIds();
}

} // namespace tuneline::analysis
