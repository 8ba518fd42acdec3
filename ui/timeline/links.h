// SPDX-License-Identifier: GPL-3.0-or-later
// Which events belong to one another: operator → launch call → device records, forward → backward. Pure functions.
#pragma once

#include "analysis/trace/trace.h"

#include <vector>

namespace tuneline::ui {

struct EventLink
{
    analysis::EventId from, to;
    bool backward = false; // forward → backward instead of launch → record
};

// Links that start or end at the event, or at what it contains or was launched by. At most `limit`.
[[nodiscard]] std::vector<EventLink> linksOf(const analysis::Trace &trace, analysis::EventId event,
                                             std::size_t limit = 64);

} // namespace tuneline::ui
