// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the step in the middle of the upper timeline above its partner in the lower one, whatever their lengths, while
// both move together. GUI thread; owned by the comparison page.
#pragma once

#include "analysis/analysis.h"
#include "analysis/compare/alignment.h"
#include "ui/models/viewlink.h"

namespace tuneline::ui {

class StepAligner : public QObject
{
    Q_OBJECT
public:
    StepAligner(ViewState *before, ViewState *after, QObject *parent = nullptr);

    void setSteps(const analysis::StepSet &before, std::vector<analysis::AlignedStep> steps); // shows the first pair
    void setEnabled(bool enabled); // off: each timeline moves alone
    void showStep(int index); // of the aligned pairs; out of range is clamped
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] int count() const { return static_cast<int>(m_steps.size()); }

signals:
    void currentChanged(int index);

private:
    void follow(TimeRange range);
    void alignTo(int index);

    struct Pair
    {
        TimeRange before; // the step in the upper timeline
        std::int64_t offset; // of the lower one's times to the upper's: lower = upper − offset
    };
    ViewState *m_before;
    ViewState *m_after;
    ViewLink m_link;
    std::vector<Pair> m_steps;
    int m_current = -1;
    bool m_aligning = false; // the range changes because of us
};

} // namespace tuneline::ui
