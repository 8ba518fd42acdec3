// SPDX-License-Identifier: GPL-3.0-or-later
// What lies on top of the painted body and changes often: marked range, evidence, links, selection, hover. Cheap: a few
// dozen shapes whatever the trace. Pure painting, GUI thread.
#pragma once

#include "ui/models/viewstate.h"
#include "ui/timeline/bodypainter.h"
#include "ui/timeline/links.h"

#include <QRectF>
#include <optional>

namespace tuneline::ui {

// Where an event is drawn, in body coordinates (logical px, may be out of view); where its row is not shown, the last
// row of its lane. Nothing if its lane is folded away.
[[nodiscard]] std::optional<QRectF> eventRect(const Scene &scene, const BodyView &view, analysis::EventId event);

struct OverlayState
{
    const ViewState &state;
    const std::vector<EventLink> &links; // of the selection
    QPoint mouse; // body coordinates; (−1, −1) = elsewhere
};

void paintOverlay(QPainter &painter, const Scene &scene, const TimelineTheme &theme, const BodyView &view,
                  const OverlayState &overlay);

} // namespace tuneline::ui
