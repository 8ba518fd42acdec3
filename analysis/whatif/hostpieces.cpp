// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/hostpieces.h"

#include "analysis/trace/hugepages.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

bool takesThreadTime(EventKind kind)
{
    switch (kind) {
    case EventKind::Op:
    case EventKind::Range:
    case EventKind::Python:
    case EventKind::Runtime:
    case EventKind::Driver:
    case EventKind::Compile:
    case EventKind::Overhead:
    case EventKind::Slice:
        return true;
    default:
        return false;
    }
}

// Walks a lane's events in order and emits the time of whichever is innermost.
class Splitter
{
public:
    Splitter(const Trace &trace, Range window, const std::vector<std::int64_t> &cuts)
        : m_trace(trace)
        , m_window(window)
        , m_cuts(cuts)
        , m_at(window.begin)
    { }

    void expect(std::size_t events) { reserveOnHugePages(m_pieces, 2 * events + m_cuts.size() + 2); }

    void visit(EventId e)
    {
        const std::int64_t start = m_trace.start(e);
        if (m_inCall && start < m_stack.back().end)
            return; // a driver call inside a runtime call, say: the outer one stands for both
        closeUntil(start);
        boundary(start, weightOf(e));
        std::int64_t end = m_trace.end(e);
        if (!m_stack.empty())
            end = std::min(end, m_stack.back().end);
        m_stack.push_back({e, end});
        m_inCall = isApiCall(m_trace.kind(e));
    }

    std::vector<HostPiece> finish()
    {
        closeUntil(m_window.end);
        emit(m_window.end, 0);
        return std::move(m_pieces);
    }

private:
    struct Open
    {
        EventId event;
        std::int64_t end;
    };

    void closeUntil(std::int64_t time)
    {
        while (!m_stack.empty() && m_stack.back().end <= time) {
            boundary(m_stack.back().end, weightOf(m_stack.back().event));
            m_stack.pop_back();
            m_inCall = false;
        }
    }

    // A Python frame is recorded by a light hook, an operator or call by much more.
    unsigned weightOf(EventId e) const { return m_trace.kind(e) == EventKind::Python ? 1U : HostPiece::kBoundaryUnits; }

    void boundary(std::int64_t time, unsigned weight)
    {
        m_pending += weight;
        emit(time, weight);
    }

    void emit(std::int64_t until, unsigned weight)
    {
        until = std::clamp(until, m_window.begin, m_window.end);
        if (!m_inCall) {
            while (m_nextCut < m_cuts.size() && m_cuts[m_nextCut] < until) {
                push(std::max(m_cuts[m_nextCut], m_at));
                ++m_nextCut;
            }
        }
        if (until <= m_at)
            return;
        push(until);
        m_pending = weight; // the boundary is on the left of the next piece, too
    }

    void push(std::int64_t until)
    {
        if (until <= m_at)
            return;
        HostPiece piece;
        piece.start = m_at;
        piece.end = until;
        piece.call = m_inCall;
        piece.boundaries = static_cast<std::uint16_t>(std::min(m_pending, 65535U));
        if (!m_stack.empty())
            piece.owner = m_stack.back().event;
        m_pieces.push_back(piece);
        m_pending = 0;
        m_at = until;
    }

    const Trace &m_trace;
    Range m_window;
    const std::vector<std::int64_t> &m_cuts;
    std::size_t m_nextCut = 0;
    std::int64_t m_at;
    unsigned m_pending = 0; // weight of the boundaries passed since the last piece
    bool m_inCall = false;
    std::vector<Open> m_stack;
    std::vector<HostPiece> m_pieces;
};

} // namespace

std::vector<HostPiece> splitThread(const Trace &trace, const Lane &lane, Range window,
                                   const std::vector<std::int64_t> &cuts)
{
    Splitter splitter(trace, window, cuts);
    const auto [first, last] = trace.visible(lane, window.begin, window.end);
    splitter.expect(last - first);
    for (std::uint32_t i = first; i < last; ++i) {
        const EventId e{i};
        constexpr std::uint8_t kUseless = EventFlag::kNoDuration | EventFlag::kNoTimestamp | EventFlag::kStray;
        if (takesThreadTime(trace.kind(e)) && !trace.hasFlag(e, kUseless) && trace.end(e) > window.begin)
            splitter.visit(e);
    }
    return splitter.finish();
}

void setCauses(std::vector<HostPiece> &pieces, const std::vector<HostSegment> &segments)
{
    std::size_t s = 0;
    for (HostPiece &piece : pieces) {
        const std::int64_t middle = piece.start + piece.length() / 2;
        while (s < segments.size() && segments[s].end <= middle)
            ++s;
        if (s == segments.size())
            return;
        if (segments[s].start <= middle)
            piece.cause = segments[s].cause;
    }
}

} // namespace tuneline::analysis
