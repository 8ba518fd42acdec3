// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about the selected event: its fields, the chain from the operators to the device record, and its arguments
// as the file has them. GUI thread; the file is read by a job.
#pragma once

#include "ui/jobs/job.h"
#include "ui/models/viewstate.h"

#include "analysis/trace/trace.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QSplitter;
class QTableView;

namespace tuneline::ui {

class ElidedLabel;
class EventListModel;
class FieldModel;

class SelectionPage : public QWidget
{
    Q_OBJECT
public:
    explicit SelectionPage(QWidget *parent = nullptr);
    void setTrace(analysis::TracePtr trace);
    void setViewState(ViewState *state); // follows its selection

signals:
    void eventActivated(tuneline::analysis::EventId event); // in the chain

private:
    void describe(analysis::EventId event);
    void loadArguments(analysis::EventId event);

    analysis::TracePtr m_trace;
    QPointer<ViewState> m_view;
    Job m_arguments;
    ElidedLabel *m_name;
    QLabel *m_kind;
    QLabel *m_empty;
    QWidget *m_content;
    FieldModel *m_fields;
    QTableView *m_fieldView;
    EventListModel *m_chain;
    QTableView *m_chainView;
    QPlainTextEdit *m_args;
};

// The events that belong to one story: enclosing operators (outermost first), the launch call, the device records. At
// most `limit` device records. Pure.
[[nodiscard]] std::vector<analysis::EventId> launchChain(const analysis::Trace &trace, analysis::EventId event,
                                                         std::size_t limit = 200);

} // namespace tuneline::ui
