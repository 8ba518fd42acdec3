// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/namerowmodel.h"

#include "ui/models/eventtext.h"

namespace tuneline::ui {

using analysis::NameRow;

namespace {

const std::vector<NameRow> &rowsOf(const analysis::Tables &tables, TableKind table)
{
    switch (table) {
    case TableKind::Kernels:
        return tables.kernels;
    case TableKind::ApiCalls:
        return tables.api;
    case TableKind::Copies:
        return tables.copies;
    case TableKind::Scopes:
        return tables.ranges;
    case TableKind::Python:
        return tables.python;
    case TableKind::Operators:
        break;
    }
    return tables.ops;
}

std::int64_t timeOf(const NameRow &row, int column)
{
    switch (column) {
    case NameRowModel::Self:
        return row.selfNs;
    case NameRowModel::Mean:
        return row.meanNs().value_or(-1);
    case NameRowModel::DeviceTotal:
        return row.deviceTotalNs;
    case NameRowModel::DeviceSelf:
        return row.deviceSelfNs;
    default:
        return row.totalNs;
    }
}

} // namespace

NameRowModel::NameRowModel(TableKind table, QObject *parent)
    : QAbstractTableModel(parent)
    , m_table(table)
{ }

void NameRowModel::setAnalysis(analysis::AnalysisPtr analysis)
{
    beginResetModel();
    m_analysis = std::move(analysis);
    m_rows = m_analysis ? &rowsOf(m_analysis->tables, m_table) : nullptr;
    endResetModel();
}

bool NameRowModel::showsColumn(int column) const
{
    const bool onDevice = m_table == TableKind::Kernels || m_table == TableKind::Copies;
    const bool hasDevice = m_analysis && m_analysis->device() != nullptr;
    if (column == Self)
        return !onDevice && m_table != TableKind::ApiCalls;
    if (column == DeviceTotal || column == DeviceSelf)
        return !onDevice && hasDevice && m_table != TableKind::Python
            && (column == DeviceTotal || m_table != TableKind::ApiCalls);
    return true;
}

int NameRowModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_rows ? 0 : static_cast<int>(m_rows->size());
}

int NameRowModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString NameRowModel::display(const NameRow &row, int column) const
{
    const std::string_view name = m_analysis->trace->strings.view(row.name);
    if (column == Name)
        return m_table == TableKind::Kernels ? shortName(name) : fullName(name);
    if (column == Calls)
        return countText(row.calls);
    const std::int64_t ns = timeOf(row, column);
    return ns < 0 ? QString("–") : durationText(ns);
}

QVariant NameRowModel::sortKey(const NameRow &row, int column) const
{
    if (column == Name)
        return display(row, Name);
    return column == Calls ? QVariant::fromValue<qint64>(static_cast<qint64>(row.calls))
                           : QVariant::fromValue<qint64>(timeOf(row, column));
}

QVariant NameRowModel::data(const QModelIndex &index, int role) const
{
    if (!m_rows || !index.isValid() || index.row() >= rowCount())
        return {};
    const NameRow &row = (*m_rows)[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return display(row, index.column());
    case Qt::ToolTipRole:
        return index.column() == Name ? fullName(m_analysis->trace->strings.view(row.name)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case SortRole:
        return sortKey(row, index.column());
    case NameRole: {
        const std::string_view name = m_analysis->trace->strings.view(row.name);
        return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    default:
        return {};
    }
}

QVariant NameRowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Calls:
        return tr("Calls");
    case Total:
        return tr("Total");
    case Self:
        return tr("Self");
    case Mean:
        return tr("Mean");
    case DeviceTotal:
        return tr("Device total");
    default:
        return tr("Device self");
    }
}

} // namespace tuneline::ui
