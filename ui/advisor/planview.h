// SPDX-License-Identifier: GPL-3.0-or-later
// The plan: the fixes one after another, with the step time after each as a shrinking bar. GUI thread.
#pragma once

#include "analysis/findings/advice.h"

#include <QWidget>

namespace tuneline::ui {

class PlanView : public QWidget
{
    Q_OBJECT
public:
    explicit PlanView(const analysis::Advice &advice, QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Row
    {
        QString name;
        std::int64_t stepNs;
    };
    std::vector<Row> m_rows; // the present step first
};

} // namespace tuneline::ui
