// SPDX-License-Identifier: GPL-3.0-or-later
// Device records as nodes: bound to their launch, to the record before on their stream, and to the streams that they
// were told to wait for.
#include "analysis/trace/eventwaits.h"
#include "analysis/trace/hugepages.h"
#include "analysis/whatif/graphdraft.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tuneline::analysis {

namespace {

constexpr std::int64_t kTypicalGapNs = 1000; // between back-to-back records, where the trace shows none
constexpr std::int64_t kCloseNs = 8000; // a start this soon after an end is explained by it
constexpr std::int64_t kWaitNs = 60000; // likewise for a wait that the calls state: up to 45 µs under a profiler
constexpr std::int64_t kLongestWaitNs = 250000; // between an end and the start on another stream that it explains
constexpr std::int64_t kLongestLatencyNs = 20000; // of a launch, or between two records, where nothing else holds them
constexpr std::int64_t kTypicalLaunchNs = 2000; // end of a launch call to the start of its record, likewise

std::int64_t medianOf(std::vector<std::int64_t> &values, std::int64_t otherwise)
{
    if (values.empty())
        return otherwise;
    auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class DeviceEdges
{
public:
    DeviceEdges(const GraphScope &scope, GraphDraft &draft)
        : m_scope(scope)
        , m_draft(draft)
    { }

    void run()
    {
        linkWaits();
        if (m_draft.streams.size() > 1)
            inferWaits();
        std::vector<std::vector<Arrival>> streams;
        for (const StreamDraft &stream : m_draft.streams)
            streams.push_back(arrivals(stream));
        const Typical typical = typicalLags(streams);
        for (auto &list : streams) {
            decideBinding(list, typical);
            linkStream(list, typical);
        }
    }

private:
    // A record with what may have held it back.
    struct Arrival
    {
        StreamRecord record;
        std::uint32_t before = kNoNode; // on its stream
        std::uint32_t launch = kNoNode;
        std::int64_t previousEnd = 0; // latest end on the stream so far
        bool sameCall = false; // as the record before: later nodes of one graph launch never wait for the call
        bool byLaunch = false; // the launch held it back, not the record before
        bool byStream = false; // another stream's end explains the start
    };

    std::vector<Arrival> arrivals(const StreamDraft &stream) const
    {
        std::vector<Arrival> list;
        list.reserve(stream.records.size());
        EventId previousCall;
        for (const StreamRecord &r : stream.records) {
            Arrival a{r};
            const EventId call = m_scope.trace.events.launch[m_draft.nodes[r.node].node.event.value];
            a.launch = call.valid() ? m_draft.nodeOf[call.value] : kNoNode;
            if (!list.empty()) {
                const Arrival &previous = list.back();
                a.before = previous.record.node;
                a.previousEnd = std::max(previous.record.end, previous.previousEnd);
            }
            a.sameCall = call.valid() && call == previousCall;
            const auto wait = m_waitEnd.find(r.node);
            a.byStream = wait != m_waitEnd.end() && r.start - wait->second < kWaitNs;
            previousCall = call;
            list.push_back(a);
        }
        return list;
    }

    struct Typical
    {
        std::int64_t launch = kTypicalLaunchNs, gap = kTypicalGapNs;
    };

    // The later of the two: when the launch would have got through, when the record before had made room.
    void decideBinding(std::vector<Arrival> &list, const Typical &typical) const
    {
        for (Arrival &a : list)
            a.byLaunch = a.launch != kNoNode && !a.sameCall
                && (a.before == kNoNode || m_draft.nodes[a.launch].end + typical.launch > a.previousEnd + typical.gap);
    }

    // From the clear cases: the stream was empty when the call began, or still busy when it had long returned. Over all
    // streams: on a side stream nearly every record waits for another stream, which says nothing of its own.
    Typical typicalLags(const std::vector<std::vector<Arrival>> &streams) const
    {
        std::vector<std::int64_t> launches, gaps;
        for (const auto &list : streams) {
            for (const Arrival &a : list) {
                if (a.byStream || a.before == kNoNode)
                    continue;
                if (a.launch == kNoNode || a.sameCall || m_draft.nodes[a.launch].end + kCloseNs < a.previousEnd)
                    gaps.push_back(a.record.start - a.previousEnd);
                else if (a.previousEnd <= m_draft.nodes[a.launch].start)
                    launches.push_back(a.record.start - m_draft.nodes[a.launch].end);
            }
        }
        // Where few were bound that way, those few may have waited for something that is not in the file.
        return {std::min(medianOf(launches, kTypicalLaunchNs), kLongestLatencyNs),
                std::clamp<std::int64_t>(medianOf(gaps, kTypicalGapNs), 0, kLongestLatencyNs)};
    }

    // What bound the record keeps its measured lag; what did not gets the typical one.
    void linkStream(const std::vector<Arrival> &list, const Typical &typical)
    {
        for (const Arrival &a : list) {
            if (a.launch != kNoNode) {
                const std::int64_t measured = a.record.start - m_draft.nodes[a.launch].end;
                const bool bound = a.byLaunch && !a.byStream;
                m_draft.addEdge(a.launch, a.record.node, EdgeKind::Launch,
                                bound ? measured : std::min(measured, typical.launch));
            }
            if (a.before != kNoNode) {
                const std::int64_t measured = a.record.start - m_draft.nodes[a.before].end;
                const bool bound = !a.byLaunch && !a.byStream;
                m_draft.addEdge(a.before, a.record.node, EdgeKind::StreamOrder,
                                bound ? measured : std::min(measured, typical.gap));
            }
        }
    }

    struct PendingWait
    {
        std::uint32_t record = kNoNode; // what the event stands for
        bool used = false;
    };

    // What was launched on the event's stream before it was recorded, and what the waiting stream was given next.
    void bindKnown(const EventWait &wait)
    {
        const auto stream = [this](LaneId lane) {
            const auto found = std::find_if(m_draft.streams.begin(), m_draft.streams.end(),
                                            [lane](const StreamDraft &s) { return s.lane.value == lane.value; });
            return found == m_draft.streams.end() ? nullptr : &*found;
        };
        const StreamDraft *from = stream(wait.from), *to = stream(wait.to);
        if (!from || !to)
            return;
        const auto launchedAt = [](const std::vector<StreamRecord> &records, std::int64_t time) {
            return std::lower_bound(records.begin(), records.end(), time,
                                    [](const StreamRecord &r, std::int64_t t) { return r.launchStart < t; });
        };
        const auto last = launchedAt(from->records, wait.recordedAt);
        const auto next = launchedAt(to->records, m_scope.trace.start(wait.call));
        if (last == from->records.begin() || next == to->records.end())
            return;
        const DraftNode &a = m_draft.nodes[std::prev(last)->node], &b = m_draft.nodes[next->node];
        if (a.end <= b.start + kTypicalGapNs && a.key < b.key)
            bindToWait(std::prev(last)->node, next->node);
    }

    // Where the file doesn't say which event a stream waits for: an event stands for the thread's last launched record,
    // and the next launch on another stream is the one that waits for it.
    void linkWaits()
    {
        const std::vector<EventWait> known = eventWaits(m_scope.trace);
        const auto isKnown = [&known](EventId call) {
            return std::binary_search(
                known.begin(), known.end(), EventWait{call, {}, 0, {}},
                [](const EventWait &a, const EventWait &b) { return a.call.value < b.call.value; });
        };
        for (const EventWait &wait : known)
            bindKnown(wait);
        for (const LaneId thread : m_scope.threads) {
            const Lane &lane = m_scope.trace.lanes[thread.value];
            std::uint32_t lastRecord = kNoNode, eventRecord = kNoNode;
            std::vector<PendingWait> pending;
            for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
                const EventId e{i};
                if (!isApiCall(m_scope.trace.kind(e)))
                    continue;
                const std::string_view name = m_scope.trace.name(e);
                if (name.find("EventRecord") != std::string_view::npos)
                    eventRecord = lastRecord;
                else if (name.find("StreamWaitEvent") != std::string_view::npos && isKnown(e))
                    continue;
                else if (name.find("StreamWaitEvent") != std::string_view::npos && eventRecord != kNoNode)
                    pending.push_back({eventRecord, false});
                else if (const std::uint32_t record = firstRecord(e); record != kNoNode) {
                    lastRecord = record;
                    consume(pending, record);
                }
            }
        }
    }

    // A gap on a stream that ends just when work on another stream has: it waited for that, whatever the calls say.
    void inferWaits()
    {
        std::vector<std::pair<std::int64_t, std::uint32_t>> ends;
        for (const StreamDraft &stream : m_draft.streams)
            for (const StreamRecord &r : stream.records)
                ends.emplace_back(r.end, r.node);
        std::sort(ends.begin(), ends.end());
        for (const StreamDraft &stream : m_draft.streams) {
            std::int64_t explained = std::numeric_limits<std::int64_t>::min(); // latest end on the stream so far
            for (const StreamRecord &r : stream.records) {
                const std::int64_t ready = std::max(explained, r.launchStart);
                explained = std::max(explained, r.end);
                if (r.start - ready <= kCloseNs || isExplained(r))
                    continue;
                // The longer it could have run already, the surer that it waited for another stream, and that takes a
                // while to get through: 14 to 200 µs measured.
                const std::int64_t close = std::clamp((r.start - ready) / 4, kCloseNs, kLongestWaitNs);
                auto it = std::upper_bound(ends.begin(), ends.end(), std::pair(r.start, kNoNode));
                while (it != ends.begin() && std::prev(it)->first > r.start - close) {
                    const std::uint32_t from = (--it)->second;
                    if (m_draft.nodes[from].node.row == m_draft.nodes[r.node].node.row)
                        continue;
                    m_waitEnd[r.node] = r.start;
                    m_draft.addEdge(from, r.node, EdgeKind::StreamWait, r.start - m_draft.nodes[from].end);
                    break;
                }
            }
        }
    }

    // The calls state a wait, and it is what held the record.
    bool isExplained(const StreamRecord &r) const
    {
        const auto wait = m_waitEnd.find(r.node);
        return wait != m_waitEnd.end() && r.start - wait->second < kWaitNs;
    }

    std::uint32_t firstRecord(EventId call) const
    {
        const EventId first = m_scope.trace.events.launch[call.value];
        return first.valid() ? m_draft.nodeOf[first.value] : kNoNode;
    }

    void consume(std::vector<PendingWait> &pending, std::uint32_t record)
    {
        std::vector<std::uint32_t> done;
        for (PendingWait &wait : pending) {
            const DraftNode &from = m_draft.nodes[wait.record];
            const DraftNode &to = m_draft.nodes[record];
            if (from.node.row == to.node.row || std::find(done.begin(), done.end(), wait.record) != done.end())
                continue;
            done.push_back(wait.record);
            wait.used = true;
            if (from.end <= to.start + kTypicalGapNs && from.key < to.key)
                bindToWait(wait.record, record);
        }
        std::erase_if(pending, [](const PendingWait &w) { return w.used; });
        if (pending.size() > 64)
            pending.erase(pending.begin(), pending.end() - 64);
    }

    void bindToWait(std::uint32_t from, std::uint32_t to)
    {
        auto [it, added] = m_waitEnd.try_emplace(to, m_draft.nodes[from].end);
        it->second = std::max(it->second, m_draft.nodes[from].end);
        const std::int64_t measured = m_draft.nodes[to].start - m_draft.nodes[from].end;
        m_draft.addEdge(from, to, EdgeKind::StreamWait, measured < kWaitNs ? measured : kTypicalGapNs);
    }

    const GraphScope &m_scope;
    GraphDraft &m_draft;
    std::unordered_map<std::uint32_t, std::int64_t> m_waitEnd; // record → latest end that it was told to wait for
};

void addStream(const GraphScope &scope, GraphDraft &draft, LaneId id)
{
    const Trace &trace = scope.trace;
    const Lane &lane = trace.lanes[id.value];
    StreamDraft stream{id, {}};
    std::int64_t launched = std::numeric_limits<std::int64_t>::min();
    std::int64_t key = launched;
    for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
        const EventId e{i};
        if (!isDeviceWork(trace.kind(e))
            || trace.hasFlag(e, EventFlag::kOrphan | EventFlag::kStray | EventFlag::kNoTimestamp))
            continue;
        const EventId call = trace.events.launch[i];
        const std::uint32_t launch = call.valid() ? draft.nodeOf[call.value] : kNoNode;
        const std::uint32_t step = scope.inGraph(scope.steps.stepOf(trace, e));
        // Unlinked work is followed only where a step claims it.
        if (launch == kNoNode && (call.valid() || step == kNoNode))
            continue;
        DraftNode n;
        n.node = {e,    NodeKind::Device, static_cast<std::uint16_t>(draft.rows.size()), IdleCause::Unknown, 0,
                  step, trace.duration(e)};
        n.start = trace.start(e);
        n.end = trace.end(e);
        n.place = static_cast<std::uint32_t>(stream.records.size());
        if (launch != kNoNode)
            launched = std::max(launched, draft.nodes[launch].start + 1); // after its launch, whatever the clocks say
        key = n.key = std::max({n.start, launched, key});
        draft.nodeOf[i] = draft.addNode(n);
        stream.records.push_back({draft.nodeOf[i], launched, n.start, n.end});
    }
    if (stream.records.empty())
        return;
    draft.rows.push_back({id, true});
    draft.streams.push_back(std::move(stream));
}

} // namespace

void addDeviceNodes(const GraphScope &scope, GraphDraft &draft)
{
    for (std::size_t l = 0; l < scope.trace.lanes.size(); ++l) {
        const Lane &lane = scope.trace.lanes[l];
        if (lane.kind == LaneKind::Stream && lane.source == scope.steps.source)
            addStream(scope, draft, LaneId{l});
    }
}

void addDeviceEdges(const GraphScope &scope, GraphDraft &draft)
{
    DeviceEdges(scope, draft).run();
}

} // namespace tuneline::analysis
