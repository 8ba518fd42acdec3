// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tablepage.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

namespace tuneline::ui {

TablePage::TablePage(TableKind table, const QString &emptyText, QWidget *parent)
    : QWidget(parent)
    , m_model(new NameRowModel(table, this))
    , m_proxy(new QSortFilterProxyModel(this))
    , m_filter(new QLineEdit)
    , m_count(makeLabel({}, TextRole::Caption, "muted"))
    , m_view(new QTableView)
    , m_empty(makeWrapped(emptyText, TextRole::Body, "muted"))
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(NameRowModel::SortRole);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setFilterKeyColumn(NameRowModel::Name);
    m_proxy->setFilterRole(NameRowModel::NameRole);
    m_filter->setPlaceholderText(tr("Filter by name"));
    m_filter->setAccessibleName(tr("Filter by name"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(icon("filter", IconTone::Muted), QLineEdit::LeadingPosition);
    m_filter->setMaximumWidth(320);
    m_view->setModel(m_proxy);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(NameRowModel::Total, Qt::DescendingOrder);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setShowGrid(false);
    m_view->setWordWrap(false);
    m_view->setAlternatingRowColors(true);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(m_view->fontMetrics().height() + 6);
    m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_view->horizontalHeader()->setSectionResizeMode(NameRowModel::Name, QHeaderView::Stretch);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->setToolTip(tr("Double click: find in the timeline"));
    m_empty->setAlignment(Qt::AlignCenter);

    auto *top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpace / 2, kSpace, kSpace / 2);
    top->addWidget(m_filter, 1);
    top->addStretch();
    top->addWidget(m_count);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(top);
    column->addWidget(m_view, 1);
    column->addWidget(m_empty, 1);

    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_filter, &QLineEdit::textChanged, this, &TablePage::updateCount);
    connect(m_view, &QTableView::activated, this,
            [this](const QModelIndex &index) { emit nameActivated(index.data(NameRowModel::NameRole).toString()); });
    setAnalysis({});
}

void TablePage::setAnalysis(const analysis::AnalysisPtr &analysis)
{
    m_model->setAnalysis(analysis);
    for (int column = 0; column < NameRowModel::ColumnCount; ++column) {
        m_view->setColumnHidden(column, !m_model->showsColumn(column));
        if (column != NameRowModel::Name)
            m_view->setColumnWidth(column,
                                   qMax(m_view->fontMetrics().averageCharWidth() * 13,
                                        m_view->horizontalHeader()->sectionSizeHint(column) + kSpace));
    }
    const bool empty = m_model->rowCount() == 0;
    m_view->setVisible(!empty);
    m_filter->setVisible(!empty);
    m_empty->setVisible(empty);
    updateCount();
}

void TablePage::updateCount()
{
    const int shown = m_proxy->rowCount();
    const int all = m_model->rowCount();
    if (all == 0)
        m_count->clear();
    else if (shown == all)
        m_count->setText(tr("%1 names").arg(countText(static_cast<std::uint64_t>(all))));
    else
        m_count->setText(
            tr("%1 of %2 names")
                .arg(countText(static_cast<std::uint64_t>(shown)), countText(static_cast<std::uint64_t>(all))));
}

} // namespace tuneline::ui
