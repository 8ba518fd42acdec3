// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/columnfiller.h"

#include "analysis/trace/hugepages.h"
#include "analysis/trace/nearlysorted.h"
#include "analysis/trace/parallel.h"

#include <algorithm>
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
    void fill(const EventSlabs &slabs);
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
    void order(Block &block);
    void number(std::uint32_t count);
    void makeRoom(std::uint32_t count);
    void scatter(const EventSlabs &slabs);
    void put(const RawEvent &event);

    Trace &m_trace;
    const EventRuns &m_runs;
    std::vector<Block> m_blocks;
    Column<RawEvent *> m_order; // by row
    std::vector<std::uint64_t> m_externalIds;
    bool m_needExternal = false;
};

void Columns::fill(const EventSlabs &slabs)
{
    makeBlocks();
    forEachOnAllCores(m_blocks.size(), [this](std::size_t i) { count(m_blocks[i]); });
    const std::uint32_t count = placeLanes();
    resizeOnHugePages(m_order, count);
    forEachOnAllCores(m_blocks.size(), [this](std::size_t i) { order(m_blocks[i]); });
    forEachOnAllCores(m_trace.lanes.size(), [this](std::size_t i) {
        const auto from = m_order.begin() + m_trace.lanes[i].first;
        sortNearlySorted(from, from + m_trace.lanes[i].count, before);
    });
    number(count);
    makeRoom(count);
    scatter(slabs);
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

void Columns::order(Block &block)
{
    for (std::size_t run = block.from; run < block.to; ++run) {
        for (RawEvent &event : m_runs[run])
            m_order[block.ofLane[event.lane.value]++] = &event;
    }
}

// Tells each event its row, and the rows' collectives in order.
void Columns::number(std::uint32_t count)
{
    constexpr std::uint32_t kRows = 1U << 16U;
    std::vector<Rows> parts;
    for (std::uint32_t from = 0; from < count; from += std::min(kRows, count - from))
        parts.push_back({from, from + std::min(kRows, count - from), {}});
    forEachOnAllCores(parts.size(), [&](std::size_t i) {
        for (std::uint32_t row = parts[i].from; row < parts[i].to; ++row) {
            m_order[row]->row = row;
            if (m_order[row]->collective != Id<EventTag>::kNone)
                parts[i].collectives.emplace_back(EventId{row}, m_order[row]->collective);
        }
    });
    for (const Rows &part : parts)
        m_trace.collectiveOf.insert(m_trace.collectiveOf.end(), part.collectives.begin(), part.collectives.end());
    m_order = {};
}

void Columns::makeRoom(std::uint32_t count)
{
    EventColumns &c = m_trace.events;
    const auto resize = [count](auto &...columns) { (resizeOnHugePages(columns, count), ...); };
    resize(c.start, c.duration, c.name, c.lane, c.parent, c.launch, c.detail, c.depth, c.kind, c.flags, c.correlation,
           c.argsOffset);
    if (m_needExternal)
        resizeOnHugePages(m_externalIds, count);
}

void Columns::scatter(const EventSlabs &slabs)
{
    std::vector<std::pair<Slab<RawEvent> *, std::size_t>> chunks; // the first ones of all slabs first: file order
    for (std::size_t i = 0, before = 1; chunks.size() != before; ++i) {
        before = chunks.size();
        for (const auto &slab : slabs) {
            if (i < slab->chunks())
                chunks.emplace_back(slab.get(), i);
        }
    }
    forEachOnAllCores(chunks.size(), [&](std::size_t i) {
        const auto [slab, chunk] = chunks[i];
        for (const RawEvent &event : slab->chunkAt(chunk)) {
            if (event.row != Id<EventTag>::kNone)
                put(event);
        }
        slab->release(chunk);
    });
}

void Columns::put(const RawEvent &event)
{
    EventColumns &c = m_trace.events;
    const std::uint32_t row = event.row;
    c.start[row] = event.start;
    c.duration[row] = event.duration;
    c.name[row] = event.name;
    c.lane[row] = event.lane;
    c.parent[row] = {};
    c.launch[row] = {};
    c.detail[row] = event.detail;
    c.depth[row] = 0;
    c.kind[row] = event.kind;
    c.flags[row] = event.flags;
    c.correlation[row] = event.correlation;
    c.argsOffset[row] = event.argsOffset;
    if (m_needExternal)
        m_externalIds[row] = event.externalId;
}

} // namespace

std::vector<std::uint64_t> fillColumns(Trace &trace, const EventRuns &runs, const EventSlabs &slabs)
{
    Columns columns(trace, runs);
    columns.fill(slabs);
    return columns.takeExternalIds();
}

} // namespace tuneline::analysis
