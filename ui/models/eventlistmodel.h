// SPDX-License-Identifier: GPL-3.0-or-later
// A table of events (matches of a search, evidence, records of a launch): name, kind, lane, start, duration.
#pragma once

#include "analysis/trace/trace.h"

#include <QAbstractTableModel>
#include <vector>

namespace tuneline::ui {

class EventListModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Kind, LaneColumn, Start, Duration, ColumnCount };
    enum Role { SortRole = Qt::UserRole, EventIdRole }; // EventIdRole: uint

    using QAbstractTableModel::QAbstractTableModel;
    void setEvents(analysis::TracePtr trace, std::vector<analysis::EventId> events);
    [[nodiscard]] analysis::EventId eventAt(const QModelIndex &index) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QVariant display(analysis::EventId event, int column) const;
    [[nodiscard]] QVariant sortKey(analysis::EventId event, int column) const;

    analysis::TracePtr m_trace;
    std::vector<analysis::EventId> m_events;
};

} // namespace tuneline::ui
