// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of a run: step time, device use, who waits for whom. GUI thread.
#pragma once

#include "analysis/analysis.h"

#include <QAbstractTableModel>

namespace tuneline::ui {

class RanksModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Rank, StepTime, Busy, Waits, Transfers, Late, File, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setAnalysis(analysis::AnalysisPtr analysis); // null: empty

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString display(const analysis::RankFigures &rank, int column) const;
    [[nodiscard]] bool isStraggler(const analysis::RankFigures &rank) const;

    analysis::AnalysisPtr m_analysis;
};

} // namespace tuneline::ui
