// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/columnfiller.h"

#include "analysis/trace/hugepages.h"
#include "analysis/trace/nearlysorted.h"
#include "analysis/trace/parallel.h"

#include <algorithm>
#include <functional>
#include <utility>

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

bool before(const RawEvent *a, const RawEvent *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    if (a->duration != b->duration)
        return a->duration > b->duration;
    return rankOf(a->kind) < rankOf(b->kind);
}

// Fills the columns in their final order: lane after lane, in each by start, longer first. Every step is done by all
// cores, each with blocks of runs or of rows that are its own.
class Columns
{
public:
    Columns(Trace &trace, const EventRuns &runs)
        : m_trace(trace)
        , m_runs(runs)
    { }
    void fill();
    [[nodiscard]] std::vector<std::uint64_t> takeExternalIds() { return std::move(m_externalIds); }

private:
    // Neighbouring runs, and how many of their events belong to each lane; later: where the next one goes.
    struct Block
    {
        std::size_t from = 0, to = 0; // of m_runs
        std::vector<std::uint32_t> ofLane;
        bool needsExternal = false;
    };
    // Some neighbouring rows of the columns.
    struct Rows
    {
        std::uint32_t from = 0, to = 0;
        std::vector<std::pair<EventId, std::uint32_t>> collectives;
    };
    void makeBlocks();
    void count(Block &block) const;
    std::uint32_t placeLanes();
    void makeRoom(std::uint32_t count);
    void order(Block &block);
    void gather(std::uint32_t count);
    void gatherRow(Rows &rows, std::uint32_t index);

    Trace &m_trace;
    const EventRuns &m_runs;
    std::vector<Block> m_blocks;
    std::vector<const RawEvent *> m_order; // by row
    std::vector<std::uint64_t> m_externalIds;
    bool m_needExternal = false;
};

void Columns::fill()
{
    makeBlocks();
    forEachOnAllCores(m_blocks.size(), [this](std::size_t i) { count(m_blocks[i]); });
    const std::uint32_t count = placeLanes();
    makeRoom(count);
    forEachOnAllCores(m_blocks.size(), [this](std::size_t i) { order(m_blocks[i]); });
    forEachOnAllCores(m_trace.lanes.size(), [this](std::size_t i) {
        const auto from = m_order.begin() + m_trace.lanes[i].first;
        sortNearlySorted(from, from + m_trace.lanes[i].count, before);
    });
    gather(count);
}

void Columns::makeBlocks()
{
    const std::size_t most = coreCount() * 4; // each has a counter for every lane
    const std::size_t size = m_runs.size() / most + 1;
    for (std::size_t from = 0; from < m_runs.size(); from += size) {
        Block block;
        block.from = from;
        block.to = std::min(from + size, m_runs.size());
        m_blocks.push_back(std::move(block));
    }
}

void Columns::count(Block &block) const
{
    block.ofLane.assign(m_trace.lanes.size(), 0);
    for (std::size_t run = block.from; run < block.to; ++run) {
        for (const RawEvent &event : m_runs[run]) {
            ++block.ofLane[event.lane.value];
            block.needsExternal =
                block.needsExternal || (isDeviceWork(event.kind) && event.correlation == 0 && event.externalId != 0);
        }
    }
}

// Lane after lane, in each block after block.
std::uint32_t Columns::placeLanes()
{
    std::uint32_t next = 0;
    for (std::size_t lane = 0; lane < m_trace.lanes.size(); ++lane) {
        m_trace.lanes[lane].first = next;
        for (Block &block : m_blocks)
            next += std::exchange(block.ofLane[lane], next);
        m_trace.lanes[lane].count = next - m_trace.lanes[lane].first;
    }
    m_needExternal =
        std::any_of(m_blocks.begin(), m_blocks.end(), [](const Block &block) { return block.needsExternal; });
    return next;
}

// Fresh memory takes as long as filling it: all cores get it ready.
void Columns::makeRoom(std::uint32_t count)
{
    EventColumns &c = m_trace.events;
    const auto resize = [count](auto &column) { return [&column, count] { resizeOnHugePages(column, count); }; };
    const std::vector<std::function<void()>> jobs{
        resize(m_order),  resize(c.start),       resize(c.duration),  resize(c.name),  resize(c.lane),
        resize(c.parent), resize(c.launch),      resize(c.detail),    resize(c.depth), resize(c.kind),
        resize(c.flags),  resize(c.correlation), resize(c.argsOffset)};
    forEachOnAllCores(jobs.size(), [&](std::size_t i) { jobs[i](); });
    if (m_needExternal)
        resizeOnHugePages(m_externalIds, count);
}

void Columns::order(Block &block)
{
    for (std::size_t run = block.from; run < block.to; ++run) {
        for (const RawEvent &event : m_runs[run])
            m_order[block.ofLane[event.lane.value]++] = &event;
    }
}

void Columns::gather(std::uint32_t count)
{
    constexpr std::uint32_t kRows = 1U << 16U;
    std::vector<Rows> parts;
    for (std::uint32_t from = 0; from < count; from += std::min(kRows, count - from))
        parts.push_back({from, from + std::min(kRows, count - from), {}});
    forEachOnAllCores(parts.size(), [&](std::size_t i) {
        for (std::uint32_t row = parts[i].from; row < parts[i].to; ++row)
            gatherRow(parts[i], row);
    });
    for (const Rows &part : parts)
        m_trace.collectiveOf.insert(m_trace.collectiveOf.end(), part.collectives.begin(), part.collectives.end());
}

void Columns::gatherRow(Rows &rows, std::uint32_t index)
{
    const RawEvent &event = *m_order[index];
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
        rows.collectives.emplace_back(EventId{index}, event.collective);
}

} // namespace

std::vector<std::uint64_t> fillColumns(Trace &trace, const EventRuns &runs)
{
    Columns columns(trace, runs);
    columns.fill();
    return columns.takeExternalIds();
}

} // namespace tuneline::analysis
