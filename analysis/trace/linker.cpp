// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/linker.h"

#include "analysis/trace/nearlysorted.h"
#include "analysis/trace/parallel.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tuneline::analysis {
namespace {

bool untimed(const Trace &trace, EventId e)
{
    return trace.hasFlag(e, EventFlag::kNoTimestamp);
}

class LaunchLinker
{
public:
    LaunchLinker(Trace &trace, const std::vector<std::uint64_t> &externalIds)
        : m_trace(trace)
        , m_externalIds(externalIds)
    { }
    void run(const FlowRuns &flows);

private:
    struct Call
    {
        std::uint32_t source;
        std::uint64_t id; // correlation or external id
        EventId event;
    };
    using Calls = std::vector<Call>;
    [[nodiscard]] std::uint32_t sourceOf(EventId e) const { return m_trace.laneOf(e).source.value; }
    void collect();
    [[nodiscard]] EventId callFor(const Calls &calls, EventId record, std::uint64_t id) const;
    [[nodiscard]] EventId callFrom(const Calls &calls, Calls::const_iterator call, EventId record,
                                   std::uint64_t id) const;
    void linkByCorrelation(std::size_t from, std::size_t to);
    void linkByCorrelation();
    void linkByFlow(const FlowRuns &flows);
    void linkByExternalId();
    void setLaunch(EventId record, EventId call, bool guessed);
    void order();
    void classify();
    void countIdleLaunches();
    static void sortCalls(Calls &calls);

    Trace &m_trace;
    const std::vector<std::uint64_t> &m_externalIds;
    Calls m_calls; // API calls by correlation
    std::vector<EventId> m_records; // device records
};

void LaunchLinker::run(const FlowRuns &flows)
{
    collect();
    linkByCorrelation();
    linkByFlow(flows);
    linkByExternalId();
    order();
    classify();
    countIdleLaunches();
}

void LaunchLinker::sortCalls(Calls &calls)
{
    const auto key = [](const Call &c) { return std::tuple(c.source, c.id, c.event.value); };
    sortNearlySorted(calls.begin(), calls.end(), [&](const Call &a, const Call &b) { return key(a) < key(b); });
}

void LaunchLinker::collect()
{
    for (const Lane &lane : m_trace.lanes) {
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventKind kind = m_trace.events.kind[i];
            if (isApiCall(kind) && m_trace.events.correlation[i] != 0)
                m_calls.push_back({lane.source.value, m_trace.events.correlation[i], EventId{i}});
            else if (isDeviceWork(kind))
                m_records.push_back(EventId{i});
        }
    }
    sortCalls(m_calls);
}

// Several calls may carry one id: a driver call inside its runtime call, or an id that was used again. Then it is the
// last that began before the record; with a skewed clock there may be none, then the first.
EventId LaunchLinker::callFor(const Calls &calls, EventId record, std::uint64_t id) const
{
    const std::pair key(sourceOf(record), id);
    const auto call = std::lower_bound(calls.begin(), calls.end(), key,
                                       [](const Call &c, const auto &k) { return std::pair(c.source, c.id) < k; });
    return callFrom(calls, call, record, id);
}

// `call` is the first that may have the id.
EventId LaunchLinker::callFrom(const Calls &calls, Calls::const_iterator call, EventId record, std::uint64_t id) const
{
    const std::pair key(sourceOf(record), id);
    EventId best;
    for (; call != calls.end() && std::pair(call->source, call->id) == key; ++call) {
        const bool before = m_trace.start(call->event) <= m_trace.start(record);
        const bool bestBefore = best.valid() && m_trace.start(best) <= m_trace.start(record);
        const bool later = !best.valid() || m_trace.start(call->event) > m_trace.start(best);
        if (!best.valid() || (before && (!bestBefore || later)))
            best = call->event;
    }
    return best;
}

void LaunchLinker::setLaunch(EventId record, EventId call, bool guessed)
{
    m_trace.events.launch[record.value] = call;
    if (guessed)
        m_trace.events.flags[record.value] |= EventFlag::kGuessedLink;
}

void LaunchLinker::linkByCorrelation()
{
    constexpr std::size_t kAtOnce = 1U << 14U;
    forEachOnAllCores((m_records.size() + kAtOnce - 1) / kAtOnce, [this](std::size_t i) {
        linkByCorrelation(i * kAtOnce, std::min(m_records.size(), (i + 1) * kAtOnce));
    });
}

