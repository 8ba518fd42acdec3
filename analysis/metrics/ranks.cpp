// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks end a collective together, whatever their clocks say: ends give the clock offsets, starts then tell who waited.
#include "analysis/metrics/ranks.h"

#include "analysis/trace/collectivematch.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr double kStragglerShare = 0.02; // of all waiting: below that nobody is late
constexpr std::int64_t kNoise = 1000; // ns: clocks are not better than that

// One rank's collective of one kind, in order: "AllReduce" number 3 on one rank is number 3 on the others.
struct Key
{
    std::string kind;
    std::int64_t number = 0;
    auto operator<=>(const Key &) const = default;
};

std::string kindOf(const Trace &trace, EventId e)
{
    if (const CollectiveDetail *c = trace.collective(e))
        return std::string(trace.strings.view(c->name)) + "/" + std::string(trace.strings.view(c->group));
    return collectiveKind(trace.name(e), trace.kind(e));
}

std::vector<EventId> collectivesOf(const Trace &trace, const NameTable &names, SourceId source)
{
    std::vector<EventId> device, host;
    constexpr std::uint8_t kOut = EventFlag::kNoTimestamp | EventFlag::kStray | EventFlag::kNoDuration;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const EventId e{i};
        if (trace.laneOf(e).source != source || trace.hasFlag(e, kOut))
            continue;
        if (trace.kind(e) == EventKind::Kernel && names.is(trace, e, NameTrait::kCommunication))
            device.push_back(e);
        else if (trace.kind(e) == EventKind::Range && names.is(trace, e, NameTrait::kCollectiveOp)
                 && !collectiveKind(trace.name(e), EventKind::Range).empty())
            host.push_back(e);
    }
    auto &found = device.empty() ? host : device;
    std::stable_sort(found.begin(), found.end(), [&](EventId a, EventId b) { return trace.start(a) < trace.start(b); });
    return found;
}

class Ranks
{
public:
    Ranks(const Trace &trace, const NameTable &names)
        : m_trace(trace)
    {
        for (std::size_t s = 0; s < trace.sources.size(); ++s) {
            RankFigures r;
            r.source = SourceId{s};
            r.rank = trace.sources[s].rank;
            m_all.ranks.push_back(r);
        }
        if (m_all.ranks.size() < 2)
            return;
        match(names);
        alignClocks();
        for (Collective &c : m_all.collectives)
            judge(c);
        findStraggler();
    }

    RankAnalysis take() { return std::move(m_all); }

private:
    using Sequences = std::map<std::string, std::vector<EventId>>; // by kind, in order

    void match(const NameTable &names)
    {
        std::map<Key, std::vector<EventId>> byKey;
        Sequences reference;
        std::string host;
        for (std::size_t r = 0; r < m_all.ranks.size(); ++r) {
            if (!m_all.ranks[r].rank)
                continue; // nobody knows whether it belongs to the same run
            Sequences own;
            for (const EventId e : collectivesOf(m_trace, names, m_all.ranks[r].source))
                own[kindOf(m_trace, e)].push_back(e);
            const std::string &ownHost = m_trace.sources[r].host;
            if (reference.empty()) {
                reference = own;
                host = ownHost;
            }
            for (const auto &[kind, events] : own) {
                std::int64_t number = shiftOf(reference[kind], events, !host.empty() && host == ownHost);
                for (const EventId e : events) {
                    auto &all = byKey[Key{kind, number++}];
                    all.resize(m_all.ranks.size());
                    all[r] = e;
                }
            }
        }
        for (auto &[key, events] : byKey) {
            if (std::count_if(events.begin(), events.end(), [](EventId e) { return e.valid(); }) >= 2)
                m_all.collectives.push_back({std::move(events), 0, 0, 0, 0});
        }
    }

    // A window may begin some collectives earlier on one rank than on another.
    [[nodiscard]] std::int64_t shiftOf(const std::vector<EventId> &reference, const std::vector<EventId> &own,
                                       bool sameClock) const
    {
        const auto ends = [this](const std::vector<EventId> &events) {
            std::vector<std::int64_t> times;
            for (const EventId e : events)
                times.push_back(m_trace.end(e));
            return times;
        };
        const auto match = matchCollectives(ends(reference), ends(own), sameClock);
        return match ? match->shift : 0;
    }

