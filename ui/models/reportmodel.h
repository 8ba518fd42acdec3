// SPDX-License-Identifier: GPL-3.0-or-later
// The import report as a tree: each kind of problem with its count, its first examples with their places below it.
#pragma once

#include "analysis/trace/trace.h"

#include <QAbstractItemModel>

namespace tuneline::ui {

class ReportModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { Name, Place, Severity, Count, ColumnCount };

    using QAbstractItemModel::QAbstractItemModel;
    void setTrace(analysis::TracePtr trace); // null: empty
    [[nodiscard]] const analysis::ProblemExample *exampleAt(const QModelIndex &index) const; // nullptr: it is a problem

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &index) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QVariant problemData(const analysis::Problem &problem, int column, int role) const;
    analysis::TracePtr m_trace;
};

} // namespace tuneline::ui
