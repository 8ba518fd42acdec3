// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/viewlink.h"

#include <QScopedValueRollback>

namespace tuneline::ui {

ViewLink::ViewLink(QObject *parent)
    : QObject(parent)
{ }

void ViewLink::add(ViewState *view, std::int64_t offset)
{
    if (find(view))
        return;
    m_members.push_back({view, offset});
    connect(view, &ViewState::rangeChanged, this, [this, view] { follow(view); });
    connect(view, &ViewState::traceReset, this, &ViewLink::widenLimits);
    connect(view, &QObject::destroyed, this,
            [this, view] { std::erase_if(m_members, [view](const Member &m) { return m.view == view; }); });
    widenLimits();
    follow(m_members.front().view);
}

void ViewLink::setOffset(ViewState *view, std::int64_t offset)
{
    Member *member = find(view);
    if (!member || member->offset == offset)
        return;
    const std::int64_t moved = offset - member->offset;
    member->offset = offset;
    widenLimits();
    const QScopedValueRollback guard(m_following, true);
    view->panBy(moved);
}

std::int64_t ViewLink::offset(const ViewState *view) const
{
    const auto it = std::ranges::find(m_members, view, &Member::view);
    return it == m_members.end() ? 0 : it->offset;
}

void ViewLink::setEnabled(bool enabled)
{
    m_enabled = enabled;
    if (enabled && !m_members.empty())
        follow(m_members.front().view);
}

void ViewLink::follow(const ViewState *leader)
{
    if (!m_enabled || m_following || leader->bounds().empty())
        return;
    const QScopedValueRollback guard(m_following, true);
    const TimeRange common = leader->range().shifted(-offset(leader));
    for (const Member &m : m_members) {
        if (m.view != leader)
            m.view->setRange(common.shifted(m.offset));
    }
}

// Each view must be able to show what any other can, or the shorter trace would stop the longer one from scrolling.
void ViewLink::widenLimits()
{
    TimeRange common;
    for (const Member &m : m_members) {
        if (m.view->bounds().empty())
            continue;
        const TimeRange own = m.view->bounds().shifted(-m.offset);
        common = common.empty() ? own : TimeRange{std::min(common.from, own.from), std::max(common.to, own.to)};
    }
    if (common.empty())
        return;
    const QScopedValueRollback guard(m_following, true);
    for (const Member &m : m_members) {
        if (!m.view->bounds().empty())
            m.view->setLimits(common.shifted(m.offset));
    }
}

ViewLink::Member *ViewLink::find(const ViewState *view)
{
    const auto it = std::ranges::find(m_members, view, &Member::view);
    return it == m_members.end() ? nullptr : &*it;
}

} // namespace tuneline::ui