// Of some of the records. The next record of a stream mostly belongs to one of the next calls.
void LaunchLinker::linkByCorrelation(std::size_t from, std::size_t to)
{
    constexpr std::ptrdiff_t kNear = 4;
    auto near = m_calls.cbegin();
    for (std::size_t i = from; i < to; ++i) {
        const EventId record = m_records[i];
        const std::pair key(sourceOf(record), m_trace.events.correlation[record.value]);
        if (key.second == 0)
            continue;
        const auto less = [](const Call &c, const auto &k) { return std::pair(c.source, c.id) < k; };
        const auto end = near + std::min(kNear, m_calls.cend() - near);
        const auto next = std::find_if(near, end, [&](const Call &c) { return !less(c, key); });
        const bool first = next != end && (next == m_calls.cbegin() || less(*std::prev(next), key));
        near = first ? next : std::lower_bound(m_calls.cbegin(), m_calls.cend(), key, less);
        if (const EventId call = callFrom(m_calls, near, record, key.second); call.valid())
            setLaunch(record, call, false);
    }
}

void LaunchLinker::linkByFlow(const FlowRuns &flows)
{
    const bool needed = std::any_of(m_records.begin(), m_records.end(),
                                    [&](EventId e) { return !m_trace.events.launch[e.value].valid(); });
    if (!needed)
        return;
    std::vector<const RawFlow *> begins;
    forEachFlow(flows, [&](const RawFlow &flow) {
        if (flow.type == RawFlow::Type::Launch && flow.begin && flow.lane.valid() && flow.id != 0) // 0: unknown
            begins.push_back(&flow);
    });
    const auto key = [&](const RawFlow *f) {
        return std::tuple(m_trace.lanes[f->lane.value].source.value, f->id, f->time);
    };
    std::sort(begins.begin(), begins.end(), [&](auto *a, auto *b) { return key(a) < key(b); });
    forEachFlow(flows, [&](const RawFlow &flow) {
        if (flow.type != RawFlow::Type::Launch || flow.begin || !flow.lane.valid())
            return;
        const Lane &lane = m_trace.lanes[flow.lane.value];
        if (lane.kind != LaneKind::Stream)
            return;
        // Ids are used again: the last that began before this end; with a skewed clock there may be none, then the
        // first.
        auto begin = std::upper_bound(begins.begin(), begins.end(), key(&flow),
                                      [&](const auto &k, auto *b) { return k < key(b); });
        const auto same = [&](auto at) {
            return at != begins.end() && (*at)->id == flow.id && m_trace.lanes[(*at)->lane.value].source == lane.source;
        };
        if (begin != begins.begin() && same(std::prev(begin)))
            --begin;
        if (!same(begin))
            return;
        const EventId record = innermostAt(m_trace, flow.lane, flow.time, [&](EventId e) {
            return isDeviceWork(m_trace.kind(e)) && m_trace.start(e) == flow.time;
        });
        if (!record.valid() || m_trace.events.launch[record.value].valid())
            return;
        const RawFlow &from = **begin;
        const auto isCall = [&](EventId e) { return isApiCall(m_trace.kind(e)); };
        const auto isHost = [&](EventId e) { return m_trace.kind(e) != EventKind::Instant; };
        EventId call = innermostAt(m_trace, from.lane, from.time, isCall);
        if (!call.valid())
            call = innermostAt(m_trace, from.lane, from.time, isHost);
        if (call.valid())
            setLaunch(record, call, true);
    });
}

// Only where a record has no correlation at all: a correlation whose call is missing means a launch before the window.
void LaunchLinker::linkByExternalId()
{
    if (m_externalIds.empty())
        return;
    Calls calls, ops;
    for (std::uint32_t i = 0; i < m_externalIds.size(); ++i) {
        const EventId e{i};
        if (m_externalIds[i] == 0 || isDeviceWork(m_trace.kind(e)))
            continue;
        if (isApiCall(m_trace.kind(e)))
            calls.push_back({sourceOf(e), m_externalIds[i], e});
        else if (m_trace.kind(e) == EventKind::Op)
            ops.push_back({sourceOf(e), m_externalIds[i], e});
    }
    sortCalls(calls);
    sortCalls(ops);
    for (const EventId record : m_records) {
        const std::uint64_t id = m_externalIds[record.value];
        if (id == 0 || m_trace.events.launch[record.value].valid() || m_trace.events.correlation[record.value] != 0)
            continue;
        EventId call = callFor(calls, record, id);
        if (!call.valid() && calls.empty()) // an old trace without API calls: the operator stands for its launch
            call = callFor(ops, record, id);
        if (call.valid())
            setLaunch(record, call, true);
    }
}

