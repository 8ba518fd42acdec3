// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs side by side: the verdict, two timelines aligned by step that move together, metrics, bars, operators,
// findings and the ledger. GUI thread.
#pragma once

#include "analysis/compare/ledger.h"
#include "ui/compare/comparedocument.h"
#include "ui/models/viewstate.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QSortFilterProxyModel;
class QTabWidget;
class QTableView;

namespace tuneline::ui {

class Banner;
class BeforeAfterChart;
class FindingsDiff;
class LedgerModel;
class MetricsModel;
class OpChangeModel;
class StepAligner;
class TimelineWidget;
class VerdictBar;

class ComparePage : public QWidget
{
    Q_OBJECT
public:
    explicit ComparePage(QWidget *parent = nullptr);
    ~ComparePage() override;

    void setLedger(analysis::Ledger ledger) { m_ledger = std::move(ledger); }
    void setDocument(const CompareDocument &document); // compared
    void clear();

    [[nodiscard]] ViewState *beforeState() { return &m_beforeView; }
    [[nodiscard]] ViewState *afterState() { return &m_afterView; }
    [[nodiscard]] TimelineWidget *beforeTimeline() const { return m_before; }
    [[nodiscard]] TimelineWidget *afterTimeline() const { return m_after; }
    [[nodiscard]] VerdictBar *verdict() const { return m_verdict; }
    [[nodiscard]] QTabWidget *tabs() const { return m_tabs; }

private:
    [[nodiscard]] QWidget *makeTimelines();
    [[nodiscard]] QWidget *makeStepBar();
    [[nodiscard]] QTableView *makeTable(QAbstractItemModel *model, const QString &name);
    void buildTabs();
    void showBars(const analysis::Comparison &comparison);
    void recordInLedger();
    void decide(analysis::Decision decision);
    void reloadLedger();
    void showStepLabel(int index);

    CompareDocument m_document;
    ViewState m_beforeView, m_afterView;
    StepAligner *m_aligner;
    analysis::Ledger m_ledger;
    analysis::LedgerEntry m_entry;

    VerdictBar *m_verdict;
    TimelineWidget *m_before;
    TimelineWidget *m_after;
    QLabel *m_step;
    QCheckBox *m_together;
    FindingsDiff *m_findings;
    QTabWidget *m_tabs;
    MetricsModel *m_metrics;
    BeforeAfterChart *m_bars;
    OpChangeModel *m_ops;
    LedgerModel *m_ledgerModel;
    Banner *m_ledgerProblem;
};

} // namespace tuneline::ui
