// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the timeline: step time, what limits it, utilisation and saturation, throughput, and the breakdown of
// the step. What is not known is said in words, never shown as 0. GUI thread.
#pragma once

#include "ui/jobs/document.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QProgressBar;

namespace tuneline::ui {

class BreakdownBar;

class MetricsHeader : public QFrame
{
    Q_OBJECT
public:
    explicit MetricsHeader(QWidget *parent = nullptr);

    void showProgress(int permille, const QString &stage); // while the analysis runs
    void showProblem(const QString &text); // the analysis failed
    void setDocument(const Document &document); // analysed

private:
    struct Tile
    {
        QWidget *widget;
        QLabel *caption, *figure, *note;
    };
    [[nodiscard]] Tile addTile(QHBoxLayout *row, const QString &caption);
    static void setTile(const Tile &tile, const QString &figure, const QString &note, const QString &toolTip = {});
    void setStep(const Document &document);
    void setStepTile(const analysis::Advice &advice, const QString &why);
    void setDevice(const Document &document);
    void setThroughput(const analysis::Advice &advice);

    QWidget *m_waiting;
    QLabel *m_stage;
    QProgressBar *m_progress;
    QWidget *m_content;
    Tile m_step, m_bound, m_device, m_throughput;
    QLabel *m_heading;
    QLabel *m_recurring;
    BreakdownBar *m_bar;
};

} // namespace tuneline::ui
