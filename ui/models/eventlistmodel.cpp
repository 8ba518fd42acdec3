// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/eventlistmodel.h"

#include "ui/models/eventtext.h"

using namespace tuneline::analysis;

namespace tuneline::ui {

void EventListModel::setEvents(TracePtr trace, std::vector<EventId> events)
{
    beginResetModel();
    m_trace = std::move(trace);
    m_events = std::move(events);
    endResetModel();
}

EventId EventListModel::eventAt(const QModelIndex &index) const
{
    const auto row = static_cast<std::size_t>(index.row());
    return index.isValid() && row < m_events.size() ? m_events[row] : EventId{};
}

int EventListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_events.size());
}

int EventListModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventListModel::data(const QModelIndex &index, int role) const
{
    const EventId event = eventAt(index);
    if (!event.valid())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return display(event, index.column());
    case Qt::ToolTipRole:
        return index.column() == Name ? fullName(m_trace->name(event)) : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() >= Start ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case SortRole:
        return sortKey(event, index.column());
    case EventIdRole:
        return event.value;
    default:
        return {};
    }
}

QVariant EventListModel::display(EventId event, int column) const
{
    switch (column) {
    case Name:
        return shortName(m_trace->name(event));
    case Kind:
        return kindText(m_trace->kind(event));
    case LaneColumn:
        return laneText(*m_trace, m_trace->laneOf(event));
    case Start:
        return timeText(m_trace->start(event), 1000);
    case Duration:
        return durationText(m_trace->duration(event));
    default:
        return {};
    }
}

QVariant EventListModel::sortKey(EventId event, int column) const
{
    if (column == Start)
        return static_cast<qlonglong>(m_trace->start(event));
    if (column == Duration)
        return static_cast<qlonglong>(m_trace->duration(event));
    return display(event, column);
}

QVariant EventListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Kind:
        return tr("Kind");
    case LaneColumn:
        return tr("Lane");
    case Start:
        return tr("Start");
    case Duration:
        return tr("Duration");
    default:
        return {};
    }
}

} // namespace tuneline::ui
