// SPDX-License-Identifier: GPL-3.0-or-later
// Which colour an event has: by its kind and by what its name says. Remembers the answer for each name of the trace, so
// that a frame costs one table look-up a rectangle. GUI thread only (it fills its table while it is asked).
#pragma once

#include "analysis/trace/trace.h"
#include "ui/timeline/colours.h"

#include <vector>

namespace tuneline::ui {

class EventColours
{
public:
    EventColours() = default;
    explicit EventColours(analysis::TracePtr trace);
    [[nodiscard]] ColourClass of(analysis::EventId event) const;

private:
    [[nodiscard]] ColourClass classify(analysis::EventId event) const;

    analysis::TracePtr m_trace;
    // By name, for device and host kinds: the same name may be an operator and a kernel. 0xFF: not asked yet.
    mutable std::vector<std::uint8_t> m_host, m_device;
};

} // namespace tuneline::ui
