// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/layout.h"

#include "analysis/trace/counters.h"
#include "ui/models/eventtext.h"

#include <QCoreApplication>
#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Timeline", text);
}

QString string(const Trace &trace, StringId id)
{
    const std::string_view text = trace.strings.view(id);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

class Builder
{
public:
    Builder(const Trace &trace, const Lod &lod, const Analysis *analysis, const FoldState &folds, int rowHeight)
        : m_trace(trace)
        , m_lod(lod)
        , m_analysis(analysis)
        , m_folds(folds)
        , m_rowHeight(rowHeight)
    { }

    Layout build()
    {
        m_layout.groups = laneGroups(m_trace, m_analysis);
        const bool titled = m_layout.groups.size() > 1;
        m_indent = titled ? 1 : 0;
        for (std::uint32_t i = 0; i < m_layout.groups.size(); ++i) {
            const bool folded = titled && m_folds.groups.contains(i);
            if (titled)
                addGroupTitle(i, folded);
            if (!folded)
                addGroup(m_layout.groups[i]);
        }
        return std::move(m_layout);
    }

private:
    LayoutRow &add(LayoutRow::Kind kind, std::uint32_t index, int height, QString label, QString detail = {})
    {
        LayoutRow row;
        row.kind = kind;
        row.index = index;
        row.y = m_layout.height;
        row.height = height;
        row.rowHeight = m_rowHeight;
        row.indent = m_indent;
        row.label = std::move(label);
        row.detail = std::move(detail);
        m_layout.height += height;
        m_layout.rows.push_back(std::move(row));
        return m_layout.rows.back();
    }

    void addGroupTitle(std::uint32_t index, bool folded)
    {
        LayoutRow &row = add(LayoutRow::Kind::Group, index, folded ? 2 * m_rowHeight : m_rowHeight + kGap,
                             m_layout.groups[index].title);
        row.indent = 0;
        row.foldable = true;
        row.folded = folded;
    }

    void addGroup(const LaneGroup &group)
    {
        addDevices(group);
        for (const LaneId lane : group.threads)
            addLane(lane);
        for (const LaneId lane : group.others)
            addLane(lane);
        addCurves(group);
    }

    // Streams below the idle row of their device. Streams without a device (not analysed yet) come last.
    void addDevices(const LaneGroup &group)
    {
        std::vector<LaneId> left = group.streams;
        for (const std::uint32_t index : group.devices) {
            const DeviceMetrics &device = m_analysis->devices[index];
            const QString used = device.util ? tr("busy %1 %").arg(*device.util * 100, 0, 'f', 1) : QString();
            add(LayoutRow::Kind::Idle, index, m_rowHeight + kGap, tr("GPU %1 idle").arg(device.device), used);
            std::erase_if(left, [&](LaneId id) {
                const bool mine = m_trace.lanes[id.value].device == device.device;
                if (mine)
                    addLane(id);
                return mine;
            });
        }
        for (const LaneId lane : left)
            addLane(lane);
    }

    void addLane(LaneId id)
    {
        const Lane &lane = m_trace.lanes[id.value];
        const auto depth = static_cast<std::uint32_t>(m_lod.rows(id).size());
        if (depth == 0)
            return;
        const bool folded = m_folds.lanes.contains(id.value);
        const std::uint32_t usual = lane.kind == LaneKind::Stream ? FoldState::kStreamRows : FoldState::kCpuRows;
        const auto limit = m_folds.limits.find(id.value);
        std::uint32_t shown = std::min(depth, limit == m_folds.limits.end() ? usual : limit->second);
        if (shown + 1 == depth)
            shown = depth; // "1 deeper row" would take the place of that row
        const QString label = laneText(m_trace, lane);
        const QString process = string(m_trace, lane.process);
        LayoutRow &row =
            add(LayoutRow::Kind::Events, id.value, 0, label, label.contains(process) ? QString() : process);
        row.rows = folded ? 1 : shown;
        row.height = static_cast<int>(row.rows) * m_rowHeight + kGap;
        row.foldable = depth > 1;
        row.folded = folded;
        m_layout.height += row.height;
        if (!folded && depth > std::min(depth, usual) + 1)
            add(LayoutRow::Kind::More, id.value, m_rowHeight, {}).hidden = depth - shown;
    }

    void addCurves(const LaneGroup &group)
    {
        for (std::uint32_t i = 0; m_analysis && i < m_analysis->memory.size(); ++i) {
            const MemoryCurve &curve = m_analysis->memory[i];
            if (curve.source != group.source || curve.time.empty())
                continue;
            const QString label = curve.device < 0 ? tr("CPU memory") : tr("GPU %1 memory").arg(curve.device);
            add(LayoutRow::Kind::Memory, i, 2 * m_rowHeight + kGap, label,
                tr("peak %1").arg(bytesText(static_cast<double>(curve.peakBytes))));
        }
        for (std::uint32_t i = 0; i < m_trace.counters.size(); ++i) {
            const CounterTrack &counter = m_trace.counters[i];
            const std::string_view name = m_trace.strings.view(counter.name);
            // NVML's bits say nothing as a curve: the importer has made one of each reason that held.
            if (counter.source == group.source && !counter.time.empty()
                && counterMeaning(name).kind != CounterKind::ThrottleReasons)
                add(LayoutRow::Kind::Counter, i, 2 * m_rowHeight + kGap, QString::fromStdString(counterTitle(name)),
                    string(m_trace, counter.unit));
        }
    }

    static constexpr int kGap = 4; // px between lanes

    const Trace &m_trace;
    const Lod &m_lod;
    const Analysis *m_analysis;
    const FoldState &m_folds;
    int m_rowHeight;
    int m_indent = 0;
    Layout m_layout;
};

} // namespace

Layout layOut(const Trace &trace, const Lod &lod, const Analysis *analysis, const FoldState &folds, int rowHeight)
{
    return Builder(trace, lod, analysis, folds, rowHeight).build();
}

const LayoutRow *Layout::rowAt(int y) const
{
    const auto it = std::ranges::upper_bound(rows, y, {}, &LayoutRow::y);
    if (it == rows.begin() || y < 0)
        return nullptr;
    const LayoutRow &row = *std::prev(it);
    return y < row.y + row.height ? &row : nullptr;
}

const LayoutRow *Layout::rowOfLane(LaneId lane) const
{
    const auto it = std::ranges::find_if(
        rows, [lane](const LayoutRow &row) { return row.kind == LayoutRow::Kind::Events && row.index == lane.value; });
    return it == rows.end() ? nullptr : &*it;
}

int Layout::groupOfLane(LaneId lane) const
{
    const auto has = [lane](const std::vector<LaneId> &list) { return std::ranges::find(list, lane) != list.end(); };
    const auto it = std::ranges::find_if(
        groups, [&has](const LaneGroup &g) { return has(g.streams) || has(g.threads) || has(g.others); });
    return it == groups.end() ? -1 : static_cast<int>(it - groups.begin());
}

} // namespace tuneline::ui
