// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/links.h"

#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

class Links
{
public:
    Links(const Trace &trace, std::size_t limit)
        : m_trace(trace)
        , m_limit(limit)
    { }

    std::vector<EventLink> of(EventId event)
    {
        const EventKind kind = m_trace.kind(event);
        if (isDeviceWork(kind) || kind == EventKind::DeviceSync)
            addRecord(event);
        else if (isApiCall(kind))
            addCall(event);
        else
            addInside(event);
        addForwardBackward(event);
        return std::move(m_links);
    }

private:
    void add(EventId from, EventId to, bool backward = false)
    {
        if (m_links.size() < m_limit && from.valid() && to.valid())
            m_links.push_back({from, to, backward});
    }

    void addRecord(EventId record) { add(m_trace.events.launch[record.value], record); }

    void addCall(EventId call)
    {
        for (const EventId record : m_trace.deviceRecordsOf(call))
            add(call, record);
    }

    // Calls made inside an operator or range: its descendants follow it in the lane, up to its end.
    void addInside(EventId event)
    {
        static constexpr std::uint32_t kMaxLookedAt = 20000; // a range may hold a whole epoch: its first links will do
        const Lane &lane = m_trace.laneOf(event);
        if (lane.kind != LaneKind::Cpu)
            return;
        const std::int64_t end = m_trace.end(event);
        const std::uint32_t last = std::min(lane.first + lane.count, event.value + kMaxLookedAt);
        for (std::uint32_t e = event.value + 1; e < last && m_trace.events.start[e] < end && m_links.size() < m_limit;
             ++e) {
            if (isApiCall(m_trace.events.kind[e]))
                addCall(EventId{e});
        }
    }

    void addForwardBackward(EventId event)
    {
        const auto &pairs = m_trace.forwardBackward;
        const auto [first, last] = std::ranges::equal_range(pairs, event, {}, &ForwardBackward::forward);
        for (auto it = first; it != last; ++it)
            add(it->forward, it->backward, true);
        const auto back = std::ranges::find(pairs, event, &ForwardBackward::backward);
        if (back != pairs.end())
            add(back->forward, back->backward, true);
    }

    const Trace &m_trace;
    std::size_t m_limit;
    std::vector<EventLink> m_links;
};

} // namespace

std::vector<EventLink> linksOf(const Trace &trace, EventId event, std::size_t limit)
{
    if (!event.valid() || event.value >= trace.events.size())
        return {};
    return Links(trace, limit).of(event);
}

} // namespace tuneline::ui
