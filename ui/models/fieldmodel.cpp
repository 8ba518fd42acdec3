// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/fieldmodel.h"

namespace tuneline::ui {

void FieldModel::setFields(std::vector<EventField> fields)
{
    beginResetModel();
    m_fields = std::move(fields);
    endResetModel();
}

int FieldModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_fields.size());
}

int FieldModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : 2;
}

QVariant FieldModel::data(const QModelIndex &index, int role) const
{
    const auto row = static_cast<std::size_t>(index.row());
    if (!index.isValid() || row >= m_fields.size() || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    return index.column() == 0 ? m_fields[row].first : m_fields[row].second;
}

QVariant FieldModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("Field") : tr("Value");
}

} // namespace tuneline::ui
