// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ranksmodel.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/theme.h"

#include <QFileInfo>

#include <algorithm>

namespace tuneline::ui {

using analysis::RankFigures;

namespace {

bool isText(int column)
{
    return column == RanksModel::Rank || column == RanksModel::File;
}

} // namespace

void RanksModel::setAnalysis(analysis::AnalysisPtr analysis)
{
    beginResetModel();
    m_analysis = std::move(analysis);
    endResetModel();
}

int RanksModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_analysis ? 0 : static_cast<int>(m_analysis->ranks.ranks.size());
}

int RanksModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

bool RanksModel::isStraggler(const RankFigures &rank) const
{
    return rank.rank.has_value() && m_analysis->ranks.straggler == rank.rank;
}

QString RanksModel::display(const RankFigures &rank, int column) const
{
    const analysis::Source &source = m_analysis->trace->sources[rank.source.value];
    switch (column) {
    case Rank: {
        const QString name = rank.rank ? QString::number(*rank.rank) : QString::fromStdString(source.label);
        return isStraggler(rank) ? tr("%1 · straggler").arg(name) : name;
    }
    case StepTime: {
        const auto &steps = m_analysis->stepsOfSource[rank.source.value];
        return steps.medianNs ? durationText(*steps.medianNs) : QString("–");
    }
    case Busy: {
        const auto device = std::find_if(m_analysis->devices.begin(), m_analysis->devices.end(),
                                         [&rank](const auto &d) { return d.source == rank.source; });
        return device != m_analysis->devices.end() && device->util ? percentText(*device->util) : QString("–");
    }
    case Waits:
        return durationText(rank.commWaitNs);
    case Transfers:
        return durationText(rank.commTransferNs);
    case Late:
        return durationText(rank.lateNs);
    default:
        return QFileInfo(QString::fromStdString(source.file)).fileName();
    }
}

QVariant RanksModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const RankFigures &rank = m_analysis->ranks.ranks[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return display(rank, index.column());
    if (role == Qt::ForegroundRole && index.column() == Rank && isStraggler(rank))
        return Theme::instance().colours().warn;
    if (role == Qt::TextAlignmentRole)
        return QVariant((isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

QVariant RanksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((isText(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    static const char *const kTitles[] = {QT_TR_NOOP("Rank"),        QT_TR_NOOP("Step time"),
                                          QT_TR_NOOP("Device busy"), QT_TR_NOOP("Waits for others"),
                                          QT_TR_NOOP("Transfers"),   QT_TR_NOOP("Others wait for it"),
                                          QT_TR_NOOP("File")};
    static const char *const kNotes[] = {"",
                                         QT_TR_NOOP("Median of its steady steps"),
                                         QT_TR_NOOP("Share of the window in which anything ran on its device"),
                                         QT_TR_NOOP("Time in collectives before the last rank arrived, over the trace"),
                                         QT_TR_NOOP("Time in collectives after the last rank arrived"),
                                         QT_TR_NOOP("How long the other ranks waited for this one"),
                                         ""};
    if (role == Qt::DisplayRole && section < ColumnCount)
        return tr(kTitles[section]);
    return role == Qt::ToolTipRole && section < ColumnCount ? tr(kNotes[section]) : QVariant();
}

} // namespace tuneline::ui
