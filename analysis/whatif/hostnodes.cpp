// SPDX-License-Identifier: GPL-3.0-or-later
// Host threads as nodes, and where one thread waits for another (backward runs on the autograd thread while the main
// thread sits in one long piece).
#include "analysis/trace/hugepages.h"
#include "analysis/whatif/graphdraft.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

// Part of another thread's work that fits into one piece of the main thread.
struct Burst
{
    std::size_t thread = 0; // index into GraphScope::threads
    std::size_t firstPiece = 0, lastPiece = 0; // of that thread, inclusive
    std::int64_t start = 0, end = 0;
    bool mainWaits = false;
};

NodeKind kindOf(const GraphScope &scope, const HostPiece &piece)
{
    if (piece.call)
        return NodeKind::Call;
    if (piece.cause == IdleCause::InputWait)
        return NodeKind::Input;
    if (piece.owner.valid() && scope.trace.kind(piece.owner) == EventKind::Op)
        return NodeKind::HostOp;
    return NodeKind::HostCode;
}

class HostNodes
{
public:
    HostNodes(const GraphScope &scope, GraphDraft &draft)
        : m_scope(scope)
        , m_draft(draft)
    { }

    void run()
    {
        std::vector<std::int64_t> cuts;
        for (const Step &step : m_scope.list())
            cuts.push_back(step.hostStart);
        for (std::size_t t = 0; t < m_scope.threads.size(); ++t) {
            const LaneId lane = m_scope.threads[t];
            m_pieces.push_back(splitThread(m_scope.trace, m_scope.trace.lanes[lane.value], m_scope.window,
                                           t == 0 ? cuts : std::vector<std::int64_t>{}));
            if (const auto *segments = m_scope.analysis.host().segments(lane))
                setCauses(m_pieces.back(), *segments);
            m_draft.rows.push_back({lane, false});
            m_last.push_back(kNoNode);
        }
        m_draft.hostRows = m_draft.rows.size();
        reserve();
        for (std::size_t t = 1; t < m_pieces.size(); ++t)
            findBursts(t);
        std::stable_sort(m_bursts.begin(), m_bursts.end(),
                         [](const Burst &a, const Burst &b) { return a.start < b.start; });
        for (const HostPiece &piece : m_pieces[0])
            addMainPiece(piece);
    }

private:
    // Nodes and edges of all that follows: pieces, a wait for each blocking call, device records.
    void reserve()
    {
        std::size_t pieces = 0;
        for (const auto &list : m_pieces)
            pieces += list.size();
        std::size_t records = 0;
        for (const Lane &lane : m_scope.trace.lanes)
            if (lane.kind == LaneKind::Stream && lane.source == m_scope.steps.source) {
                const auto [first, last] = m_scope.trace.visible(lane, m_scope.window.begin, m_scope.window.end);
                records += last - first;
            }
        reserveOnHugePages(m_draft.nodes, pieces + records + pieces / 8);
        reserveOnHugePages(m_draft.edges, pieces + 2 * records + pieces / 8);
    }

    // Idle pieces of a thread that is not the main one belong to nobody: it waits for work there.
    static bool isWork(const HostPiece &piece) { return piece.owner.valid(); }

    const HostPiece *mainPieceAt(std::int64_t time) const
    {
        const auto &main = m_pieces[0];
        auto it = std::upper_bound(main.begin(), main.end(), time,
                                   [](std::int64_t t, const HostPiece &p) { return t < p.start; });
        return it == main.begin() ? nullptr : &*std::prev(it);
    }

    void findBursts(std::size_t thread)
    {
        const auto &pieces = m_pieces[thread];
        std::size_t i = 0;
        while (i < pieces.size()) {
            if (!isWork(pieces[i])) {
                ++i;
                continue;
            }
            const HostPiece *host = mainPieceAt(pieces[i].start);
            Burst burst{thread, i, i, pieces[i].start, pieces[i].end, false};
            const std::int64_t limit = host ? host->end : m_scope.window.end;
            std::size_t j = i;
            // Up to the piece's end; a gap inside the burst is host code of that thread.
            for (; j < pieces.size() && pieces[j].start < limit; ++j) {
                if (isWork(pieces[j])) {
                    burst.lastPiece = j;
                    burst.end = pieces[j].end;
                }
            }
            // Half of the piece: a thread that only happens to run beside the main one is nobody to wait for.
            burst.mainWaits =
                host && !host->call && burst.end <= host->end && 2 * (burst.end - burst.start) >= host->length();
            m_bursts.push_back(burst);
            i = burst.lastPiece + 1;
        }
    }

