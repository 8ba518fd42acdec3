// SPDX-License-Identifier: GPL-3.0-or-later
// What one row of the timeline looks like at a given zoom: a pure function of data, range and width, no widget needed.
//
// Events of a pixel or more become a rectangle each. Everything narrower falls into the pixel column where it begins:
// one rectangle per column, in the colour of what takes most of its time, as strong as its share of busy time. The
// pyramid is descended only until a node is narrower than a pixel, so the cost depends on the width, not on the trace.
// Nothing is ever left out: each event is in a rectangle, and a gap of two pixels or more stays a gap.
#pragma once

#include "analysis/trace/lod.h"
#include "ui/timeline/spanpyramid.h"
#include "ui/timeline/timeaxis.h"

#include <vector>

namespace tuneline::ui {

struct RowRect
{
    int left = 0, right = 0; // px, right > left
    std::uint8_t coverage = 255; // share of busy time; 255 for an event of its own
    std::uint32_t item = 0; // EventId or index of the span: the one that lends colour and name
    std::uint32_t count = 1; // events in it
};

// Appends the rectangles of one row by left edge; they may touch, never overlap by more than the minimum width of 1 px.
void collectRow(const analysis::Trace &trace, const analysis::Lod &lod, const analysis::LodRow &row,
                const TimeAxis &axis, std::vector<RowRect> &out);
void collectSpans(const SpanPyramid &spans, const TimeAxis &axis, std::vector<RowRect> &out);

// The event drawn at x, or the nearest within `tolerance` px; invalid if there is none.
[[nodiscard]] analysis::EventId eventAt(const analysis::Trace &trace, const analysis::Lod &lod,
                                        const analysis::LodRow &row, const TimeAxis &axis, double x,
                                        double tolerance = 3);
[[nodiscard]] int spanAt(const SpanPyramid &spans, const TimeAxis &axis, double x,
                         double tolerance = 3); // index, −1 = none

} // namespace tuneline::ui
