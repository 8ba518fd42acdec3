// SPDX-License-Identifier: GPL-3.0-or-later
// One of analysis::Tables as a table: operators, kernels, API calls, scopes. A thin view of the immutable analysis. GUI
// thread.
#pragma once

#include "analysis/analysis.h"

#include <QAbstractTableModel>

namespace tuneline::ui {

enum class TableKind { Operators, Kernels, ApiCalls, Copies, Scopes, Python };

class NameRowModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Calls, Total, Self, Mean, DeviceTotal, DeviceSelf, ColumnCount };
    enum Role { SortRole = Qt::UserRole, NameRole }; // NameRole: as in the trace, to search for

    explicit NameRowModel(TableKind table, QObject *parent = nullptr);
    void setAnalysis(analysis::AnalysisPtr analysis); // null: empty
    [[nodiscard]] bool showsColumn(int column) const; // kernels have no self time, …

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString display(const analysis::NameRow &row, int column) const;
    [[nodiscard]] QVariant sortKey(const analysis::NameRow &row, int column) const;

    TableKind m_table;
    analysis::AnalysisPtr m_analysis;
    const std::vector<analysis::NameRow> *m_rows = nullptr; // inside *m_analysis
};

} // namespace tuneline::ui
