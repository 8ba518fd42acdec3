// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the lanes, left of the body. Pure painting, GUI thread.
#pragma once

#include "ui/timeline/colours.h"
#include "ui/timeline/layout.h"

#include <QPainter>

namespace tuneline::ui {

// area: where the headers of the scrolled rows are. hovered: the row under the mouse or nullptr.
void paintHeaders(QPainter &painter, const Layout &layout, const TimelineTheme &theme, const QRect &area, int scrollY,
                  const LayoutRow *hovered);
// Of one row, with what it has in it: for tooltips.
[[nodiscard]] QString headerToolTip(const analysis::Trace &trace, const LayoutRow &row);

} // namespace tuneline::ui
