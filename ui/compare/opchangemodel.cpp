// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/opchangemodel.h"

#include "ui/models/eventtext.h"

#include <cmath>

namespace tuneline::ui {

using analysis::OpChange;
using analysis::OpState;

namespace {

QString signedDuration(double ns)
{
    const QString text = durationText(std::llround(std::abs(ns)));
    return ns < 0 ? QChar(0x2212) + text : ns > 0 ? '+' + text : text;
}

QString stateText(OpState state)
{
    switch (state) {
    case OpState::Added:
        return OpChangeModel::tr("added");
    case OpState::Removed:
        return OpChangeModel::tr("removed");
    case OpState::Changed:
        return OpChangeModel::tr("changed");
    case OpState::Same:
        break;
    }
    return OpChangeModel::tr("same");
}

QVariant sortKey(const OpChange &op, int column)
{
    switch (column) {
    case OpChangeModel::Before:
        return op.beforeNsPerStep;
    case OpChangeModel::After:
        return op.afterNsPerStep;
    case OpChangeModel::Change:
        return std::abs(op.afterNsPerStep - op.beforeNsPerStep);
    case OpChangeModel::CallsBefore:
        return op.callsBefore;
    case OpChangeModel::CallsAfter:
        return op.callsAfter;
    case OpChangeModel::State:
        return stateText(op.state);
    case OpChangeModel::Where:
        return op.onDevice;
    default:
        return fullName(op.name);
    }
}

QString display(const OpChange &op, int column)
{
    switch (column) {
    case OpChangeModel::Name:
        return op.onDevice ? shortName(op.name) : fullName(op.name);
    case OpChangeModel::Where:
        return op.onDevice ? OpChangeModel::tr("device") : OpChangeModel::tr("host");
    case OpChangeModel::Before:
        return op.state == OpState::Added ? QString("–") : durationText(std::llround(op.beforeNsPerStep));
    case OpChangeModel::After:
        return op.state == OpState::Removed ? QString("–") : durationText(std::llround(op.afterNsPerStep));
    case OpChangeModel::Change:
        return signedDuration(op.afterNsPerStep - op.beforeNsPerStep);
    case OpChangeModel::CallsBefore:
        return QString::number(op.callsBefore, 'g', 4);
    case OpChangeModel::CallsAfter:
        return QString::number(op.callsAfter, 'g', 4);
    default:
        return stateText(op.state);
    }
}

bool isText(int column)
{
    return column == OpChangeModel::Name || column == OpChangeModel::Where || column == OpChangeModel::State;
}

} // namespace

void OpChangeModel::setResult(std::shared_ptr<const ComparisonResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int OpChangeModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->comparison.ops.size());
}

int OpChangeModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant OpChangeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const OpChange &op = m_result->comparison.ops[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return display(op, index.column());
    if (role == SortRole)
        return sortKey(op, index.column());
    if (role == Qt::ToolTipRole && index.column() == Name)
        return fullName(op.name);
    if (role == Qt::TextAlignmentRole)
        return QVariant((isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

QVariant OpChangeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((isText(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const char *const kTitles[] = {QT_TR_NOOP("Name"),         QT_TR_NOOP("Where"),  QT_TR_NOOP("Before / step"),
                                          QT_TR_NOOP("After / step"), QT_TR_NOOP("Change"), QT_TR_NOOP("Calls before"),
                                          QT_TR_NOOP("Calls after"),  QT_TR_NOOP("State")};
    return section < ColumnCount ? tr(kTitles[section]) : QVariant();
}

} // namespace tuneline::ui
