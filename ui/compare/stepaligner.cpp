// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/stepaligner.h"

#include <QScopedValueRollback>
#include <algorithm>

namespace tuneline::ui {

StepAligner::StepAligner(ViewState *before, ViewState *after, QObject *parent)
    : QObject(parent)
    , m_before(before)
    , m_after(after)
{
    m_link.add(before);
    m_link.add(after);
    connect(before, &ViewState::rangeChanged, this, &StepAligner::follow);
}

void StepAligner::setSteps(const analysis::StepSet &before, std::vector<analysis::AlignedStep> steps)
{
    m_steps.clear();
    m_current = -1;
    for (const analysis::AlignedStep &step : steps) {
        const analysis::Step &shown = before.list[step.before];
        m_steps.push_back({{shown.start, shown.end}, step.offsetNs});
    }
    if (m_steps.empty())
        alignTo(-1);
    else
        showStep(0);
}

void StepAligner::setEnabled(bool enabled)
{
    m_link.setEnabled(enabled);
}

void StepAligner::showStep(int index)
{
    if (m_steps.empty())
        return;
    index = std::clamp(index, 0, count() - 1);
    alignTo(index);
    m_before->fit(m_steps[static_cast<std::size_t>(index)].before, 0.25);
}

void StepAligner::alignTo(int index)
{
    m_current = index;
    // The new offset moves the limits, and they may move the range: that is no wish to see another pair. With ranges
    // longer than a trace, two pairs could send each other there and back for ever.
    const QScopedValueRollback guard(m_aligning, true);
    // Without steps the beginnings of both traces are laid over each other: both start at 0.
    m_link.setOffset(m_after, index < 0 ? 0 : -m_steps[static_cast<std::size_t>(index)].offset);
    emit currentChanged(index);
}

void StepAligner::follow(TimeRange range)
{
    if (m_aligning || m_steps.empty() || !m_link.isEnabled())
        return;
    const std::int64_t middle = range.from + range.length() / 2;
    const auto after = std::upper_bound(m_steps.begin(), m_steps.end(), middle,
                                        [](std::int64_t time, const Pair &pair) { return time < pair.before.from; });
    const int index = std::max(0, static_cast<int>(after - m_steps.begin()) - 1);
    if (index != m_current)
        alignTo(index);
}

} // namespace tuneline::ui
