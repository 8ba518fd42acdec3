// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/windowform.h"

#include "analysis/detaillevels.h"
#include "ui/widgets/pieces.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QSpinBox>

namespace tuneline::ui {

namespace {

QSpinBox *makeSpin(int from, int to, const QString &special, const QString &name)
{
    auto *spin = new QSpinBox;
    spin->setRange(from, to);
    spin->setSpecialValueText(special);
    spin->setAccessibleName(name);
    spin->setMinimumWidth(spin->fontMetrics().averageCharWidth() * 12);
    return spin;
}

constexpr int kNoteWidth = 420; // px; its least height is what this width needs

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

void addField(QGridLayout *grid, int column, const QString &label, QWidget *field)
{
    QLabel *caption = makeLabel(label, TextRole::Caption, "muted");
    caption->setBuddy(field);
    grid->addWidget(caption, 0, column);
    grid->addWidget(field, 1, column);
}

} // namespace

WindowForm::WindowForm(QWidget *parent)
    : QWidget(parent)
    , m_warmup(makeSpin(CaptureWindow::kAutoWarmup, 100000, tr("auto"), tr("Warm-up steps")))
    , m_steps(makeSpin(0, 100000, tr("no limit"), tr("Steps to record")))
    , m_seconds(new QDoubleSpinBox)
    , m_detail(new QComboBox)
    , m_graphs(new QComboBox)
    , m_note(makeWrapped({}, TextRole::Caption, "muted"))
{
    m_warmup->setToolTip(tr("Steps to let pass before recording. auto: until step times are steady"));
    m_steps->setToolTip(tr("Steps to record; 5 to 20 are enough for most questions"));
    m_seconds->setRange(0, 3600);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(" s");
    m_seconds->setSpecialValueText(tr("no limit"));
    m_seconds->setAccessibleName(tr("Seconds to record at most"));
    m_seconds->setMinimumWidth(m_seconds->fontMetrics().averageCharWidth() * 12);
    for (const analysis::DetailLevel &level : analysis::kDetailLevels)
        m_detail->addItem(text(level.name), text(level.name));
    m_detail->setAccessibleName(tr("Detail"));
    m_graphs->addItem(tr("by kernel"), "kernels");
    m_graphs->addItem(tr("whole"), "whole");
    m_graphs->setAccessibleName(tr("CUDA graphs"));
    m_graphs->setToolTip(tr("by kernel: each kernel of a graph is recorded\nwhole: a graph launch is one record; "
                            "disturbs the run less, but its kernels stay unknown"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kSpace);
    grid->setVerticalSpacing(2);
    addField(grid, 0, tr("Warm-up steps"), m_warmup);
    addField(grid, 1, tr("Steps"), m_steps);
    addField(grid, 2, tr("Time at most"), m_seconds);
    addField(grid, 3, tr("Detail"), m_detail);
    addField(grid, 4, tr("CUDA graphs"), m_graphs);
    for (int column = 0; column < 5; ++column)
        grid->setColumnStretch(column, 1);
    m_note->setMinimumWidth(kNoteWidth);
    grid->addWidget(m_note, 2, 0, 1, 5);
    grid->setRowStretch(2, 1); // what there is too much goes below, not between captions and fields
    connect(m_detail, &QComboBox::currentIndexChanged, this, &WindowForm::explainDetail);
    setWindow({});
    explainDetail();
}

CaptureWindow WindowForm::window() const
{
    return {m_warmup->value(), m_steps->value(), m_seconds->value(), m_detail->currentData().toString(),
            m_graphs->currentData().toString()};
}

void WindowForm::explainDetail()
{
    for (const analysis::DetailLevel &level : analysis::kDetailLevels) {
        if (text(level.name) != m_detail->currentData().toString())
            continue;
        m_note->setText(tr("%1: %2; %3. %4")
                            .arg(text(level.name), text(level.records), QString::fromStdString(costText(level)),
                                 text(analysis::kProfilerWarning)));
        m_note->setToolTip(tr("Measured on a %1; torch.profiler there: step time %2, with CUDA graphs %3. %4")
                               .arg(text(analysis::kDetailMeasuredOn),
                                    QString::fromStdString(analysis::slowdownText(analysis::kTorchProfilerLaunchBound)),
                                    QString::fromStdString(analysis::slowdownText(analysis::kTorchProfilerCudaGraphs)),
                                    text(analysis::kAfterwards)));
    }
}

void WindowForm::setWindow(const CaptureWindow &window)
{
    m_warmup->setValue(window.warmupSteps);
    m_steps->setValue(window.steps);
    m_seconds->setValue(window.seconds);
    m_detail->setCurrentIndex(qMax(0, m_detail->findData(window.detail)));
    m_graphs->setCurrentIndex(qMax(0, m_graphs->findData(window.graphs)));
}

} // namespace tuneline::ui
