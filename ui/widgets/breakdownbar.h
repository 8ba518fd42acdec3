// SPDX-License-Identifier: GPL-3.0-or-later
// One bar for one step, its parts in the colours of the timeline, and a legend that says each part's time and share.
// GUI thread.
#pragma once

#include "ui/widgets/breakdown.h"

#include <QRect>
#include <QWidget>

namespace tuneline::ui {

class BreakdownBar : public QWidget
{
    Q_OBJECT
public:
    explicit BreakdownBar(QWidget *parent = nullptr);
    void setParts(std::vector<BreakdownPart> parts, std::int64_t totalNs);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override; // tool tips

private:
    struct LegendItem
    {
        QRect rect;
        std::size_t part;
    };
    [[nodiscard]] QString legendText(const BreakdownPart &part) const;
    [[nodiscard]] std::vector<LegendItem> layoutLegend(int width) const;
    [[nodiscard]] std::vector<QRect> layoutBar(int width) const;

    std::vector<BreakdownPart> m_parts;
    std::int64_t m_totalNs = 0;
};

} // namespace tuneline::ui
