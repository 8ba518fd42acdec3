// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart.h"

#include "ui/charts/plotcolours.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace tuneline::ui {

Chart::Chart(const QString &title, QWidget *parent)
    : QWidget(parent)
    , m_plot(new QCustomPlot(this))
    , m_title(new QLabel(title, this))
    , m_legend(new QLabel(this))
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
    m_empty->setBackgroundRole(QPalette::Base); // where the plot would be
    m_empty->setAutoFillBackground(true);
    m_legend->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setContentsMargins(8, 4, 8, 0);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // never widens the chart
    m_stack->addWidget(m_plot);
    m_stack->addWidget(m_empty);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *top = new QHBoxLayout;
    top->addWidget(m_title);
    top->addWidget(m_legend, 1);
    layout->addLayout(top);
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

void Chart::setLegend(const QStringList &names, const QList<QColor> &colours)
{
    QStringList parts;
    for (qsizetype i = 0; i < names.size(); ++i)
        parts << QStringLiteral("<span style='color:%1'>\u25A0</span>&nbsp;%2")
                     .arg(colours.value(i).name(), names[i].toHtmlEscaped());
    m_legend->setText(parts.join(QStringLiteral("&nbsp;&nbsp; ")));
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
