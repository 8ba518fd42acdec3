// SPDX-License-Identifier: GPL-3.0-or-later
// One opened run: metrics above, timeline in the middle, advisor at the right, tables, charts and import report below.
// Owns the loader, so a page is also what shows that it is loading. GUI thread.
#pragma once

#include "ui/jobs/loader.h"
#include "ui/models/viewstate.h"

#include <QWidget>

class QSplitter;
class QTabWidget;

namespace tuneline::ui {

class AdvisorPanel;
class MetricsHeader;
class RanksModel;
class ReportPage;
class SelectionPage;
class StepChart;
class TablePage;
class TimeChart;
class TimelineWidget;
class WhatIfPanel;

class TracePage : public QWidget
{
    Q_OBJECT
public:
    explicit TracePage(QWidget *parent = nullptr);
    ~TracePage() override;

    void setDocument(const Document &document); // trace and level of detail are there
    void setAnalysed(const Document &document); // the same document, now with the rest
    void setAnalysisProgress(int permille, const QString &stage);
    void setAnalysisProblem(const analysis::Error &error);
    void clear();

    [[nodiscard]] TimelineWidget *timeline() const { return m_timeline; }
    [[nodiscard]] AdvisorPanel *advisor() const { return m_advisor; }
    [[nodiscard]] WhatIfPanel *whatIf() const { return m_whatIf; }
    [[nodiscard]] ViewState *viewState() { return &m_view; }
    [[nodiscard]] QTabWidget *tabs() const { return m_tabs; }
    void showReport();
    void showSelection();
    void setAdvisorVisible(bool visible);
    void setTablesVisible(bool visible);
    void showEvidence(const analysis::Evidence &evidence); // moves the timeline there

signals:
    void recaptureRequested(const QString &knob);
    void stepStartChosen(tuneline::analysis::EventId event); // invalid = find the steps

private:
    void buildTabs();
    void connectParts();
    [[nodiscard]] QWidget *makeRanksPage();
    void addTable(TablePage *page, const QString &title);
    [[nodiscard]] QWidget *makeAdvisorSide();
    void restoreLayout();
    void saveLayout() const;

    ViewState m_view;
    Document m_document;
    MetricsHeader *m_header;
    TimelineWidget *m_timeline;
    AdvisorPanel *m_advisor;
    QWidget *m_advisorSide;
    QTabWidget *m_tabs;
    SelectionPage *m_selection;
    WhatIfPanel *m_whatIf;
    QList<TablePage *> m_tables;
    RanksModel *m_ranks;
    QWidget *m_ranksPage; // a tab only where there are several ranks
    StepChart *m_steps;
    QList<TimeChart *> m_charts;
    ReportPage *m_report;
    QSplitter *m_columns;
    QSplitter *m_rows;
};

} // namespace tuneline::ui
