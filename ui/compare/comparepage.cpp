// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/comparepage.h"

#include "ui/charts/beforeafterchart.h"
#include "ui/compare/findingsdiff.h"
#include "ui/compare/ledgermodel.h"
#include "ui/compare/metricsmodel.h"
#include "ui/compare/opchangemodel.h"
#include "ui/compare/stepaligner.h"
#include "ui/compare/verdictbar.h"
#include "ui/timeline/timelinewidget.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pieces.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {
constexpr int kFindingsWidth = 360; // px, first time
constexpr int kTablesHeight = 200;
constexpr int kTimelineHeight = 90; // at least: ruler, steps and a few lanes
} // namespace

ComparePage::ComparePage(QWidget *parent)
    : QWidget(parent)
    , m_aligner(new StepAligner(&m_beforeView, &m_afterView, this))
    , m_verdict(new VerdictBar)
    , m_before(new TimelineWidget)
    , m_after(new TimelineWidget)
    , m_step(makeLabel({}))
    , m_together(new QCheckBox(tr("Move together")))
    , m_findings(new FindingsDiff)
    , m_tabs(new QTabWidget)
    , m_metrics(new MetricsModel(this))
    , m_bars(new BeforeAfterChart)
    , m_ops(new OpChangeModel(this))
    , m_ledgerModel(new LedgerModel(this))
    , m_ledgerProblem(new Banner)
{
    buildTabs();
    auto *rows = new QSplitter(Qt::Vertical);
    rows->addWidget(makeTimelines());
    rows->addWidget(m_tabs);
    rows->setStretchFactor(0, 1);
    rows->setSizes({10000, kTablesHeight});
    auto *columns = new QSplitter(Qt::Horizontal);
    columns->addWidget(rows);
    columns->addWidget(m_findings);
    columns->setStretchFactor(0, 1);
    columns->setSizes({10000, kFindingsWidth});
    columns->setMinimumHeight(kTimelineHeight * 4); // a splitter asks for its children's hints, not their minimum
    for (QSplitter *splitter : {rows, columns}) {
        splitter->setHandleWidth(1);
        splitter->setChildrenCollapsible(false);
    }
    auto *top = new QVBoxLayout;
    top->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    top->addWidget(m_verdict);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(top);
    column->addWidget(makeLine());
    column->addWidget(columns, 1);
    connect(m_verdict, &VerdictBar::kept, this, [this] { decide(analysis::Decision::Kept); });
    connect(m_verdict, &VerdictBar::discarded, this, [this] { decide(analysis::Decision::Discarded); });
    connect(m_aligner, &StepAligner::currentChanged, this, &ComparePage::showStepLabel);
}

ComparePage::~ComparePage()
{
    m_before->setViewState(nullptr); // ours die before the widgets do
    m_after->setViewState(nullptr);
}

QWidget *ComparePage::makeTimelines()
{
    m_before->setViewState(&m_beforeView);
    m_after->setViewState(&m_afterView);
    m_before->setCompact(true);
    m_after->setCompact(true);
    m_before->setMinimumHeight(kTimelineHeight);
    m_after->setMinimumHeight(kTimelineHeight);
    auto *stack = new QSplitter(Qt::Vertical);
    stack->addWidget(m_before);
    stack->addWidget(m_after);
    stack->setHandleWidth(3);
    stack->setChildrenCollapsible(false);
    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeStepBar());
    column->addWidget(stack, 1);
    return box;
}

QWidget *ComparePage::makeStepBar()
{
    QToolButton *previous = makeToolButton("previous", tr("Previous pair of steps"));
    QToolButton *next = makeToolButton("next", tr("Next pair of steps"));
    m_together->setChecked(true);
    m_together->setToolTip(tr("Zoom and pan both timelines, with matching steps above each other"));
    auto *row = new QHBoxLayout;
    row->setSpacing(kSpace / 2);
    row->addWidget(previous);
    row->addWidget(m_step);
    row->addWidget(next);
    row->addStretch();
    row->addWidget(m_together);
    QFrame *bar = makeFrame("panelhead", row, 0);
    row->setContentsMargins(kSpace, 3, kSpace, 3);
    connect(previous, &QToolButton::clicked, this, [this] { m_aligner->showStep(m_aligner->current() - 1); });
    connect(next, &QToolButton::clicked, this, [this] { m_aligner->showStep(m_aligner->current() + 1); });
    connect(m_together, &QCheckBox::toggled, m_aligner, &StepAligner::setEnabled);
    return bar;
}

QTableView *ComparePage::makeTable(QAbstractItemModel *model, const QString &name)
{
    auto *view = new QTableView;
    view->setModel(model);
    view->setAccessibleName(name);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 6);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setStretchLastSection(true);
    return view;
}

