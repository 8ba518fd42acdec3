// SPDX-License-Identifier: GPL-3.0-or-later
// Makes views move together, each in its own time: view time = common time + offset. The comparison links two, with
// the offsets that lay a step of one over the matching step of the other. GUI thread only.
#pragma once

#include "ui/models/viewstate.h"

#include <vector>

namespace tuneline::ui {

class ViewLink : public QObject
{
    Q_OBJECT
public:
    explicit ViewLink(QObject *parent = nullptr);

    void add(ViewState *view, std::int64_t offset = 0); // not owned; may be destroyed at any time
    void setOffset(ViewState *view, std::int64_t offset); // moves that view only
    [[nodiscard]] std::int64_t offset(const ViewState *view) const;
    // Off: each moves alone. Switching it on again brings all to where the first is.
    void setEnabled(bool enabled);
    [[nodiscard]] bool isEnabled() const { return m_enabled; }

private:
    struct Member
    {
        ViewState *view = nullptr;
        std::int64_t offset = 0;
    };
    void follow(const ViewState *leader);
    void widenLimits();
    Member *find(const ViewState *view);

    std::vector<Member> m_members;
    bool m_enabled = true;
    bool m_following = false; // our own setRange calls must not start another round
};

} // namespace tuneline::ui
