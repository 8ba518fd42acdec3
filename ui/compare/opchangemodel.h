// SPDX-License-Identifier: GPL-3.0-or-later
// Operators and kernels of both runs, per step: what got longer, shorter, came and went. GUI thread.
#pragma once

#include "ui/compare/comparedocument.h"

#include <QAbstractTableModel>

namespace tuneline::ui {

class OpChangeModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Where, Before, After, Change, CallsBefore, CallsAfter, State, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setResult(std::shared_ptr<const ComparisonResult> result);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const ComparisonResult> m_result;
};

} // namespace tuneline::ui