    std::uint32_t addPiece(const HostPiece &piece, std::size_t thread)
    {
        DraftNode n;
        n.node.event = piece.owner;
        n.node.kind = kindOf(m_scope, piece);
        n.node.row = static_cast<std::uint16_t>(thread);
        n.node.cause = piece.cause;
        n.node.boundaries = piece.boundaries;
        n.node.duration = piece.length();
        n.start = n.key = piece.start;
        n.end = piece.end;
        const std::uint32_t id = m_draft.addNode(n);
        if (m_last[thread] != kNoNode)
            m_draft.addEdge(m_last[thread], id, EdgeKind::HostOrder, 0);
        m_last[thread] = id;
        if (piece.call) {
            m_draft.calls.push_back(id);
            m_draft.nodeOf[piece.owner.value] = id;
        }
        return id;
    }

    // Returns the burst's last node. `origin` is the main thread's node that set it going.
    std::uint32_t addBurst(const Burst &burst, std::uint32_t origin, std::int64_t lag)
    {
        const auto &pieces = m_pieces[burst.thread];
        std::uint32_t last = kNoNode;
        for (std::size_t i = burst.firstPiece; i <= burst.lastPiece; ++i) {
            const std::uint32_t id = addPiece(pieces[i], burst.thread);
            if (last == kNoNode && origin != kNoNode)
                m_draft.addEdge(origin, id, EdgeKind::Thread, lag);
            last = id;
        }
        return last;
    }

    void addMainPiece(const HostPiece &piece)
    {
        HostPiece rest = piece;
        while (m_nextBurst < m_bursts.size() && m_bursts[m_nextBurst].start < piece.end) {
            const Burst &burst = m_bursts[m_nextBurst++];
            if (!burst.mainWaits || burst.start < rest.start) {
                m_late.push_back(&burst);
                continue;
            }
            rest = splitAround(rest, burst);
        }
        std::uint32_t before = m_last[0];
        if (rest.length() > 0)
            addPiece(rest, 0);
        for (const Burst *burst : m_late) // beside the main thread: bound to its start only
            addBurst(*burst, before, before == kNoNode ? 0 : burst->start - m_draft.nodes[before].end);
        m_late.clear();
    }

    // The main thread up to the burst, the burst, the wait for it; returns what is left of the piece.
    HostPiece splitAround(const HostPiece &piece, const Burst &burst)
    {
        HostPiece pre = piece, rest = piece;
        pre.end = burst.start;
        rest.start = burst.end;
        rest.boundaries = HostPiece::kBoundaryUnits;
        if (pre.length() > 0)
            addPiece(pre, 0);
        const std::uint32_t origin = m_last[0];
        const std::uint32_t last = addBurst(burst, origin, 0);
        DraftNode wait;
        wait.node.kind = NodeKind::Wait;
        wait.node.cause = piece.cause;
        wait.start = wait.end = wait.key = burst.end;
        const std::uint32_t id = m_draft.addNode(wait);
        m_draft.addEdge(last, id, EdgeKind::Thread, 0);
        if (origin != kNoNode)
            m_draft.addEdge(origin, id, EdgeKind::HostOrder, 0);
        m_last[0] = id;
        return rest;
    }

    const GraphScope &m_scope;
    GraphDraft &m_draft;
    std::vector<std::vector<HostPiece>> m_pieces; // by thread
    std::vector<std::uint32_t> m_last; // by thread: its last node so far
    std::vector<Burst> m_bursts; // by start
    std::vector<const Burst *> m_late;
    std::size_t m_nextBurst = 0;
};

} // namespace

void addHostNodes(const GraphScope &scope, GraphDraft &draft)
{
    HostNodes(scope, draft).run();
}

} // namespace tuneline::analysis
