// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/monitor/capturepage.h"

#include "ui/monitor/statetrack.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pieces.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLocale>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {

constexpr int kMaxLines = 5000; // of the program's output that are kept
constexpr int kPageWidth = 860; // px, at most

QString countOf(qint64 n)
{
    return QLocale(QLocale::English).toString(n);
}

} // namespace

CapturePage::CapturePage(QWidget *parent)
    : QWidget(parent)
    , m_title(makeWrapped({}, TextRole::Heading))
    , m_track(new StateTrack)
    , m_state(makeWrapped({}, TextRole::Body, "muted"))
    , m_steps(makeLabel("–", TextRole::Figure))
    , m_records(makeLabel("–", TextRole::Figure))
    , m_dropped(makeLabel("–", TextRole::Figure))
    , m_bytes(makeLabel("–", TextRole::Figure))
    , m_problem(new Banner)
    , m_output(new QPlainTextEdit)
    , m_stop(makeButton(tr("Stop and keep"), "stop"))
    , m_leave(makeButton(tr("Abandon")))
{
    m_output->setReadOnly(true);
    m_output->setMaximumBlockCount(kMaxLines);
    m_output->setProperty("role", "code");
    m_output->setFont(Theme::font(TextRole::Mono));
    m_output->setAccessibleName(tr("Output of the program"));
    m_output->setPlaceholderText(tr("The program has printed nothing yet."));
    m_stop->setToolTip(tr("End the window now; what was recorded is kept and opened"));

    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(kSpace);
    buttons->addWidget(makeLabel(tr("Output of the program"), TextRole::Strong));
    buttons->addStretch();
    buttons->addWidget(m_leave);
    buttons->addWidget(m_stop);

    auto *column = new QVBoxLayout;
    column->setSpacing(kSpace + 4);
    column->addWidget(m_title);
    column->addWidget(m_track);
    column->addWidget(m_state);
    column->addWidget(makeFigures());
    column->addWidget(m_problem);
    column->addLayout(buttons);
    column->addWidget(m_output, 1);
    auto *middle = new QWidget;
    middle->setLayout(column);
    middle->setMaximumWidth(kPageWidth);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(kSpace * 3, kSpace * 3, kSpace * 3, kSpace * 2);
    row->addStretch(1);
    row->addWidget(middle, 20);
    row->addStretch(1);

    connect(&m_session, &CaptureSession::progressed, this, &CapturePage::onProgress);
    connect(&m_session, &CaptureSession::output, this, &CapturePage::addOutput);
    connect(&m_session, &CaptureSession::failed, this, &CapturePage::onFailed);
    connect(&m_session, &CaptureSession::captured, this, [this](const QStringList &files) { emit captured(files); });
    connect(m_stop, &QPushButton::clicked, &m_session, &CaptureSession::stop);
    connect(m_leave, &QPushButton::clicked, this, [this] {
        if (m_session.running())
            m_session.abandon();
        emit leaveRequested();
    });
}

QWidget *CapturePage::makeFigures()
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(kSpace * 3);
    grid->setVerticalSpacing(0);
    const std::pair<QString, QLabel *> figures[] = {{tr("steps in the window"), m_steps},
                                                    {tr("records"), m_records},
                                                    {tr("dropped"), m_dropped},
                                                    {tr("size"), m_bytes}};
    int column = 0;
    for (const auto &[caption, figure] : figures) {
        grid->addWidget(figure, 0, column);
        grid->addWidget(makeLabel(caption, TextRole::Caption, "muted"), 1, column);
        grid->setColumnStretch(column++, 1);
    }
    auto *box = new QVBoxLayout;
    box->addLayout(grid);
    return makeFrame("card", box, kSpace * 2 - 4);
}

void CapturePage::start(const CaptureRequest &request)
{
    m_title->setText(request.summary());
    m_output->clear();
    m_problem->setVisible(false);
    m_leave->setText(tr("Abandon"));
    m_session.start(request);
}

void CapturePage::onProgress(const CaptureProgress &progress)
{
    m_track->setState(progress.state);
    QString state = captureStateText(progress.state);
    if (progress.pid > 0)
        state += tr(" · process %1").arg(progress.pid);
    if (progress.ranks > 1)
        state += tr(" · %1 ranks").arg(progress.ranks);
    if (progress.state == CaptureState::WarmingUp)
        state += tr(" · %1 steps seen").arg(progress.stepsSeen);
    if (!progress.message.isEmpty())
        state += " · " + progress.message;
    m_state->setText(state);
    const int wanted = m_session.request().window.steps;
    m_steps->setText(wanted > 0 ? tr("%1 of %2").arg(progress.windowSteps).arg(wanted) : countOf(progress.windowSteps));
    m_records->setText(countOf(progress.records));
    m_dropped->setText(countOf(progress.dropped));
    setTone(m_dropped, progress.dropped > 0 ? "bad" : "");
    m_bytes->setText(QLocale::c().formattedDataSize(progress.bytes, 1));
    m_stop->setEnabled(progress.state >= CaptureState::WarmingUp && progress.state <= CaptureState::BaselineAfter);
}

void CapturePage::onFailed(const ServeError &error)
{
    m_problem->show(BannerKind::Error, error.message, error.advice);
    m_stop->setEnabled(false);
    m_leave->setText(tr("Back"));
    m_leave->setFocus();
}

void CapturePage::addOutput(const QString &line, bool)
{
    m_output->appendPlainText(line);
}

} // namespace tuneline::ui
