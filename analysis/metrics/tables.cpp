// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/tables.h"

#include "analysis/metrics/intervalset.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tuneline::analysis {

namespace {

class RowTable
{
public:
    NameRow &row(StringId name)
    {
        const auto [it, isNew] = m_index.try_emplace(name, m_rows.size());
        if (isNew) {
            m_rows.emplace_back();
            m_rows.back().name = name;
        }
        return m_rows[it->second];
    }
    [[nodiscard]] bool has(StringId name) const { return m_index.count(name) != 0; }

    // Most time first; equal rows in the order of their names, so that two runs print the same.
    std::vector<NameRow> take(const Trace &trace, std::int64_t NameRow::*key)
    {
        std::sort(m_rows.begin(), m_rows.end(), [&](const NameRow &a, const NameRow &b) {
            if (a.*key != b.*key)
                return a.*key > b.*key;
            return a.totalNs != b.totalNs ? a.totalNs > b.totalNs
                                          : trace.strings.view(a.name) < trace.strings.view(b.name);
        });
        return std::move(m_rows);
    }

private:
    std::vector<NameRow> m_rows;
    std::unordered_map<StringId, std::size_t> m_index;
};

bool isTimed(const Trace &trace, EventId e)
{
    return !trace.hasFlag(e, EventFlag::kNoDuration | EventFlag::kNoTimestamp);
}

class TableMaker
{
public:
    explicit TableMaker(const Trace &trace)
        : m_trace(trace)
        , m_children(trace.events.size(), 0)
        , m_deviceTotal(trace.events.size(), 0)
        , m_deviceSelf(trace.events.size(), 0)
        , m_open(trace.strings.size(), 0)
    { }

    Tables make()
    {
        addDeviceRecords();
        for (const Lane &lane : m_trace.lanes) {
            if (lane.kind == LaneKind::Cpu) {
                sumUp(lane);
                addHostLane(lane);
            }
        }
        addDeviceRanges();
        Tables t;
        t.ops = m_ops.take(m_trace, &NameRow::selfNs);
        t.kernels = m_kernels.take(m_trace, &NameRow::totalNs);
        t.api = m_api.take(m_trace, &NameRow::totalNs);
        t.ranges = m_ranges.take(m_trace, &NameRow::totalNs);
        t.python = m_python.take(m_trace, &NameRow::selfNs);
        t.copies = m_copies.take(m_trace, &NameRow::totalNs);
        return t;
    }

private:
    void addDeviceRecords()
    {
        for (const Lane &lane : m_trace.lanes) {
            if (lane.kind != LaneKind::Stream)
                continue;
            for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
                const EventId e{i};
                if (!isDeviceWork(m_trace.kind(e)))
                    continue;
                NameRow &row =
                    (m_trace.kind(e) == EventKind::Kernel ? m_kernels : m_copies).row(m_trace.events.name[i]);
                ++row.calls;
                if (!isTimed(m_trace, e))
                    continue;
                ++row.timed;
                row.totalNs += m_trace.duration(e);
                row.selfNs += m_trace.duration(e);
                if (const EventId launch = m_trace.events.launch[i]; launch.valid()) {
                    m_deviceTotal[launch.value] += m_trace.duration(e);
                    m_deviceSelf[launch.value] += m_trace.duration(e);
                }
            }
        }
    }

    // Children stand behind their parents: one walk from the back passes sums up.
    void sumUp(const Lane &lane)
    {
        for (std::uint32_t i = lane.first + lane.count; i-- > lane.first;) {
            const EventId parent = m_trace.events.parent[i];
            if (!parent.valid())
                continue;
            const EventId e{i};
            m_children[parent.value] +=
                std::max<std::int64_t>(0, std::min(m_trace.end(e), m_trace.end(parent)) - m_trace.start(e));
            m_deviceTotal[parent.value] += m_deviceTotal[i];
            if (m_trace.kind(e) != EventKind::Op)
                m_deviceSelf[parent.value] += m_deviceSelf[i];
        }
    }

    RowTable *tableOf(EventKind kind)
    {
        switch (kind) {
        case EventKind::Op:
            return &m_ops;
        case EventKind::Range:
        case EventKind::Slice:
        case EventKind::Compile:
        case EventKind::Overhead:
            return &m_ranges;
        case EventKind::Python:
            return &m_python;
        case EventKind::Runtime:
        case EventKind::Driver:
            return &m_api;
        default:
            return nullptr;
        }
    }

