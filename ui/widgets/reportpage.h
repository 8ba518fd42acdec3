// SPDX-License-Identifier: GPL-3.0-or-later
// What was wrong with the file: each kind of problem with severity, count and examples (line, byte), the file's own
// text around a chosen example, or the plain word that nothing was wrong. GUI thread.
#pragma once

#include "analysis/trace/trace.h"

#include <QWidget>

class QPlainTextEdit;
class QTreeView;

namespace tuneline::ui {

class Banner;
class ReportModel;

class ReportPage : public QWidget
{
    Q_OBJECT
public:
    explicit ReportPage(QWidget *parent = nullptr);
    void setTrace(const analysis::TracePtr &trace); // null: empty

private:
    void showPlace();

    analysis::TracePtr m_trace;
    Banner *m_summary;
    ReportModel *m_model;
    QTreeView *m_tree;
    QPlainTextEdit *m_text;
};

struct ImportSummary
{
    std::uint64_t lost = 0, repaired = 0, notes = 0; // by severity: data loss, warning, info
    [[nodiscard]] bool clean() const { return lost + repaired + notes == 0; }
};
[[nodiscard]] ImportSummary importSummary(const analysis::ImportReport &report);
[[nodiscard]] QString importStatusText(const ImportSummary &summary); // "Import: 3 lost, 12 repaired"

} // namespace tuneline::ui
