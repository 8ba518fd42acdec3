// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ledgermodel.h"

#include "ui/widgets/figures.h"

#include <QDateTime>
#include <QFileInfo>

#include <algorithm>

namespace tuneline::ui {

using analysis::Decision;
using analysis::LedgerEntry;

namespace {

QString decisionText(Decision decision)
{
    switch (decision) {
    case Decision::Kept:
        return LedgerModel::tr("kept");
    case Decision::Discarded:
        return LedgerModel::tr("discarded");
    case Decision::Open:
        break;
    }
    return LedgerModel::tr("open");
}

QString display(const LedgerEntry &entry, int column)
{
    switch (column) {
    case LedgerModel::When:
        return QDateTime::fromMSecsSinceEpoch(entry.unixMs).toString("yyyy-MM-dd HH:mm");
    case LedgerModel::Change:
        return entry.change.empty() ? LedgerModel::tr("nothing stated") : QString::fromStdString(entry.change);
    case LedgerModel::Predicted:
        return entry.predictedLow && entry.predictedHigh ? percentRangeText(*entry.predictedLow, *entry.predictedHigh)
                                                         : QString("–");
    case LedgerModel::Measured:
        return entry.measured ? percentText(*entry.measured) : QString("–");
    case LedgerModel::VerdictColumn:
        return QString::fromUtf8(analysis::toText(entry.verdict)).replace('-', ' ');
    case LedgerModel::DecisionColumn:
        return decisionText(entry.decision);
    default:
        return QFileInfo(QString::fromStdString(entry.before)).fileName() + " → "
            + QFileInfo(QString::fromStdString(entry.after)).fileName();
    }
}

bool isFigure(int column)
{
    return column == LedgerModel::Predicted || column == LedgerModel::Measured;
}

} // namespace

void LedgerModel::setEntries(std::vector<LedgerEntry> entries)
{
    beginResetModel();
    m_entries = std::move(entries);
    std::reverse(m_entries.begin(), m_entries.end());
    endResetModel();
}

int LedgerModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int LedgerModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LedgerModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const LedgerEntry &entry = m_entries[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return display(entry, index.column());
    if (role == Qt::ToolTipRole && index.column() == Files)
        return QString("%1\n%2").arg(QString::fromStdString(entry.before), QString::fromStdString(entry.after));
    if (role == Qt::TextAlignmentRole)
        return QVariant((isFigure(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

QVariant LedgerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((isFigure(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const char *const kTitles[] = {QT_TR_NOOP("When"),     QT_TR_NOOP("Change"),  QT_TR_NOOP("Predicted"),
                                          QT_TR_NOOP("Measured"), QT_TR_NOOP("Verdict"), QT_TR_NOOP("Decision"),
                                          QT_TR_NOOP("Captures")};
    return section < ColumnCount ? tr(kTitles[section]) : QVariant();
}

} // namespace tuneline::ui
