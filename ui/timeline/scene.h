// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that one timeline draws, apart from where the user looks. Owned by the TimelineView; GUI thread only,
// what it points to is immutable.
#pragma once

#include "analysis/analysis.h"
#include "analysis/trace/lod.h"
#include "ui/timeline/eventcolours.h"
#include "ui/timeline/extras.h"
#include "ui/timeline/layout.h"
#include "ui/timeline/matches.h"

namespace tuneline::ui {

struct Scene
{
    analysis::TracePtr trace; // null: nothing to draw
    analysis::LodPtr lod;
    analysis::AnalysisPtr analysis; // may be null
    ExtrasPtr extras; // null while it is being built
    MatchesPtr matches; // null: no search
    EventColours colours;
    FoldState folds;
    Layout layout;
    std::vector<analysis::EventId> highlights;

    [[nodiscard]] bool empty() const { return !trace || !lod; }
    [[nodiscard]] bool hasSteps() const
    {
        return analysis && !analysis->stepsOfSource.empty() && !analysis->stepSet().empty();
    }
};

} // namespace tuneline::ui
