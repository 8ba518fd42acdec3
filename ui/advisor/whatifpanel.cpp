// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/whatifpanel.h"

#include "analysis/whatif/whatif.h"
#include "ui/models/eventtext.h"
#include "ui/widgets/pieces.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tuneline::ui {

using analysis::Change;
using analysis::ChangeKind;
using analysis::EventId;

namespace {

constexpr int kUnchanged = 100; // of a slider: per cent of the time now
constexpr int kMostKernels = 40;
constexpr double kShownLimit = 0.05; // smaller shares of the step are not named

QSlider *makeSlider(int least, int most, const QString &name)
{
    auto *slider = new QSlider(Qt::Horizontal);
    slider->setRange(least, most);
    slider->setValue(kUnchanged);
    slider->setPageStep(10);
    slider->setAccessibleName(name);
    slider->setMinimumWidth(160);
    return slider;
}

QString factorText(int percent)
{
    return QStringLiteral("× %1").arg(percent / 100.0, 0, 'f', 2);
}

} // namespace

WhatIfPanel::WhatIfPanel(QWidget *parent)
    : QWidget(parent)
    , m_answer(makeLabel(QString(), TextRole::Strong))
    , m_limits(makeLabel(QString()))
    , m_kernels(new QComboBox)
    , m_kernelFactor(makeSlider(5, 200, tr("Time of these kernels")))
    , m_inputFactor(makeSlider(0, 200, tr("Time to load a batch")))
    , m_kernelText(makeLabel(factorText(kUnchanged)))
    , m_inputText(makeLabel(factorText(kUnchanged)))
    , m_noWait(new QCheckBox)
    , m_startsStep(new QPushButton(tr("The selection starts a step")))
    , m_findSteps(new QPushButton(tr("Find steps automatically")))
    , m_reset(new QPushButton(tr("Reset")))
{
    m_answer->setObjectName(QStringLiteral("whatIfAnswer"));
    m_limits->setObjectName(QStringLiteral("whatIfLimits"));
    m_kernels->setAccessibleName(tr("Kernels"));
    m_kernels->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kernels->setMinimumContentsLength(24);
    buildRows();
    for (QSlider *slider : {m_kernelFactor, m_inputFactor})
        connect(slider, &QSlider::valueChanged, this, &WhatIfPanel::update);
    connect(m_kernels, &QComboBox::currentIndexChanged, this, &WhatIfPanel::update);
    connect(m_noWait, &QCheckBox::toggled, this, &WhatIfPanel::update);
    connect(m_reset, &QPushButton::clicked, this, &WhatIfPanel::reset);
    connect(m_findSteps, &QPushButton::clicked, this, [this] { emit stepStartChosen({}); });
    connect(m_startsStep, &QPushButton::clicked, this, [this] {
        if (m_event.valid())
            emit stepStartChosen(m_event);
    });
    select({});
    setAnalysis({});
}

void WhatIfPanel::buildRows()
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(2 * kSpace);
    grid->addWidget(makeLabel(tr("These kernels")), 0, 0);
    grid->addWidget(m_kernels, 0, 1);
    grid->addWidget(m_kernelFactor, 0, 2);
    grid->addWidget(m_kernelText, 0, 3);
    grid->addWidget(makeLabel(tr("Loading a batch")), 1, 0);
    grid->addWidget(m_inputFactor, 1, 2);
    grid->addWidget(m_inputText, 1, 3);
    grid->addWidget(m_noWait, 2, 0, 1, 4);
    grid->setColumnStretch(2, 1);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_reset);
    buttons->addSpacing(4 * kSpace);
    buttons->addWidget(m_startsStep);
    buttons->addWidget(m_findSteps);
    buttons->addStretch();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpace, kSpace, 2 * kSpace, kSpace);
    column->addWidget(m_answer);
    column->addWidget(m_limits);
    column->addLayout(grid);
    column->addLayout(buttons);
    column->addStretch();
    m_startsStep->setToolTip(tr("Each event of this name starts a step; the run is analysed again"));
    m_findSteps->setToolTip(tr("Marks first, then the optimizer, then what repeats"));
}

void WhatIfPanel::setAnalysis(analysis::AnalysisPtr analysis)
{
    m_analysis = std::move(analysis);
    const bool usable = m_analysis && m_analysis->whatIf && m_analysis->whatIf->usable();
    for (QWidget *w : std::initializer_list<QWidget *>{m_kernels, m_kernelFactor, m_inputFactor, m_reset})
        w->setEnabled(usable);
    m_findSteps->setEnabled(m_analysis != nullptr);
    fillKernels();
    select({});
    reset();
}