    void addHostLane(const Lane &lane)
    {
        std::vector<EventId> stack;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            while (!stack.empty() && stack.back() != m_trace.events.parent[i]) {
                --m_open[m_trace.events.name[stack.back().value].value];
                stack.pop_back();
            }
            if (RowTable *table = tableOf(m_trace.kind(e)))
                addHostEvent(e, *table);
            stack.push_back(e);
            ++m_open[m_trace.events.name[i].value];
        }
        for (const EventId e : stack)
            --m_open[m_trace.events.name[e.value].value];
    }

    void addHostEvent(EventId e, RowTable &table)
    {
        NameRow &row = table.row(m_trace.events.name[e.value]);
        ++row.calls;
        row.deviceSelfNs += m_deviceSelf[e.value];
        if (!isTimed(m_trace, e))
            return;
        ++row.timed;
        row.selfNs += std::max<std::int64_t>(0, m_trace.duration(e) - m_children[e.value]);
        if (m_open[row.name.value] == 0) { // not inside another call of the same name
            row.totalNs += m_trace.duration(e);
            row.deviceTotalNs += m_deviceTotal[e.value];
        }
    }

    // Labels on the device (gpu_user_annotation) whose host range is not in the trace; device time = work under them.
    void addDeviceRanges()
    {
        const auto known = m_ranges;
        std::map<std::pair<std::uint32_t, int>, std::vector<Range>> work;
        bool any = false;
        for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
            const Lane &lane = m_trace.lanes[m_trace.events.lane[i].value];
            any |= m_trace.events.kind[i] == EventKind::DeviceRange;
            if (isDeviceWork(m_trace.events.kind[i]) && lane.device && isTimed(m_trace, EventId{i}))
                work[{lane.source.value, *lane.device}].push_back({m_trace.events.start[i], m_trace.end(EventId{i})});
        }
        if (!any)
            return;
        std::map<std::pair<std::uint32_t, int>, IntervalSet> busy;
        for (auto &[device, ranges] : work)
            busy.emplace(device, IntervalSet(std::move(ranges)));
        for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
            const Lane &lane = m_trace.lanes[m_trace.events.lane[i].value];
            if (m_trace.events.kind[i] != EventKind::DeviceRange || known.has(m_trace.events.name[i]))
                continue;
            NameRow &row = m_ranges.row(m_trace.events.name[i]);
            ++row.calls;
            ++row.timed;
            row.totalNs += m_trace.events.duration[i];
            row.selfNs += m_trace.events.duration[i];
            row.deviceTotalNs += busy[{lane.source.value, lane.device.value_or(-1)}].lengthIn(
                {m_trace.events.start[i], m_trace.end(EventId{i})});
        }
    }

    const Trace &m_trace;
    std::vector<std::int64_t> m_children, m_deviceTotal, m_deviceSelf; // by event
    std::vector<std::uint32_t> m_open; // by name: how many are open on the stack
    RowTable m_ops, m_kernels, m_api, m_ranges, m_python, m_copies;
};

} // namespace

Tables makeTables(const Trace &trace)
{
    return TableMaker(trace).make();
}

CopyFigures copyFigures(const Trace &trace)
{
    CopyFigures f;
    double stated = 0, ns = 0, bytes = 0;
    std::uint64_t withRate = 0;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const EventId e{i};
        const CopyDetail *copy = trace.kind(e) == EventKind::Copy ? trace.copy(e) : nullptr;
        if (!copy)
            continue;
        if (copy->bytes > 0) {
            f.bytes += copy->bytes;
            if (isTimed(trace, e) && trace.duration(e) > 0) {
                bytes += static_cast<double>(copy->bytes);
                ns += static_cast<double>(trace.duration(e));
            }
        }
        if (copy->gigabytesPerSecond >= 0) {
            stated += static_cast<double>(copy->gigabytesPerSecond);
            ++withRate;
        }
    }
    if (withRate > 0)
        f.meanBandwidthGbs = stated / static_cast<double>(withRate);
    else if (ns > 0)
        f.meanBandwidthGbs = bytes / ns;
    return f;
}

LinkFigures linkFigures(const Trace &trace)
{
    LinkFigures f;
    f.counts = trace.links;
    std::int64_t sum = 0, n = 0;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const EventId first = trace.events.launch[i];
        if (!isApiCall(trace.events.kind[i]) || !first.valid())
            continue;
        const std::int64_t delay = trace.start(first) - trace.events.start[i];
        if (delay < 0 || trace.hasFlag(first, EventFlag::kNoTimestamp | EventFlag::kClockSkew))
            continue;
        sum += delay;
        ++n;
    }
    if (n > 0)
        f.meanLaunchDelayNs = sum / n;
    return f;
}

EventId enclosingOp(const Trace &trace, EventId e)
{
    EventId up = trace.events.parent[e.value];
    while (up.valid() && trace.kind(up) != EventKind::Op)
        up = trace.events.parent[up.value];
    return up;
}

} // namespace tuneline::analysis
