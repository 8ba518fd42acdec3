// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/metricsheader.h"

#include "analysis/findings/stepparts.h"
#include "ui/models/eventtext.h"
#include "ui/widgets/breakdownbar.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {

QString boundText(const std::string &bound)
{
    static const QHash<QString, QString> names{{"device", MetricsHeader::tr("device")},
                                               {"host", MetricsHeader::tr("host")},
                                               {"input", MetricsHeader::tr("input")},
                                               {"sync", MetricsHeader::tr("synchronisation")}};
    return names.value(QString::fromStdString(bound), MetricsHeader::tr("unknown"));
}

QString boundNote(const analysis::StepSummary &step)
{
    if (step.bound == "device" && step.exposedCommNs > step.computeNs)
        return MetricsHeader::tr("mostly communication between ranks");
    static const QHash<QString, QString> notes{{"device", MetricsHeader::tr("the device is the bottleneck")},
                                               {"host", MetricsHeader::tr("the host can't issue work fast enough")},
                                               {"input", MetricsHeader::tr("waiting for the next batch")},
                                               {"sync", MetricsHeader::tr("waits drain the device's queue")}};
    return notes.value(QString::fromStdString(step.bound), MetricsHeader::tr("the trace doesn't say"));
}

} // namespace

MetricsHeader::MetricsHeader(QWidget *parent)
    : QFrame(parent)
    , m_waiting(new QWidget)
    , m_stage(makeLabel(tr("Analysing…"), TextRole::Body, "muted"))
    , m_progress(new QProgressBar)
    , m_content(new QWidget)
    , m_heading(makeLabel({}, TextRole::Caption, "muted"))
    , m_recurring(makeLabel({}, TextRole::Caption, "warn"))
    , m_bar(new BreakdownBar)
{
    setProperty("role", "strip");
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(220);
    auto *waiting = new QHBoxLayout(m_waiting);
    waiting->setContentsMargins(0, 0, 0, 0);
    waiting->addWidget(m_stage);
    waiting->addWidget(m_progress);
    waiting->addStretch();

    auto *row = new QHBoxLayout(m_content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kSpace * 3);
    m_step = addTile(row, tr("Step time"));
    m_bound = addTile(row, tr("Limited by"));
    m_device = addTile(row, tr("Device busy"));
    m_throughput = addTile(row, tr("Throughput"));
    auto *right = new QVBoxLayout;
    right->setSpacing(3);
    auto *headings = new QHBoxLayout;
    headings->addWidget(m_heading);
    headings->addStretch();
    headings->addWidget(m_recurring);
    right->addLayout(headings);
    right->addWidget(m_bar);
    right->addStretch();
    row->addLayout(right, 1);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(kSpace + 4, kSpace - 1, kSpace + 4, kSpace - 1);
    column->addWidget(m_waiting);
    column->addWidget(m_content);
    m_content->hide();
}

MetricsHeader::Tile MetricsHeader::addTile(QHBoxLayout *row, const QString &caption)
{
    Tile tile{new QWidget, makeLabel(caption, TextRole::Caption, "muted"), makeLabel({}, TextRole::Figure),
              makeLabel({}, TextRole::Caption, "muted")};
    auto *column = new QVBoxLayout(tile.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tile.caption);
    column->addWidget(tile.figure);
    column->addWidget(tile.note);
    column->addStretch();
    row->addWidget(tile.widget);
    return tile;
}

void MetricsHeader::setTile(const Tile &tile, const QString &figure, const QString &note, const QString &toolTip)
{
    tile.figure->setText(figure);
    tile.note->setText(note);
    tile.widget->setToolTip(toolTip);
    tile.widget->setAccessibleName(QString("%1: %2, %3").arg(tile.caption->text(), figure, note));
}

void MetricsHeader::showProgress(int permille, const QString &stage)
{
    m_content->hide();
    m_waiting->show();
    m_progress->show();
    m_stage->setText(stage + "…");
    setTone(m_stage, "muted");
    m_progress->setValue(permille);
}

void MetricsHeader::showProblem(const QString &text)
{
    m_content->hide();
    m_waiting->show();
    m_progress->hide();
    m_stage->setText(text);
    setTone(m_stage, "bad");
}

void MetricsHeader::setDocument(const Document &document)
{
    setStep(document);
    setDevice(document);
    setThroughput(*document.advice);
    m_waiting->hide();
    m_content->show();
}

void MetricsHeader::setStep(const Document &document)
{
    const analysis::StepSummary &step = document.advice->step;
    const analysis::StepSet &steps = document.analysis->stepSet();
    const bool hasSteps = step.timeNs > 0;
    if (!hasSteps) {
        setTile(m_step, tr("–"), tr("no steps found"), QString::fromStdString(steps.why));
        m_heading->setText(steps.why.empty() ? tr("No breakdown: no steps") : QString::fromStdString(steps.why));
    } else {
        setStepTile(*document.advice, QString::fromStdString(steps.why));
        m_heading->setText(document.analysis->device() ? tr("Where a step goes on the device")
                                                       : tr("Where a step goes on the training thread"));
    }
    m_bound.widget->setVisible(hasSteps);
    setTile(m_bound, boundText(step.bound), boundNote(step));
    m_bar->setVisible(hasSteps);
    m_bar->setParts(breakdownParts(step), step.timeNs);
    QStringList recurring;
    for (const auto &stall : step.recurring)
        recurring << tr("+ %1 a step: %2").arg(durationText(stall.nsPerStep), QString::fromStdString(stall.what));
    m_recurring->setText(recurring.join("   "));
    m_recurring->setToolTip(tr("Stalls that come back: their cost divided by the number of steps, beside the median"));
}

// The timeline shows the captured step, the advice speaks of the undisturbed one: where they differ, both are here.
void MetricsHeader::setStepTile(const analysis::Advice &advice, const QString &why)
{
    const QString median =
        tr("median of %1").arg(plural(advice.capture.steadySteps, tr("steady step"), tr("steady steps")));
    if (!analysis::showsBothTimes(advice.step))
        return setTile(m_step, durationText(advice.step.timeNs), median, why);
    const QString both = QString::fromStdString(analysis::stepTimesText(advice.step));
    setTile(m_step, "≈ " + durationText(advice.step.timeNs),
            tr("%1 as captured").arg(durationText(advice.step.capturedNs)), QStringList{both, median, why}.join("\n"));
}

void MetricsHeader::setDevice(const Document &document)
{
    const analysis::DeviceMetrics *device = document.analysis->device();
    if (!device) {
        setTile(m_device, tr("–"), tr("no device in this trace"), tr("The trace has no record of any device work."));
        return;
    }
    const QString saturation =
        device->saturation ? tr("%1 saturated").arg(percentText(*device->saturation)) : tr("saturation not known");
    if (!device->reliable) {
        setTile(m_device, tr("not measurable"), saturation, QString::fromStdString(device->unreliableWhy));
        return;
    }
    setTile(m_device, device->util ? percentText(*device->util) : tr("not known"), saturation,
            tr("Busy: share of the time in which anything ran on the device.\nSaturated: the same, weighted by how "
               "much of the device "
               "the running kernels can fill."));
}

void MetricsHeader::setThroughput(const analysis::Advice &advice)
{
    const auto &rate = advice.step.unitsPerSecond;
    m_throughput.widget->setVisible(rate.has_value());
    if (rate)
        setTile(m_throughput, rateText(*rate), tr("units"));
}

} // namespace tuneline::ui
