// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/reportpage.h"

#include "ui/models/eventtext.h"
#include "ui/models/reportmodel.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pieces.h"

#include <QHeaderView>
#include <QTreeView>
#include <QVBoxLayout>

namespace tuneline::ui {

using analysis::Severity;

ImportSummary importSummary(const analysis::ImportReport &report)
{
    ImportSummary summary;
    for (const analysis::Problem &problem : report.problems()) {
        if (problem.severity == Severity::DataLoss)
            summary.lost += problem.count;
        else if (problem.severity == Severity::Warning)
            summary.repaired += problem.count;
        else
            summary.notes += problem.count;
    }
    return summary;
}

namespace {

QString plainSummary(const ImportSummary &summary)
{
    QStringList parts;
    if (summary.lost > 0)
        parts << ReportPage::tr("%1 lost").arg(countText(summary.lost));
    if (summary.repaired > 0)
        parts << ReportPage::tr("%1 repaired or doubtful").arg(countText(summary.repaired));
    if (summary.notes > 0)
        parts << ReportPage::tr("%1 notes").arg(countText(summary.notes));
    return parts.join(", ");
}

} // namespace

QString importStatusText(const ImportSummary &summary)
{
    return summary.clean() ? ReportPage::tr("Import: nothing wrong")
                           : ReportPage::tr("Import: %1").arg(plainSummary(summary));
}

ReportPage::ReportPage(QWidget *parent)
    : QWidget(parent)
    , m_summary(new Banner)
    , m_model(new ReportModel(this))
    , m_tree(new QTreeView)
{
    m_tree->setModel(m_model);
    m_tree->setAccessibleName(tr("Problems of the import"));
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(ReportModel::Name, QHeaderView::Stretch);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *top = new QVBoxLayout;
    top->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    top->addWidget(m_summary);
    column->addLayout(top);
    column->addWidget(m_tree, 1);
    column->addStretch();
}

void ReportPage::setTrace(const analysis::TracePtr &trace)
{
    m_model->setTrace(trace);
    const ImportSummary summary = trace ? importSummary(trace->report) : ImportSummary{};
    m_tree->setVisible(!summary.clean());
    if (summary.clean())
        m_summary->show(BannerKind::Good, tr("Nothing was wrong with this file"),
                        tr("Every record was read as it stands; none was dropped or repaired."));
    else if (summary.lost > 0)
        m_summary->show(BannerKind::Warning, tr("Something was lost: %1").arg(plainSummary(summary)),
                        tr("What is shown is complete except for the records listed here."));
    else
        m_summary->show(BannerKind::Info, tr("Nothing was lost: %1").arg(plainSummary(summary)),
                        tr("Each repair is listed with its place in the file."));
    m_tree->expandToDepth(0);
    m_tree->setColumnWidth(ReportModel::Severity, 130);
    m_tree->setColumnWidth(ReportModel::Count, 90);
}

} // namespace tuneline::ui
