// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/processmodel.h"

#include <QJsonObject>

#include <algorithm>

namespace tuneline::ui {

namespace {

QString usesText(const ProcessRow &row)
{
    QStringList parts;
    if (row.usesTorch)
        parts << (row.torch.isEmpty() ? QString("LibTorch") : "LibTorch " + row.torch);
    if (row.usesCuda)
        parts << "CUDA";
    return parts.isEmpty() ? QString("–") : parts.join(", ");
}

QString captureText(const ProcessRow &row)
{
    if (!row.capturable)
        return row.why.isEmpty() ? ProcessModel::tr("can't be captured") : row.why;
    const QString how =
        row.how == "agent" ? ProcessModel::tr("ready, agent loaded") : ProcessModel::tr("ready, by debugger");
    return row.why.isEmpty() ? how : how + " · " + row.why;
}

} // namespace

QList<ProcessRow> processRows(const QJsonArray &processes)
{
    QList<ProcessRow> rows;
    for (const QJsonValue &value : processes) {
        const QJsonObject json = value.toObject();
        ProcessRow row;
        row.pid = json["pid"].toInteger();
        row.name = json["name"].toString();
        QStringList words;
        const QJsonArray commandLine = json["command_line"].toArray();
        for (const QJsonValue &word : commandLine)
            words << word.toString();
        row.commandLine = words.join(' ');
        row.user = json["user"].toString();
        row.capturable = json["capturable"].toBool();
        row.how = json["how"].toString();
        row.why = json["why"].toString();
        row.usesTorch = json["torch"].isString();
        row.torch = json["torch"].toString();
        row.usesCuda = json["cuda"].toBool();
        rows.append(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const ProcessRow &a, const ProcessRow &b) { return a.capturable > b.capturable; });
    return rows;
}

void ProcessModel::setRows(QList<ProcessRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

const ProcessRow *ProcessModel::at(const QModelIndex &index) const
{
    return index.isValid() && index.row() < m_rows.size() ? &m_rows[index.row()] : nullptr;
}

int ProcessModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ProcessModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProcessModel::data(const QModelIndex &index, int role) const
{
    const ProcessRow *row = at(index);
    if (!row)
        return {};
    if (role == Qt::ToolTipRole)
        return index.column() == Capture ? captureText(*row) : row->commandLine;
    if (role == Qt::TextAlignmentRole && index.column() == Pid)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Pid:
        return row->pid;
    case Program:
        return row->commandLine.isEmpty() ? row->name : row->commandLine;
    case Uses:
        return usesText(*row);
    default:
        return captureText(*row);
    }
}

QVariant ProcessModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Pid:
        return tr("PID");
    case Program:
        return tr("Program");
    case Uses:
        return tr("Uses");
    default:
        return tr("Capture");
    }
}

Qt::ItemFlags ProcessModel::flags(const QModelIndex &index) const
{
    const ProcessRow *row = at(index);
    if (!row)
        return Qt::NoItemFlags;
    return row->capturable ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren
                           : Qt::ItemNeverHasChildren;
}

} // namespace tuneline::ui