void LaunchLinker::order()
{
    auto &linked = m_trace.deviceByLaunch;
    const auto &launch = m_trace.events.launch;
    for (const EventId record : m_records) {
        if (launch[record.value].valid())
            linked.push_back(record);
    }
    const auto key = [&](EventId e) { return std::tuple(launch[e.value].value, m_trace.start(e), e.value); };
    sortNearlySorted(linked.begin(), linked.end(), [&](EventId a, EventId b) { return key(a) < key(b); });
    EventId last;
    for (const EventId record : linked) {
        const EventId call = launch[record.value];
        if (call != last)
            m_trace.events.launch[call.value] = record;
        last = call;
    }
}

// Orphan or unlinked: DESIGN section 4. A record whose correlation is unknown says nothing about when it was launched,
// so it is never an orphan.
void LaunchLinker::classify()
{
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> firstLinked(m_trace.lanes.size(), kNone); // by lane: of all streams of its device
    for (const EventId record : m_trace.deviceByLaunch) {
        std::int64_t &first = firstLinked[m_trace.events.lane[record.value].value];
        first = untimed(m_trace, record) ? first : std::min(first, m_trace.start(record));
    }
    std::map<std::pair<SourceId, int>, std::int64_t> firstOfDevice;
    const auto ofDevice = [&](std::size_t lane) -> std::int64_t & {
        const Lane &l = m_trace.lanes[lane];
        return firstOfDevice.try_emplace({l.source, l.device.value_or(0)}, kNone).first->second;
    };
    for (std::size_t lane = 0; lane < firstLinked.size(); ++lane)
        ofDevice(lane) = std::min(ofDevice(lane), firstLinked[lane]);
    for (std::size_t lane = 0; lane < firstLinked.size(); ++lane)
        firstLinked[lane] = ofDevice(lane);
    for (const EventId record : m_records) {
        const EventId call = m_trace.events.launch[record.value];
        if (call.valid()) {
            ++m_trace.links.linked;
            if (!untimed(m_trace, record) && !untimed(m_trace, call) && m_trace.start(record) < m_trace.start(call)) {
                m_trace.events.flags[record.value] |= EventFlag::kClockSkew;
                ++m_trace.links.clockSkew;
            }
            continue;
        }
        const std::int64_t first = firstLinked[m_trace.events.lane[record.value].value];
        const bool before = first != kNone && !untimed(m_trace, record) && m_trace.start(record) < first;
        if (before && m_trace.events.correlation[record.value] != 0) {
            m_trace.events.flags[record.value] |= EventFlag::kOrphan;
            ++m_trace.links.orphans;
        } else {
            ++m_trace.links.unlinked;
        }
    }
    if (m_trace.links.clockSkew > 0)
        m_trace.report.add("clock-skew", Severity::Info,
                           {-1, -1, "device work starts before the call that launched it"}, m_trace.links.clockSkew);
}

void LaunchLinker::countIdleLaunches()
{
    enum : std::uint8_t { kUnasked, kLaunches, kOther };
    std::vector<std::uint8_t> kinds(m_trace.strings.size(), kUnasked); // by name
    for (std::uint32_t i = 0; i < m_trace.events.size(); ++i) {
        if (!isApiCall(m_trace.events.kind[i]) || m_trace.events.launch[i].valid())
            continue;
        std::uint8_t &kind = kinds[m_trace.events.name[i].value];
        if (kind == kUnasked) {
            const std::string_view name = m_trace.strings.view(m_trace.events.name[i]);
            const bool launches =
                name.find("Launch") != std::string_view::npos && name.find("HostFunc") == std::string_view::npos;
            kind = launches ? kLaunches : kOther;
        }
        m_trace.links.launchesWithoutWork += kind == kLaunches ? 1 : 0;
    }
}

} // namespace

void linkLaunches(Trace &trace, const FlowRuns &flows, const std::vector<std::uint64_t> &externalIds)
{
    LaunchLinker(trace, externalIds).run(flows);
}

} // namespace tuneline::analysis
