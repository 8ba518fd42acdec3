// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that hold their thread until the device gets somewhere: synchronisations, blocking copies, frees, launches
// under CUDA_LAUNCH_BLOCKING, and launches that found the queue full.
#include "analysis/whatif/graphdraft.h"

#include <algorithm>
#include <unordered_map>

namespace tuneline::analysis {

namespace {

constexpr std::int64_t kClockTolerance = 3000; // host and device clocks agree to about this
constexpr std::int64_t kOwnCostNs = 2000; // of a call before it begins to wait
constexpr std::size_t kQueueLimit = 1024; // CUDA: pending launches of a context before a launch blocks
constexpr std::size_t kNearlyFull = 600; // what a trace shows of that: memsets, events and lost records take room, too
constexpr std::int64_t kUsualLaunchNs = 5'000, kLongLaunchNs = 6'000; // of launches that did not wait
constexpr std::size_t kFewKernels = 20; // too few to say that every launch blocks

// The call can't end before that record has.
struct Binding
{
    std::uint32_t record = kNoNode;
    std::int64_t end = 0;
};

class BlockingEdges
{
public:
    BlockingEdges(const GraphScope &scope, GraphDraft &draft)
        : m_scope(scope)
        , m_draft(draft)
    { }

    void run()
    {
        std::vector<std::uint32_t> calls = m_draft.calls;
        std::sort(calls.begin(), calls.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return m_draft.nodes[a].start < m_draft.nodes[b].start; });
        lookAtLaunches(calls);
        for (const std::uint32_t call : calls)
            visit(call);
        redirect();
    }

private:
    // First device record of a call, invalid = it launched nothing.
    EventId firstRecord(EventId call) const
    {
        const EventId first = m_scope.trace.events.launch[call.value];
        return first.valid() && isDeviceWork(m_scope.trace.kind(first)) ? first : EventId{};
    }

    void lookAtLaunches(const std::vector<std::uint32_t> &calls)
    {
        std::vector<std::int64_t> times;
        std::size_t waited = 0;
        for (const std::uint32_t id : calls) {
            const DraftNode &call = m_draft.nodes[id];
            const EventId record = firstRecord(call.node.event);
            if (!record.valid() || m_scope.trace.kind(record) != EventKind::Kernel)
                continue;
            times.push_back(call.node.duration);
            waited += m_scope.trace.end(record) <= call.end ? 1 : 0;
        }
        m_draft.launchBlocking = times.size() >= kFewKernels && 10 * waited >= 9 * times.size();
        if (times.empty())
            return;
        // Not the median: where the queue is full, most launches may wait, or even all of them.
        const auto tenth = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
        std::nth_element(times.begin(), tenth, times.end());
        m_typicalLaunch = std::min(*tenth, kUsualLaunchNs);
    }

    void visit(std::uint32_t id)
    {
        const EventId event = m_draft.nodes[id].node.event;
        const std::uint32_t traits = m_scope.analysis.names.of(m_scope.trace, event);
        const EventId first = firstRecord(event);
        const std::uint32_t record = first.valid() ? m_draft.nodeOf[first.value] : kNoNode;
        if (record != kNoNode) {
            if (blocksOnItself(id, first, (traits & NameTrait::kBlocking) != 0))
                addWait(id, EdgeKind::Blocking, kOwnCostNs, {{record, m_draft.nodes[record].end}});
            else
                visitQueue(id, record);
            m_lastStream[m_draft.nodes[id].node.row] = m_draft.nodes[record].node.row - m_draft.hostRows;
        } else if (!first.valid() && ((traits & NameTrait::kBlocking) != 0 || drainsDevice(event))) {
            visitSync(id);
        }
    }

    // cudaFree waits for all work on the device.
    bool drainsDevice(EventId e) const
    {
        const std::string_view name = m_scope.trace.name(e);
        return name == "cudaFree" || name == "cuMemFree_v2" || name == "cudaFreeHost" || name == "hipFree";
    }

    bool blocksOnItself(std::uint32_t id, EventId device, bool blockingName) const
    {
        if (m_scope.trace.kind(device) == EventKind::Kernel)
            return m_draft.launchBlocking;
        if (m_scope.trace.start(device) >= m_draft.nodes[id].end)
            return false; // staged: up to 64 KB leave the host at once
        const CopyDetail *copy = m_scope.trace.copy(device);
        return blockingName
            || (copy && (copy->source == MemoryKind::Pageable || copy->destination == MemoryKind::Pageable));
    }

    // A launch that takes long while the device is far behind: it waited for room in the queue, which all streams of
    // the context share. The record that made room is the last one that ended before the call did.
    void visitQueue(std::uint32_t id, std::uint32_t record)
    {
        const DraftNode &call = m_draft.nodes[id];
        if (call.node.duration < std::max(3 * m_typicalLaunch, kLongLaunchNs))
            return;
        collectRecords();
        const auto byEnd = std::upper_bound(m_ends.begin(), m_ends.end(), std::pair(call.end, kNoNode));
        const auto done = static_cast<std::size_t>(byEnd - m_ends.begin());
        const auto byLaunch = std::lower_bound(m_launches.begin(), m_launches.end(), call.start);
        const auto launched = static_cast<std::size_t>(byLaunch - m_launches.begin());
        if (done == 0 || launched < done + kNearlyFull || launched > done + 2 * kQueueLimit)
            return;
        const auto [freedEnd, freed] = *(byEnd - 1);
        if (freed != kNoNode && freedEnd > call.start && m_draft.nodes[freed].key < call.end && freed != record)
            addWait(id, EdgeKind::QueueLimit, m_typicalLaunch, {{freed, freedEnd}});
    }

