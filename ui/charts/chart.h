// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the charts: one QCustomPlot in the colours of the palette, a title, and a sentence instead of the plot where
// there is nothing to draw. GUI thread only. qcustomplot.h is slow to compile: it stays out of all headers.
#pragma once

#include <QWidget>

class QCustomPlot;
class QLabel;
class QStackedLayout;

namespace tuneline::ui {

class Chart : public QWidget
{
    Q_OBJECT
public:
    explicit Chart(const QString &title, QWidget *parent = nullptr);

    // Shows the sentence in place of the plot; "" shows the plot.
    void setEmptyText(const QString &text);
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QCustomPlot *plot() const { return m_plot; }
    // Names of the curves beside the title, in their colours: a legend in the plot would hide them.
    void setLegend(const QStringList &names, const QList<QColor> &colours);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent *event) override;
    virtual void recolour(); // palette or font changed; also called once before the first replot

private:
    QCustomPlot *m_plot;
    QLabel *m_title;
    QLabel *m_legend;
    QLabel *m_empty;
    QStackedLayout *m_stack;
};

} // namespace tuneline::ui
