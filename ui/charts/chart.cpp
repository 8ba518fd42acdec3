// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart.h"

#include "ui/charts/plotcolours.h"

#include <QEvent>
#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace tuneline::ui {

Chart::Chart(const QString &title, QWidget *parent)
    : QWidget(parent)
    , m_plot(new QCustomPlot(this))
    , m_title(new QLabel(title, this))
    , m_empty(new QLabel(this))
    , m_stack(new QStackedLayout)
{
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setContentsMargins(8, 4, 8, 0);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(12);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_plot);
    m_stack->addWidget(m_empty);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_title);
    layout->addLayout(m_stack, 1);
    m_plot->setNoAntialiasingOnDrag(true);
    m_plot->setNotAntialiasedElements(QCP::aeAll); // curves over time are steps: antialiasing costs and shows nothing
    setPlotColours(*m_plot, palette(), font());
}

void Chart::setEmptyText(const QString &text)
{
    m_empty->setText(text);
    m_stack->setCurrentIndex(text.isEmpty() ? 0 : 1);
}

QString Chart::emptyText() const
{
    return m_empty->text();
}

QSize Chart::sizeHint() const
{
    return {480, 160};
}

QSize Chart::minimumSizeHint() const
{
    return {200, 90};
}

void Chart::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange
        || event->type() == QEvent::StyleChange)
        recolour();
}

void Chart::recolour()
{
    setPlotColours(*m_plot, palette(), font());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace tuneline::ui