    // What was launched before the window is in no graph, but in the queue.
    void collectOrphans(const Lane &lane)
    {
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (!isDeviceWork(m_scope.trace.kind(e)) || m_draft.nodeOf[i] != kNoNode
                || m_scope.trace.hasFlag(e, EventFlag::kNoTimestamp | EventFlag::kStray)
                || !m_scope.trace.hasFlag(e, EventFlag::kOrphan))
                continue;
            m_ends.emplace_back(m_scope.trace.end(e), kNoNode);
            m_launches.push_back(m_scope.window.begin);
        }
    }

    void collectRecords()
    {
        if (!m_ends.empty())
            return;
        for (const StreamDraft &stream : m_draft.streams) {
            for (const StreamRecord &r : stream.records) {
                m_ends.emplace_back(r.end, r.node);
                m_launches.push_back(r.launchStart);
            }
            collectOrphans(m_scope.trace.lanes[stream.lane.value]);
        }
        std::sort(m_ends.begin(), m_ends.end());
        std::sort(m_launches.begin(), m_launches.end());
    }

    // Last record launched on a stream before `time`; an event may stand for earlier work than that.
    static const StreamRecord *lastLaunched(const StreamDraft &stream, std::int64_t time, std::int64_t endsBy,
                                            bool event)
    {
        auto it = std::lower_bound(stream.records.begin(), stream.records.end(), time,
                                   [](const StreamRecord &r, std::int64_t t) { return r.launchStart < t; });
        while (event && it != stream.records.begin() && std::prev(it)->end > endsBy)
            --it;
        return it == stream.records.begin() || std::prev(it)->end > endsBy ? nullptr : &*std::prev(it);
    }

    void visitSync(std::uint32_t id)
    {
        const DraftNode &call = m_draft.nodes[id];
        const std::string_view name = m_scope.trace.name(call.node.event);
        const bool oneStream = name.find("StreamSynchronize") != std::string_view::npos;
        const bool event = name.find("EventSynchronize") != std::string_view::npos;
        const auto stream = m_lastStream.find(call.node.row);
        std::vector<Binding> bindings;
        std::int64_t latest = call.start;
        for (std::size_t s = 0; s < m_draft.streams.size(); ++s) {
            // The call's stream isn't stated: it is nearly always the one that the thread launched on last.
            if (oneStream && stream != m_lastStream.end() && stream->second != s)
                continue;
            const auto *r = lastLaunched(m_draft.streams[s], call.start, call.end + kClockTolerance, event);
            if (!r)
                continue;
            bindings.push_back({r->node, r->end});
            latest = std::max(latest, r->end);
        }
        const bool waited = latest > call.start + kOwnCostNs;
        if (event && !waited)
            return; // which event it asked for is not known
        addWait(id, EdgeKind::Blocking, waited ? kOwnCostNs : call.node.duration, bindings);
    }

    // Cuts the call into its own cost and a wait node, which takes the call's place before what follows on the thread.
    void addWait(std::uint32_t id, EdgeKind kind, std::int64_t ownCost, const std::vector<Binding> &bindings)
    {
        DraftNode wait = m_draft.nodes[id];
        wait.node.kind = NodeKind::Wait;
        wait.node.duration = 0;
        wait.node.boundaries = 0;
        wait.start = wait.key = wait.end;
        const std::uint32_t waitId = m_draft.addNode(wait);
        for (const Binding &b : bindings)
            m_draft.addEdge(b.record, waitId, kind, wait.end - b.end);
        DraftNode &call = m_draft.nodes[id];
        call.node.duration = std::min(call.node.duration, ownCost);
        call.end = call.start + call.node.duration;
        call.wait = waitId;
    }

    void redirect()
    {
        for (DraftEdge &e : m_draft.edges)
            if (e.edge.kind == EdgeKind::HostOrder || e.edge.kind == EdgeKind::Thread)
                if (const std::uint32_t wait = m_draft.nodes[e.edge.from].wait; wait != kNoNode)
                    e.edge.from = wait;
        for (std::uint32_t i = 0; i < m_draft.nodes.size(); ++i)
            if (m_draft.nodes[i].wait != kNoNode)
                m_draft.addEdge(i, m_draft.nodes[i].wait, EdgeKind::HostOrder, 0);
    }

    const GraphScope &m_scope;
    GraphDraft &m_draft;
    std::int64_t m_typicalLaunch = kUsualLaunchNs;
    std::vector<std::pair<std::int64_t, std::uint32_t>> m_ends; // of all records, sorted
    std::vector<std::int64_t> m_launches; // likewise, their launches
    std::unordered_map<std::uint16_t, std::size_t> m_lastStream; // by host row: stream of its last launch
};

} // namespace

void addBlockingEdges(const GraphScope &scope, GraphDraft &draft)
{
    BlockingEdges(scope, draft).run();
}

} // namespace tuneline::analysis
