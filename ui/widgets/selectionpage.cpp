// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/selectionpage.h"

#include "ui/models/eventlistmodel.h"
#include "ui/models/fieldmodel.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tuneline::ui {

using analysis::EventId;
using analysis::Trace;

std::vector<EventId> launchChain(const Trace &trace, EventId event, std::size_t limit)
{
    const bool onDevice = analysis::isDeviceWork(trace.kind(event));
    const EventId host = onDevice ? trace.events.launch[event.value] : event;
    std::vector<EventId> chain;
    for (EventId e = host; e.valid(); e = trace.events.parent[e.value])
        chain.push_back(e);
    std::reverse(chain.begin(), chain.end());
    if (onDevice) {
        chain.push_back(event);
        return chain;
    }
    for (const EventId record :
         trace.deviceRecordsOf(event).first(std::min(limit, trace.deviceRecordsOf(event).size())))
        chain.push_back(record);
    return chain;
}

namespace {

QTableView *makeTable(QAbstractItemModel *model, const QString &name)
{
    auto *view = new QTableView;
    view->setModel(model);
    view->setAccessibleName(name);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 4);
    view->horizontalHeader()->setHighlightSections(false);
    return view;
}

QWidget *withHeading(const QString &title, QWidget *content)
{
    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    QLabel *heading = makeLabel(title, TextRole::Caption, "muted");
    heading->setContentsMargins(kSpace / 2, 0, 0, 0);
    column->addWidget(heading);
    column->addWidget(content, 1);
    return box;
}

} // namespace

SelectionPage::SelectionPage(QWidget *parent)
    : QWidget(parent)
    , m_name(new ElidedLabel)
    , m_kind(makePill({}))
    , m_empty(
          makeWrapped(tr("Nothing is selected. Click an event in the timeline, or step through a finding's evidence."),
                      TextRole::Body, "muted"))
    , m_content(new QWidget)
    , m_fields(new FieldModel(this))
    , m_fieldView(makeTable(m_fields, tr("Details of the selected event")))
    , m_chain(new EventListModel(this))
    , m_chainView(makeTable(m_chain, tr("From operator to device record")))
    , m_args(new QPlainTextEdit)
{
    m_name->setFont(Theme::font(TextRole::Strong));
    m_fieldView->horizontalHeader()->hide();
    m_fieldView->horizontalHeader()->setStretchLastSection(true);
    m_chainView->horizontalHeader()->setStretchLastSection(false);
    m_chainView->horizontalHeader()->setSectionResizeMode(EventListModel::Name, QHeaderView::Stretch);
    m_chainView->setColumnHidden(EventListModel::LaneColumn, true);
    m_chainView->setColumnHidden(EventListModel::Start, true);
    m_chainView->setToolTip(tr("Double click: show it in the timeline"));
    m_args->setReadOnly(true);
    m_args->setFont(Theme::font(TextRole::Mono));
    m_args->setProperty("role", "code");
    m_args->setAccessibleName(tr("Arguments as the file has them"));
    m_empty->setAlignment(Qt::AlignCenter);

    auto *panes = new QSplitter(Qt::Horizontal);
    panes->addWidget(withHeading(tr("Details"), m_fieldView));
    panes->addWidget(withHeading(tr("From operator to device"), m_chainView));
    panes->addWidget(withHeading(tr("Arguments in the file"), m_args));
    panes->setHandleWidth(1);
    panes->setSizes({380, 420, 300});
    panes->setChildrenCollapsible(false);
    auto *top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpace / 2, kSpace, 0);
    top->addWidget(m_kind);
    top->addWidget(m_name, 1);
    auto *content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(kSpace / 2);
    content->addLayout(top);
    content->addWidget(panes, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_empty);
    column->addWidget(m_content);
    connect(m_chainView, &QTableView::activated, this,
            [this](const QModelIndex &index) { emit eventActivated(m_chain->eventAt(index)); });
    describe({});
}

void SelectionPage::setTrace(analysis::TracePtr trace)
{
    m_trace = std::move(trace);
    describe({});
}

void SelectionPage::setViewState(ViewState *state)
{
    m_view = state;
    connect(state, &ViewState::selectionChanged, this, &SelectionPage::describe);
}

void SelectionPage::describe(EventId event)
{
    const bool any = m_trace && event.valid() && event.value < m_trace->events.size();
    m_empty->setVisible(!any);
    m_content->setVisible(any);
    m_arguments.cancel();
    if (!any)
        return;
    m_name->setText(fullName(m_trace->name(event)));
    m_kind->setText(kindText(m_trace->kind(event)));
    m_fields->setFields(eventFields(*m_trace, event));
    m_fieldView->resizeColumnToContents(0);
    std::vector<EventId> chain = launchChain(*m_trace, event);
    const auto self = std::find(chain.begin(), chain.end(), event);
    const int row = static_cast<int>(self - chain.begin());
    m_chain->setEvents(m_trace, std::move(chain));
    m_chainView->selectRow(row);
    for (const int column : {EventListModel::Kind, EventListModel::Duration})
        m_chainView->resizeColumnToContents(column);
    loadArguments(event);
}

void SelectionPage::loadArguments(EventId event)
{
    m_args->setPlainText({});
    m_args->setPlaceholderText(tr("…"));
    m_arguments.start<std::string>(
        [trace = m_trace, event](analysis::Progress &) -> analysis::Result<std::shared_ptr<const std::string>> {
            return std::make_shared<const std::string>(trace->argsText(event));
        },
        [this](const analysis::Result<std::shared_ptr<const std::string>> &text) {
            m_args->setPlaceholderText(tr("none"));
            m_args->setPlainText(QString::fromStdString(**text));
        });
}

} // namespace tuneline::ui