    void alignClocks()
    {
        for (std::size_t r = 0; r < m_all.ranks.size(); ++r) {
            std::vector<std::int64_t> apart;
            for (const Collective &c : m_all.collectives) {
                const auto reference =
                    std::find_if(c.events.begin(), c.events.end(), [](EventId e) { return e.valid(); });
                if (c.events[r].valid())
                    apart.push_back(m_trace.end(*reference) - m_trace.end(c.events[r]));
            }
            if (apart.empty())
                continue;
            const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
            std::nth_element(apart.begin(), middle, apart.end());
            m_all.ranks[r].clockOffsetNs = *middle;
        }
    }

    void judge(Collective &c)
    {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        std::int64_t second = std::numeric_limits<std::int64_t>::min();
        c.lastArrival = second;
        for (std::size_t r = 0; r < c.events.size(); ++r) {
            if (!c.events[r].valid())
                continue;
            const std::int64_t start = m_trace.start(c.events[r]) + m_all.ranks[r].clockOffsetNs;
            first = std::min(first, start);
            c.end = std::max(c.end, m_trace.end(c.events[r]) + m_all.ranks[r].clockOffsetNs);
            if (start > c.lastArrival) {
                second = c.lastArrival;
                c.lastArrival = start;
                c.lastRank = static_cast<std::uint32_t>(r);
            } else {
                second = std::max(second, start);
            }
        }
        c.spreadNs = c.lastArrival - first;
        m_all.ranks[c.lastRank].lateNs += c.lastArrival - second;
        for (std::size_t r = 0; r < c.events.size(); ++r) {
            if (!c.events[r].valid())
                continue;
            const std::int64_t start = m_trace.start(c.events[r]) + m_all.ranks[r].clockOffsetNs;
            const std::int64_t wait = std::clamp<std::int64_t>(c.lastArrival - start, 0, m_trace.duration(c.events[r]));
            m_all.ranks[r].commWaitNs += wait;
            m_all.ranks[r].commTransferNs += m_trace.duration(c.events[r]) - wait;
        }
    }

    // The rank that waits least arrives last; it is one only if the others do wait for it, again and again.
    void findStraggler()
    {
        const RankFigures *least = nullptr;
        std::int64_t all = 0;
        std::size_t known = 0;
        for (const RankFigures &r : m_all.ranks) {
            if (!r.rank)
                continue;
            ++known;
            all += r.commWaitNs;
            if (!least || r.commWaitNs < least->commWaitNs)
                least = &r;
        }
        if (known < 2 || all <= kNoise * static_cast<std::int64_t>(m_all.collectives.size()))
            return;
        const double share = 1.0 / static_cast<double>(known);
        if (static_cast<double>(least->commWaitNs) < (share - kStragglerShare) * static_cast<double>(all)
            && isLateOften(*least))
            m_all.straggler = least->rank;
    }

    // One hiccup makes nobody a straggler: without the few longest waits it must still be the one that is waited for.
    [[nodiscard]] bool isLateOften(const RankFigures &rank) const
    {
        const auto own = static_cast<std::uint32_t>(&rank - m_all.ranks.data());
        std::vector<std::pair<std::int64_t, bool>> waits; // how long, for this rank?
        for (const Collective &c : m_all.collectives)
            waits.emplace_back(c.spreadNs, c.lastRank == own);
        std::sort(waits.begin(), waits.end());
        waits.resize(waits.size() - waits.size() / 5);
        std::int64_t forIt = 0, total = 0;
        for (const auto &[ns, its] : waits) {
            total += ns;
            forIt += its ? ns : 0;
        }
        return 4 * forIt >= 3 * total;
    }

    const Trace &m_trace;
    RankAnalysis m_all;
};

} // namespace

RankAnalysis analyseRanks(const Trace &trace, const NameTable &names)
{
    return Ranks(trace, names).take();
}

} // namespace tuneline::analysis
