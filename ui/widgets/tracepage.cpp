// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tracepage.h"

#include "ui/advisor/advisorpanel.h"
#include "ui/advisor/whatifpanel.h"
#include "ui/charts/stepchart.h"
#include "ui/charts/timechart.h"
#include "ui/timeline/timelinewidget.h"
#include "ui/widgets/metricsheader.h"
#include "ui/widgets/pieces.h"
#include "ui/widgets/preferences.h"
#include "ui/widgets/ranksmodel.h"
#include "ui/widgets/reportpage.h"
#include "ui/widgets/selectionpage.h"
#include "ui/widgets/tablepage.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tuneline::ui {

using analysis::EventId;

namespace {
constexpr int kAdvisorWidth = 390; // px, first time
constexpr int kTablesHeight = 230;
constexpr double kEvidenceMargin = 1.2; // evidence is shown with this many times its length on each side
} // namespace

TracePage::TracePage(QWidget *parent)
    : QWidget(parent)
    , m_header(new MetricsHeader)
    , m_timeline(new TimelineWidget)
    , m_advisor(new AdvisorPanel)
    , m_tabs(new QTabWidget)
    , m_selection(new SelectionPage)
    , m_whatIf(new WhatIfPanel)
    , m_ranks(new RanksModel(this))
    , m_ranksPage(makeRanksPage())
    , m_steps(new StepChart)
    , m_report(new ReportPage)
    , m_columns(new QSplitter(Qt::Horizontal))
    , m_rows(new QSplitter(Qt::Vertical))
{
    m_timeline->setViewState(&m_view);
    buildTabs();
    m_rows->addWidget(m_timeline);
    m_rows->addWidget(m_tabs);
    m_rows->setStretchFactor(0, 1);
    m_advisorSide = makeAdvisorSide();
    m_columns->addWidget(m_rows);
    m_columns->addWidget(m_advisorSide);
    m_columns->setStretchFactor(0, 1);
    for (QSplitter *splitter : {m_columns, m_rows}) {
        splitter->setHandleWidth(1);
        splitter->setChildrenCollapsible(false);
    }
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_columns, 1);
    connectParts();
    restoreLayout();
    clear();
}

TracePage::~TracePage()
{
    saveLayout();
    m_timeline->setViewState(nullptr); // ours dies before the widgets do
}

QWidget *TracePage::makeAdvisorSide()
{
    auto *head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Advisor"), TextRole::Strong));
    head->addStretch();
    QFrame *bar = makeFrame("panelhead", head, kSpace);
    head->setContentsMargins(kSpace + 2, kSpace - 2, kSpace, kSpace - 2);
    auto *side = new QWidget;
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_advisor, 1);
    side->setMinimumWidth(300);
    return side;
}

void TracePage::addTable(TablePage *page, const QString &title)
{
    m_tables.append(page);
    m_tabs->addTab(page, title);
    connect(page, &TablePage::nameActivated, this, [this](const QString &name) {
        m_timeline->showFindBar();
        m_timeline->find(name);
        m_timeline->findNext();
    });
}

QWidget *TracePage::makeRanksPage()
{
    auto *view = new QTableView;
    view->setModel(m_ranks);
    view->setAccessibleName(tr("Ranks"));
    view->setShowGrid(false);
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 6);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setStretchLastSection(true);
    for (int column = 0; column < RanksModel::File; ++column)
        view->setColumnWidth(column, view->fontMetrics().averageCharWidth() * 20);
    return view;
}

void TracePage::buildTabs()
{
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumHeight(120);
    m_tabs->addTab(m_selection, tr("Selection"));
    addTable(new TablePage(TableKind::Operators, tr("This trace has no operators.")), tr("Operators"));
    addTable(new TablePage(TableKind::Kernels, tr("No kernels: there is no device work in this trace.")),
             tr("Kernels"));
    addTable(new TablePage(TableKind::ApiCalls, tr("No CUDA calls in this trace.")), tr("API calls"));
    addTable(new TablePage(TableKind::Scopes,
                           tr("No scopes: mark parts of the step with tuneline/marks.h, NVTX or record_function.")),
             tr("Scopes"));
    m_tabs->addTab(m_whatIf, tr("What if"));
    m_tabs->addTab(m_steps, tr("Steps"));
    auto *utilisation = new QWidget;
    auto *row = new QHBoxLayout(utilisation);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const auto content :
         {TimeChart::Content::DeviceUtilisation, TimeChart::Content::CpuUtilisation, TimeChart::Content::Memory}) {
        auto *chart = new TimeChart(content);
        chart->setViewState(&m_view);
        m_charts.append(chart);
    }
    row->addWidget(m_charts[0]);
    row->addWidget(m_charts[1]);
    m_tabs->addTab(utilisation, tr("Utilisation"));
    m_tabs->addTab(m_charts[2], tr("Memory"));
    m_tabs->addTab(m_ranksPage, tr("Ranks"));
    m_tabs->addTab(m_report, tr("Import"));
    m_tabs->setCurrentIndex(1); // a table, until something is selected
}

