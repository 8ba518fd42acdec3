// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/statusline.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"
#include "ui/widgets/reportpage.h"

namespace tuneline::ui {

namespace {

QString captureText(const analysis::Source &source)
{
    QStringList parts;
    if (source.capture.slowdown)
        parts << StatusLine::tr("capture slow-down %1").arg(changeText(*source.capture.slowdown - 1));
    if (source.capture.dropped > 0)
        parts << StatusLine::tr("%1 records dropped").arg(countText(source.capture.dropped));
    if (!source.capture.complete)
        parts << StatusLine::tr("capture was cut short");
    return parts.join(" · ");
}

} // namespace

StatusLine::StatusLine(QWidget *parent)
    : QStatusBar(parent)
    , m_file(makeLabel({}))
    , m_events(makeLabel({}, TextRole::Body, "muted"))
    , m_import(new QToolButton)
    , m_capture(makeLabel({}, TextRole::Body, "muted"))
    , m_activity(makeLabel({}, TextRole::Body, "muted"))
{
    setSizeGripEnabled(false);
    m_import->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_import->setIconSize({13, 13});
    m_import->setToolTip(tr("What was dropped or repaired while reading"));
    m_file->setContentsMargins(kSpace / 2, 0, kSpace, 0);
    m_events->setContentsMargins(0, 0, kSpace, 0);
    m_capture->setContentsMargins(kSpace, 0, kSpace, 0);
    addWidget(m_file);
    addWidget(m_events);
    addWidget(m_import);
    addWidget(m_capture);
    addPermanentWidget(m_activity);
    connect(m_import, &QToolButton::clicked, this, &StatusLine::reportRequested);
    showNothing();
}

void StatusLine::showNothing()
{
    showText({});
}

void StatusLine::showText(const QString &text)
{
    m_file->setText(text);
    m_events->clear();
    m_capture->clear();
    m_import->hide();
    m_activity->clear();
}

void StatusLine::showDocument(const Document &document)
{
    const analysis::Trace &trace = *document.trace;
    m_file->setText(document.title());
    m_file->setToolTip(document.files.join('\n'));
    m_events->setText(
        tr("%1 events · %2").arg(countText(trace.events.size()), durationText(trace.spanEnd - trace.spanBegin)));
    const ImportSummary summary = importSummary(trace.report);
    m_import->setText(' ' + importStatusText(summary)); // Qt leaves too little room behind an icon
    if (summary.lost > 0)
        m_import->setIcon(icon("warning", IconTone::Warn));
    else
        m_import->setIcon(summary.clean() ? icon("check", IconTone::Good) : icon("info", IconTone::Muted));
    m_import->show();
    m_capture->setText(trace.sources.empty() ? QString() : captureText(trace.sources.front()));
}

void StatusLine::showActivity(const QString &text)
{
    m_activity->setText(text);
}

} // namespace tuneline::ui
