// SPDX-License-Identifier: GPL-3.0-or-later
// Two columns, what and value: the details of an event, the facts of a capture.
#pragma once

#include "ui/models/eventtext.h"

#include <QAbstractTableModel>

namespace tuneline::ui {

class FieldModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setFields(std::vector<EventField> fields);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    std::vector<EventField> m_fields;
};

} // namespace tuneline::ui