void TracePage::connectParts()
{
    m_selection->setViewState(&m_view);
    m_whatIf->setViewState(&m_view);
    connect(m_whatIf, &WhatIfPanel::stepStartChosen, this, &TracePage::stepStartChosen);
    m_steps->setViewState(&m_view);
    connect(m_timeline, &TimelineWidget::eventSelected, this, [this](EventId event) {
        if (event.valid())
            showSelection();
    });
    connect(m_selection, &SelectionPage::eventActivated, this, [this](EventId event) {
        m_view.select(event);
        m_timeline->ensureVisible(event);
    });
    connect(m_advisor, &AdvisorPanel::evidenceShown, this, &TracePage::showEvidence);
    connect(m_advisor, &AdvisorPanel::recaptureRequested, this, &TracePage::recaptureRequested);
}

void TracePage::clear()
{
    m_document = {};
    m_timeline->setTrace({}, {});
    m_timeline->setEmptyText(tr("No trace is open"));
    m_selection->setTrace({});
    m_whatIf->setAnalysis({});
    m_report->setTrace({});
    m_advisor->showWaiting(tr("Open a trace first."));
}

void TracePage::setDocument(const Document &document)
{
    m_document = document;
    m_timeline->setTrace(document.trace, document.lod);
    m_selection->setTrace(document.trace);
    m_whatIf->setAnalysis({});
    m_report->setTrace(document.trace);
    for (TablePage *table : m_tables)
        table->setAnalysis({});
    m_ranks->setAnalysis({});
    m_tabs->setTabVisible(m_tabs->indexOf(m_ranksPage), false);
    m_steps->setData({});
    for (TimeChart *chart : m_charts)
        chart->setData({});
    const ImportSummary summary = importSummary(document.trace->report);
    const int tab = m_tabs->indexOf(m_report);
    m_tabs->setTabText(
        tab, summary.clean() ? tr("Import") : tr("Import (%1)").arg(document.trace->report.problems().size()));
    m_advisor->showWaiting(tr("Analysing: the advice comes when steps, idle causes and replay are done."));
    setAnalysisProgress(0, tr("Analysing"));
}

void TracePage::setAnalysisProgress(int permille, const QString &stage)
{
    m_header->showProgress(permille, stage);
}

void TracePage::setAnalysisProblem(const analysis::Error &error)
{
    m_header->showProblem(QString::fromStdString(error.message));
    m_advisor->showWaiting(tr("No advice: %1").arg(QString::fromStdString(error.message)));
}

void TracePage::setAnalysed(const Document &document)
{
    m_document = document;
    m_timeline->setAnalysis(document.analysis);
    m_header->setDocument(document);
    m_advisor->setDocument(document);
    m_whatIf->setAnalysis(document.analysis);
    for (TablePage *table : m_tables)
        table->setAnalysis(document.analysis);
    m_ranks->setAnalysis(document.analysis);
    m_tabs->setTabVisible(m_tabs->indexOf(m_ranksPage), m_ranks->rowCount() > 1);
    m_steps->setData(document.charts);
    for (TimeChart *chart : m_charts)
        chart->setData(document.charts);
}

void TracePage::showReport()
{
    m_tabs->setCurrentWidget(m_report);
}

void TracePage::showSelection()
{
    m_tabs->setCurrentWidget(m_selection);
}

void TracePage::setAdvisorVisible(bool visible)
{
    m_advisorSide->setVisible(visible);
}

void TracePage::setTablesVisible(bool visible)
{
    m_tabs->setVisible(visible);
}

void TracePage::showEvidence(const analysis::Evidence &evidence)
{
    const auto around = static_cast<std::int64_t>(static_cast<double>(std::max<std::int64_t>(evidence.duration, 1000))
                                                  * kEvidenceMargin);
    m_view.mark(TimeRange{evidence.start, evidence.start + evidence.duration});
    m_view.setRange({evidence.start - around, evidence.start + evidence.duration + around});
    m_view.select(evidence.event);
    if (evidence.event.valid()) {
        m_timeline->setHighlights({evidence.event});
        m_timeline->ensureVisible(evidence.event);
    } else {
        m_timeline->setHighlights({});
    }
}

void TracePage::restoreLayout()
{
    if (!m_columns->restoreState(preferences::bytes("layout/columns")))
        m_columns->setSizes({10000, kAdvisorWidth});
    if (!m_rows->restoreState(preferences::bytes("layout/rows")))
        m_rows->setSizes({10000, kTablesHeight});
    m_columns->setHandleWidth(1);
    m_rows->setHandleWidth(1);
}

void TracePage::saveLayout() const
{
    preferences::setBytes("layout/columns", m_columns->saveState());
    preferences::setBytes("layout/rows", m_rows->saveState());
}

} // namespace tuneline::ui
