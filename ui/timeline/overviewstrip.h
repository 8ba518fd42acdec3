// SPDX-License-Identifier: GPL-3.0-or-later
// The whole trace at a glance, with the visible range as a window that can be dragged and resized. Draws from the scene
// of a TimelineView. GUI thread only.
#pragma once

#include "ui/models/viewstate.h"
#include "ui/timeline/colours.h"
#include "ui/timeline/scene.h"
#include "ui/timeline/timeaxis.h"

#include <QImage>
#include <QPointer>
#include <QWidget>

namespace tuneline::ui {

class Raster;

class OverviewStrip : public QWidget
{
    Q_OBJECT
public:
    // The scene must outlive the strip; refresh() when it changed.
    explicit OverviewStrip(const Scene &scene, QWidget *parent = nullptr);
    void setViewState(ViewState *state);
    void refresh();
    [[nodiscard]] QSize sizeHint() const override { return {400, 44}; }
    [[nodiscard]] QRectF windowRect() const; // the visible range

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    enum class Grip { None, Left, Right, Inside, Outside };
    [[nodiscard]] Grip gripAt(double x) const;
    [[nodiscard]] TimeAxis axis() const; // of the limits, over the whole width
    void render();
    void renderLane(Raster &raster, analysis::LaneId lane, int top, int bottom);

    const Scene &m_scene;
    QPointer<ViewState> m_state;
    TimelineTheme m_theme;
    QImage m_image;
    bool m_valid = false;
    Grip m_grip = Grip::None;
    std::int64_t m_pressTime = 0;
    TimeRange m_pressRange;
};

} // namespace tuneline::ui
