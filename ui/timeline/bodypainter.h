// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the scrolled part of the timeline, without selection and other marks that change often, into an image. A frame
// is a pure function of scene, theme and view; only what is visible is looked at. One painter per view, GUI thread.
#pragma once

#include "ui/timeline/colours.h"
#include "ui/timeline/labelcache.h"
#include "ui/timeline/raster.h"
#include "ui/timeline/rowgeometry.h"
#include "ui/timeline/scene.h"

#include <QPainter>

namespace tuneline::ui {

// Where the user looks; logical pixels.
struct BodyView
{
    TimeRange range;
    int width = 0, height = 0;
    int scrollY = 0;
    double ratio = 1; // device pixels for each

    [[nodiscard]] TimeAxis axis() const { return {range, static_cast<double>(width)}; }
    bool operator==(const BodyView &) const = default;
};

class BodyPainter
{
public:
    static constexpr std::size_t kMaxLabels = 500; // 8 ms on the reference machine

    void setFont(const analysis::TracePtr &trace, const QFont &font) { m_labels.reset(trace, font); }
    void paint(const Scene &scene, const TimelineTheme &theme, const BodyView &view, QImage &image);

private:
    struct Label
    {
        int x = 0, y = 0, width = 0, height = 0; // logical px
        analysis::StringId name;
        QString text; // where it is no event's name
        bool dark = false;
    };
    // What all parts of one frame share.
    struct Frame
    {
        const Scene &scene;
        const TimelineTheme &theme;
        const BodyView &view;
        Raster raster;
        TimeAxis axis; // device px
    };

    void paintRow(Frame &frame, const LayoutRow &row);
    void paintBackground(Frame &frame, const LayoutRow &row, int index);
    void paintStepLines(Frame &frame);
    void paintEvents(Frame &frame, const LayoutRow &row);
    void paintSummary(Frame &frame, analysis::LaneId lane, int y, int height);
    void paintEventRow(Frame &frame, analysis::LaneId lane, std::uint32_t depth, int y, int height);
    [[nodiscard]] QRgb eventColour(const Frame &frame, const RowRect &rect, analysis::LaneId lane,
                                   std::uint32_t depth) const;
    void paintIdle(Frame &frame, const LayoutRow &row);
    void paintCurve(Frame &frame, const LayoutRow &row, const CurvePyramid &curve, QColor colour);
    void paintGroup(Frame &frame, const LayoutRow &row);
    void addEventLabel(const Frame &frame, const RowRect &rect, int y, int height, bool dark);
    void addText(int x, int y, int width, int height, const QString &text, bool dark);
    void fillRect(Frame &frame, const RowRect &rect, int y, int height, QRgb colour);
    void paintLabels(const Frame &frame, QImage &image);

    LabelCache m_labels;
    std::vector<Label> m_pending;
    std::vector<RowRect> m_rects; // reused from row to row
};

} // namespace tuneline::ui