void ComparePage::buildTabs()
{
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumHeight(120);
    QTableView *metrics = makeTable(m_metrics, tr("Metrics"));
    metrics->setColumnWidth(MetricsModel::Name, 230);
    metrics->setColumnWidth(MetricsModel::Interval, 150);
    m_tabs->addTab(metrics, tr("Metrics"));
    m_tabs->addTab(m_bars, tr("Bars"));

    auto *sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_ops);
    sorted->setSortRole(OpChangeModel::SortRole);
    QTableView *ops = makeTable(sorted, tr("Operators and kernels"));
    ops->setSortingEnabled(true);
    ops->sortByColumn(OpChangeModel::Change, Qt::DescendingOrder);
    ops->horizontalHeader()->setStretchLastSection(false);
    ops->horizontalHeader()->setSectionResizeMode(OpChangeModel::Name, QHeaderView::Stretch);
    m_tabs->addTab(ops, tr("Operators and kernels"));

    auto *ledger = new QWidget;
    auto *column = new QVBoxLayout(ledger);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_ledgerProblem);
    QTableView *entries = makeTable(m_ledgerModel, tr("Ledger"));
    entries->setColumnWidth(LedgerModel::When, 130);
    entries->setColumnWidth(LedgerModel::Change, 200);
    column->addWidget(entries, 1);
    m_tabs->addTab(ledger, tr("Ledger"));
}

void ComparePage::setDocument(const CompareDocument &document)
{
    m_document = document;
    const analysis::Comparison &comparison = document.result->comparison;
    m_before->setTrace(document.before.trace, document.before.lod, document.before.analysis);
    m_after->setTrace(document.after.trace, document.after.lod, document.after.analysis);
    m_before->setTitle(tr("before · %1").arg(document.before.title()));
    m_after->setTitle(tr("after · %1").arg(document.after.title()));
    m_aligner->setSteps(document.before.analysis->stepSet(), document.result->alignment);
    m_verdict->setComparison(comparison);
    m_findings->setComparison(comparison);
    m_metrics->setResult(document.result);
    m_ops->setResult(document.result);
    showBars(comparison);
    recordInLedger();
}

void ComparePage::clear()
{
    m_document = {};
    m_before->setTrace({}, {});
    m_after->setTrace({}, {});
}

void ComparePage::showBars(const analysis::Comparison &comparison)
{
    std::vector<BeforeAfterBar> bars;
    for (const analysis::MetricChange &metric : comparison.metrics) {
        if (!metric.before || !metric.after || *metric.before <= 0)
            continue; // no bar is relative to nothing
        BeforeAfterBar bar;
        bar.name = QString::fromStdString(metric.label.empty() ? metric.name : metric.label);
        bar.before = *metric.before;
        bar.after = *metric.after;
        bar.beforeText = metricText(metric, metric.before);
        bar.afterText = metricText(metric, metric.after);
        if (metric.unit != "ratio") { // of shares the interval is a difference, not a ratio
            bar.low = metric.ciLow;
            bar.high = metric.ciHigh;
        }
        bar.lessIsBetter = metric.lowerIsBetter;
        bars.push_back(bar);
    }
    m_bars->setEmptyText(bars.empty() ? tr("No metric is known on both sides.") : QString());
    m_bars->setBars(std::move(bars));
}

void ComparePage::recordInLedger()
{
    m_entry = analysis::ledgerEntry(m_document.result->comparison, m_document.before.files.value(0).toStdString(),
                                    m_document.after.files.value(0).toStdString());
    m_verdict->setDecision(false, false);
    const auto entries = m_ledger.read();
    bool known = false;
    if (entries) {
        for (const analysis::LedgerEntry &entry : *entries) {
            if (entry.before != m_entry.before || entry.after != m_entry.after)
                continue;
            known = true;
            m_entry.decision = entry.decision;
            m_verdict->setDecision(entry.decision != analysis::Decision::Open,
                                   entry.decision == analysis::Decision::Kept);
        }
    }
    if (!known) {
        if (const auto written = m_ledger.append(m_entry); !written)
            m_ledgerProblem->show(BannerKind::Warning, tr("The ledger can't be written"),
                                  QString::fromStdString(written.error().message));
    }
    reloadLedger();
}

void ComparePage::decide(analysis::Decision decision)
{
    const auto written = m_ledger.decide(m_entry, decision);
    if (!written) {
        m_ledgerProblem->show(BannerKind::Warning, tr("The ledger can't be written"),
                              QString::fromStdString(written.error().message));
        m_tabs->setCurrentIndex(m_tabs->count() - 1);
        return;
    }
    m_entry.decision = decision;
    m_verdict->setDecision(true, decision == analysis::Decision::Kept);
    reloadLedger();
}

void ComparePage::reloadLedger()
{
    std::size_t damaged = 0;
    auto entries = m_ledger.read(&damaged);
    if (!entries) {
        m_ledgerProblem->show(BannerKind::Warning, tr("The ledger can't be read"),
                              QString::fromStdString(entries.error().message));
        m_ledgerModel->setEntries({});
        return;
    }
    if (damaged > 0)
        m_ledgerProblem->show(BannerKind::Warning, tr("%1 lines of the ledger can't be read").arg(damaged),
                              tr("They are skipped and kept in the file."));
    m_ledgerModel->setEntries(std::move(*entries));
}

void ComparePage::showStepLabel(int index)
{
    m_step->setText(index < 0 ? tr("No steps to align: both start at 0")
                              : tr("Steps %1 of %2 above each other").arg(index + 1).arg(m_aligner->count()));
}

} // namespace tuneline::ui
