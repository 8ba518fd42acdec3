// SPDX-License-Identifier: GPL-3.0-or-later
// A sortable table with a filter line above it and a sentence where there is nothing to show. GUI thread.
#pragma once

#include "ui/widgets/namerowmodel.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace tuneline::ui {

class TablePage : public QWidget
{
    Q_OBJECT
public:
    TablePage(TableKind table, const QString &emptyText, QWidget *parent = nullptr);
    void setAnalysis(const analysis::AnalysisPtr &analysis);
    [[nodiscard]] QTableView *view() const { return m_view; }

signals:
    void nameActivated(const QString &name); // double click or Return: find it in the timeline

private:
    void updateCount();

    NameRowModel *m_model;
    QSortFilterProxyModel *m_proxy;
    QLineEdit *m_filter;
    QLabel *m_count;
    QTableView *m_view;
    QLabel *m_empty;
};

} // namespace tuneline::ui
