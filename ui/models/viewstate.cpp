// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/viewstate.h"

#include <cmath>

using tuneline::analysis::EventId;

namespace tuneline::ui {

namespace {

// Length first, then position, so that a pan against the edge does not zoom.
TimeRange clamped(TimeRange range, TimeRange limits)
{
    const std::int64_t longest = std::max(limits.length(), ViewState::kMinLength);
    const std::int64_t length = std::clamp(range.length(), ViewState::kMinLength, longest);
    const std::int64_t middle = range.from + (range.length() - length) / 2;
    const std::int64_t from = std::clamp(middle, limits.from, std::max(limits.from, limits.to - length));
    return {from, from + length};
}

} // namespace

ViewState::ViewState(QObject *parent)
    : QObject(parent)
{ }

void ViewState::reset(TimeRange bounds)
{
    m_bounds = bounds;
    m_limits = bounds;
    m_range = bounds.empty() ? bounds : clamped(bounds, bounds);
    m_selection = {};
    m_hovered = {};
    m_marked.reset();
    emit traceReset();
    emit limitsChanged(m_limits);
    emit rangeChanged(m_range);
    emit selectionChanged(m_selection);
    emit hoveredChanged(m_hovered);
    emit markedChanged();
}

void ViewState::setLimits(TimeRange limits)
{
    const TimeRange wide{std::min(limits.from, m_bounds.from), std::max(limits.to, m_bounds.to)};
    if (wide == m_limits)
        return;
    m_limits = wide;
    emit limitsChanged(m_limits);
    setRange(m_range);
}

void ViewState::setRange(TimeRange range)
{
    if (m_limits.empty())
        return;
    const TimeRange next = clamped(range, m_limits);
    if (next == m_range)
        return;
    m_range = next;
    emit rangeChanged(m_range);
}

void ViewState::zoomAt(std::int64_t anchor, double factor)
{
    if (m_range.empty() || !(factor > 0))
        return;
    const double longest = static_cast<double>(std::max(m_limits.length(), kMinLength));
    const double wanted = static_cast<double>(m_range.length()) * factor;
    const double length = std::round(std::clamp(wanted, static_cast<double>(kMinLength), longest));
    const double share = static_cast<double>(anchor - m_range.from) / static_cast<double>(m_range.length());
    const auto from = anchor - static_cast<std::int64_t>(std::llround(share * length));
    setRange({from, from + static_cast<std::int64_t>(length)});
}

void ViewState::panBy(std::int64_t ns)
{
    setRange(m_range.shifted(ns));
}

void ViewState::fit(TimeRange what, double margin)
{
    const auto extra = static_cast<std::int64_t>(static_cast<double>(what.length()) * margin);
    setRange({what.from - extra, what.to + extra});
}

void ViewState::showAll()
{
    setRange(m_limits);
}

void ViewState::select(EventId event)
{
    if (event == m_selection)
        return;
    m_selection = event;
    emit selectionChanged(event);
}

void ViewState::setHovered(EventId event)
{
    if (event == m_hovered)
        return;
    m_hovered = event;
    emit hoveredChanged(event);
}

void ViewState::mark(std::optional<TimeRange> range)
{
    if (range == m_marked)
        return;
    m_marked = range;
    emit markedChanged();
}

void ViewState::setFilter(const QString &text)
{
    if (text == m_filter)
        return;
    m_filter = text;
    emit filterChanged(text);
}

} // namespace tuneline::ui