void WhatIfPanel::fillKernels()
{
    const QSignalBlocker quiet(m_kernels);
    m_kernels->clear();
    if (!m_analysis)
        return;
    m_kernels->addItem(tr("All kernels"), QString());
    for (const auto &row : m_analysis->tables.kernels) {
        if (m_kernels->count() > kMostKernels)
            break;
        const QString name = QString::fromStdString(std::string(m_analysis->trace->strings.view(row.name)));
        m_kernels->addItem(name, name);
    }
}

void WhatIfPanel::setViewState(ViewState *state)
{
    m_view = state;
    if (state)
        connect(state, &ViewState::selectionChanged, this, [this] { select(m_view->selection()); });
}

void WhatIfPanel::select(EventId event)
{
    m_event = m_analysis && event.valid() && event.value < m_analysis->trace->events.size() ? event : EventId{};
    const analysis::Trace *trace = m_analysis ? m_analysis->trace.get() : nullptr;
    m_startsStep->setEnabled(m_event.valid());
    const bool call = m_event.valid() && analysis::isApiCall(trace->kind(m_event));
    const QString name = call ? QString::fromStdString(std::string(trace->name(m_event))) : QString();
    m_noWait->setChecked(false);
    m_noWait->setEnabled(call);
    m_noWait->setText(call ? tr("%1, selected, doesn't hold the thread").arg(name)
                           : tr("No wait here: select a synchronising call in the timeline"));
}

std::vector<Change> WhatIfPanel::changes() const
{
    std::vector<Change> all;
    if (m_kernelFactor->value() != kUnchanged) {
        Change c;
        c.kind = ChangeKind::ScaleKernels;
        c.text = m_kernels->currentData().toString().toStdString();
        c.factor = m_kernelFactor->value() / 100.0;
        all.push_back(c);
    }
    if (m_inputFactor->value() != kUnchanged) {
        Change c;
        c.kind = ChangeKind::InputFaster;
        c.factor = m_inputFactor->value() / 100.0;
        all.push_back(c);
    }
    if (m_noWait->isChecked() && m_event.valid()) {
        Change c;
        c.kind = ChangeKind::DropSync;
        c.event = m_event;
        all.push_back(c);
    }
    return all;
}

void WhatIfPanel::reset()
{
    for (QSlider *slider : {m_kernelFactor, m_inputFactor}) {
        const QSignalBlocker quiet(slider);
        slider->setValue(kUnchanged);
    }
    m_noWait->setChecked(false);
    update();
}

void WhatIfPanel::update()
{
    m_kernelText->setText(factorText(m_kernelFactor->value()));
    m_inputText->setText(factorText(m_inputFactor->value()));
    const analysis::WhatIf *whatIf = m_analysis ? m_analysis->whatIf.get() : nullptr;
    if (!whatIf || !whatIf->usable()) {
        m_answer->setText(m_analysis ? tr("There are no steps to replay") : tr("The answers come with the analysis"));
        m_limits->clear();
        return;
    }
    const std::vector<Change> asked = changes();
    const analysis::WhatIfResult r = whatIf->predict(asked);
    const std::int64_t now = whatIf->undisturbedStepNs();
    const double change = 100.0 * (static_cast<double>(r.stepNs) / static_cast<double>(now) - 1);
    if (asked.empty())
        m_answer->setText(tr("Step now: %1").arg(durationText(now)));
    else
        m_answer->setText(
            tr("Step: %1 → %2 (%3 %), between %4 and %5")
                .arg(durationText(now), durationText(r.stepNs),
                     QStringLiteral("%1%2").arg(change > 0 ? QStringLiteral("+") : QString()).arg(change, 0, 'f', 1),
                     durationText(r.lowNs), durationText(r.highNs)));
    QStringList parts;
    for (const analysis::PathShare &p : whatIf->limits(asked))
        if (p.share >= kShownLimit && parts.size() < 4)
            parts << QStringLiteral("%1 %2 %").arg(QString::fromStdString(p.what)).arg(std::lround(100 * p.share));
    m_limits->setText(asked.empty() ? tr("It is limited by: %1").arg(parts.join(QStringLiteral(", ")))
                                    : tr("Then it is limited by: %1").arg(parts.join(QStringLiteral(", "))));
}

} // namespace tuneline::ui
