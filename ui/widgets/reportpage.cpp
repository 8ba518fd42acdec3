// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/reportpage.h"

#include "analysis/import/sourcetext.h"
#include "ui/models/eventtext.h"
#include "ui/models/reportmodel.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pieces.h"

#include <QHeaderView>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTextCharFormat>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

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

// Offsets mean something to a reader in one file of text; documents that follow each other in it are several sources.
bool isOneText(const analysis::Trace &trace)
{
    return std::all_of(trace.sources.begin(), trace.sources.end(), [&](const analysis::Source &source) {
        const bool text =
            source.format == analysis::SourceFormat::KinetoJson || source.format == analysis::SourceFormat::ChromeJson;
        return text && source.file == trace.sources.front().file;
    });
}

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
    , m_text(new QPlainTextEdit)
{
    m_tree->setModel(m_model);
    m_tree->setAccessibleName(tr("Problems of the import"));
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(ReportModel::Name, QHeaderView::Stretch);
    for (const int narrow : {ReportModel::Place, ReportModel::Severity, ReportModel::Count})
        m_tree->header()->setSectionResizeMode(narrow, QHeaderView::ResizeToContents); // the name needs the room
    m_text->setReadOnly(true);
    m_text->setAccessibleName(tr("The file's text at this place"));
    m_text->setPlaceholderText(tr("Choose an example to see the file's own text there."));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    setRole(m_text, "code");
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &ReportPage::showPlace);
    auto *split = new QSplitter(Qt::Horizontal);
    split->addWidget(m_tree);
    split->addWidget(m_text);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *top = new QVBoxLayout;
    top->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    top->addWidget(m_summary);
    column->addLayout(top);
    column->addWidget(split, 1);
    column->addStretch();
}

// The lines around the chosen example, its own beginning marked.
void ReportPage::showPlace()
{
    constexpr std::size_t kBefore = 300, kAfter = 1200;
    m_text->clear();
    const analysis::ProblemExample *example = m_model->exampleAt(m_tree->currentIndex());
    if (example == nullptr || example->offset < 0 || !isOneText(*m_trace))
        return;
    const auto offset = static_cast<std::uint64_t>(example->offset);
    std::uint64_t begins = 0;
    const std::string text = analysis::sourceText(m_trace->sources.front().file, offset, kBefore, kAfter, &begins);
    if (text.empty()) {
        m_text->setPlainText(tr("The file isn't there any more, or it ends before this place."));
        return;
    }
    const auto at = static_cast<std::size_t>(offset - begins);
    const QString before = QString::fromUtf8(text.data(), static_cast<qsizetype>(std::min(at, text.size())));
    const QString from =
        at < text.size() ? QString::fromUtf8(text.data() + at, static_cast<qsizetype>(text.size() - at)) : QString();
    m_text->setPlainText(before + from);
    QTextCursor cursor(m_text->document());
    cursor.setPosition(static_cast<int>(before.size()));
    m_text->setTextCursor(cursor);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    QTextEdit::ExtraSelection mark;
    mark.cursor = cursor;
    mark.format.setBackground(palette().highlight());
    mark.format.setForeground(palette().highlightedText());
    m_text->setExtraSelections({mark});
    m_text->centerCursor();
}

void ReportPage::setTrace(const analysis::TracePtr &trace)
{
    m_trace = trace;
    m_model->setTrace(trace);
    m_text->clear();
    const ImportSummary summary = trace ? importSummary(trace->report) : ImportSummary{};
    m_tree->parentWidget()->setVisible(!summary.clean());
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
    m_tree->setColumnWidth(ReportModel::Place, 190);
    m_tree->setColumnWidth(ReportModel::Severity, 110);
    m_tree->setColumnWidth(ReportModel::Count, 90);
}

} // namespace tuneline::ui
