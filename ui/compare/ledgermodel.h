// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment ledger as a table, newest first. GUI thread.
#pragma once

#include "analysis/compare/ledger.h"

#include <QAbstractTableModel>

namespace tuneline::ui {

class LedgerModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { When, Change, Predicted, Measured, VerdictColumn, DecisionColumn, Files, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setEntries(std::vector<analysis::LedgerEntry> entries); // oldest first, as the ledger reads them

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    std::vector<analysis::LedgerEntry> m_entries;
};

} // namespace tuneline::ui
