// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/windowform.h"

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
{
    m_warmup->setToolTip(tr("Steps to let pass before recording. auto: until step times are steady"));
    m_steps->setToolTip(tr("Steps to record; 5 to 20 are enough for most questions"));
    m_seconds->setRange(0, 3600);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(" s");
    m_seconds->setSpecialValueText(tr("no limit"));
    m_seconds->setAccessibleName(tr("Seconds to record at most"));
    m_seconds->setMinimumWidth(m_seconds->fontMetrics().averageCharWidth() * 12);
    m_detail->addItem(tr("light"), "light");
    m_detail->addItem(tr("normal"), "normal");
    m_detail->addItem(tr("full"), "full");
    m_detail->setAccessibleName(tr("Detail"));
    m_detail->setToolTip(tr(
        "light: device work, launches, copies, steps and scopes\nnormal: operators too\nfull: shapes, memory and every "
        "API call too; slows the run down most"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kSpace);
    grid->setVerticalSpacing(2);
    addField(grid, 0, tr("Warm-up steps"), m_warmup);
    addField(grid, 1, tr("Steps"), m_steps);
    addField(grid, 2, tr("Time at most"), m_seconds);
    addField(grid, 3, tr("Detail"), m_detail);
    for (int column = 0; column < 4; ++column)
        grid->setColumnStretch(column, 1);
    setWindow({});
}

CaptureWindow WindowForm::window() const
{
    return {m_warmup->value(), m_steps->value(), m_seconds->value(), m_detail->currentData().toString()};
}

void WindowForm::setWindow(const CaptureWindow &window)
{
    m_warmup->setValue(window.warmupSteps);
    m_steps->setValue(window.steps);
    m_seconds->setValue(window.seconds);
    m_detail->setCurrentIndex(qMax(0, m_detail->findData(window.detail)));
}

} // namespace tuneline::ui
