// SPDX-License-Identifier: GPL-3.0-or-later
// The metrics of a comparison: before, after, change, confidence interval, significance. GUI thread.
#pragma once

#include "ui/compare/comparedocument.h"

#include <QAbstractTableModel>

namespace tuneline::ui {

class MetricsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Before, After, Change, Interval, Significance, ColumnCount };

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

[[nodiscard]] QString metricText(const analysis::MetricChange &metric, const std::optional<double> &value);
// Better, worse or neither, beyond chance.
enum class Direction { None, Better, Worse };
[[nodiscard]] Direction directionOf(const analysis::MetricChange &metric);

} // namespace tuneline::ui
