// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/rankalignment.h"

#include "analysis/trace/collectivematch.h"
#include "analysis/trace/saturate.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr std::int64_t kNoise = 20'000; // ns: less is how a collective ends, not how clocks differ

struct Ends
{
    std::vector<std::pair<std::int64_t, std::int64_t>> startEnd;
    [[nodiscard]] std::vector<std::int64_t> sorted()
    {
        std::stable_sort(startEnd.begin(), startEnd.end());
        std::vector<std::int64_t> ends;
        for (const auto &[start, end] : startEnd)
            ends.push_back(end);
        return ends;
    }
};

// Of one rank: device collectives, and those of host threads, which count only where there are no others.
struct RankCollectives
{
    std::map<std::string, Ends> device, host;
    [[nodiscard]] std::map<std::string, Ends> &best() { return device.empty() ? host : device; }
};

std::string text(const Source &source, const CollectiveMatch &match, bool moved)
{
    const auto us = [](std::int64_t ns) { return std::to_string(ns / 1000) + " us"; };
    return source.label + (moved ? ": moved by " + us(match.offsetNs) : std::string(": its clock is kept")) + "; over "
        + std::to_string(match.pairs) + " collectives its ends lie "
        + us(moved ? match.residualNs : std::abs(match.offsetNs)) + " from those of the first rank (median)";
}

class Aligner
{
public:
    Aligner(Trace &trace, const std::vector<std::int64_t> &offsets, const CollectiveNamer &namer)
        : m_trace(trace)
        , m_offsets(offsets)
        , m_namer(namer)
        , m_ranks(trace.sources.size())
        , m_moves(trace.sources.size(), 0)
    { }

    void collect(const RawEvent &event)
    {
        constexpr std::uint8_t kOut = EventFlag::kNoTimestamp | EventFlag::kStray | EventFlag::kNoDuration;
        const SourceId source = m_trace.lanes[event.lane.value].source;
        if ((event.flags & kOut) != 0 || !m_trace.sources[source.value].rank
            || (event.kind != EventKind::Kernel && event.kind != EventKind::Range))
            return;
        std::string &kind = m_kinds.try_emplace({event.kind, event.name.value}, kUnasked).first->second;
        if (kind == kUnasked)
            kind = m_namer(m_trace.strings.view(event.name), event.kind);
        if (kind.empty())
            return;
        auto &rank = m_ranks[source.value];
        const std::int64_t start = saturatedSum(event.start, m_offsets[source.value]);
        (event.kind == EventKind::Kernel ? rank.device : rank.host)[kind].startEnd.push_back(
            {start, saturatedSum(start, event.duration)});
    }

    std::vector<std::int64_t> align()
    {
        const auto reference = std::ranges::find_if(m_ranks, [](auto &r) { return !r.best().empty(); });
        if (reference == m_ranks.end())
            return m_moves;
        const auto first = static_cast<std::size_t>(reference - m_ranks.begin());
        for (std::size_t s = first + 1; s < m_ranks.size(); ++s)
            alignOne(first, s);
        return m_moves;
    }

private:
    // The kind that both have most of.
    [[nodiscard]] std::string kindFor(std::size_t first, std::size_t s)
    {
        std::string best;
        std::size_t most = 0;
        for (auto &[kind, ends] : m_ranks[s].best()) {
            const auto other = m_ranks[first].best().find(kind);
            if (other == m_ranks[first].best().end())
                continue;
            const std::size_t n = std::min(ends.startEnd.size(), other->second.startEnd.size());
            if (n > most) {
                most = n;
                best = kind;
            }
        }
        return best;
    }

    void alignOne(std::size_t first, std::size_t s)
    {
        const std::string kind = kindFor(first, s);
        if (kind.empty() || m_trace.sources[s].rank == m_trace.sources[first].rank)
            return;
        const std::string &host = m_trace.sources[s].host;
        const bool sameClock = !host.empty() && host == m_trace.sources[first].host;
        const auto match =
            matchCollectives(m_ranks[first].best()[kind].sorted(), m_ranks[s].best()[kind].sorted(), sameClock);
        if (!match)
            return;
        const bool moves = !sameClock && std::abs(match->offsetNs) > kNoise + 4 * match->residualNs;
        if (moves)
            m_moves[s] = match->offsetNs;
        Source &source = m_trace.sources[s];
        source.alignment = {moves, moves ? match->offsetNs : 0, moves ? match->residualNs : std::abs(match->offsetNs),
                            match->pairs};
        m_trace.report.add("ranks-aligned", Severity::Info, {-1, -1, text(source, *match, moves)});
    }

    static constexpr const char *kUnasked = "\x01";
    Trace &m_trace;
    const std::vector<std::int64_t> &m_offsets;
    const CollectiveNamer &m_namer;
    std::vector<RankCollectives> m_ranks; // by source
    std::vector<std::int64_t> m_moves;
    std::map<std::pair<EventKind, std::uint32_t>, std::string> m_kinds; // by kind of event and name
};

} // namespace

std::vector<std::int64_t> alignRanks(Trace &trace, const EventRuns &runs, const std::vector<std::int64_t> &offsets,
                                     const CollectiveNamer &namer)
{
    Aligner aligner(trace, offsets, namer);
    for (const auto &run : runs) {
        for (const RawEvent &event : run)
            aligner.collect(event);
    }
    return aligner.align();
}

} // namespace tuneline::analysis
