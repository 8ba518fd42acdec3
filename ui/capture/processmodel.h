// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that `serve` lists, as a table. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QJsonArray>

namespace tuneline::ui {

struct ProcessRow
{
    qint64 pid = 0;
    QString name, commandLine, user;
    bool capturable = false;
    QString how, why; // as PROTOCOL.md, ready to show
    QString torch; // "1.13"; "" = unknown or none
    bool usesTorch = false, usesCuda = false;
};

[[nodiscard]] QList<ProcessRow> processRows(const QJsonArray &processes); // capturable ones first

class ProcessModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Pid, Program, Uses, Capture, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setRows(QList<ProcessRow> rows);
    [[nodiscard]] const ProcessRow *at(const QModelIndex &index) const; // nullptr: no such row

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    QList<ProcessRow> m_rows;
};

} // namespace tuneline::ui
