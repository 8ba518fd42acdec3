// SPDX-License-Identifier: GPL-3.0-or-later
// The interactive part of the timeline: ruler and steps (fixed), lane names and rows (scrolled). Paints a cached body
// and a light overlay on top; all mouse handling is here. Owned by TimelineWidget, which has the actions. GUI thread
// only.
#pragma once

#include "ui/models/viewstate.h"
#include "ui/timeline/bodypainter.h"
#include "ui/timeline/overlay.h"

#include <QAbstractScrollArea>
#include <QPointer>

namespace tuneline::ui {

class TimelineView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit TimelineView(QWidget *parent = nullptr);

    [[nodiscard]] const Scene &scene() const { return m_scene; }
    void setScene(analysis::TracePtr trace, analysis::LodPtr lod); // folds as for a trace just opened
    void setAnalysis(analysis::AnalysisPtr analysis, ExtrasPtr extras);
    void setMatches(MatchesPtr matches);
    void setHighlights(std::vector<analysis::EventId> events);
    void setViewState(ViewState *state);
    void setEmptyText(const QString &text);
    void setTitle(const QString &title);

    void ensureVisible(analysis::EventId event); // unfolds, scrolls and moves the range
    void setAllExpanded(bool expanded);
    void stepEvent(int direction); // selects the next (+1) or previous (−1) event of the selection's row
    void scrollBy(int rows);
    [[nodiscard]] double lastFrameMs() const { return m_frameMs; }

    // For tests and tooltips: what is at a point of the viewport.
    enum class Area { Nothing, Corner, Ruler, Steps, Header, HeaderEdge, Body };
    struct Hit
    {
        Area area = Area::Nothing;
        const LayoutRow *row = nullptr; // Header, Body
        analysis::EventId event; // Body
        int idlePiece = -1; // Body: of the row's device
        int step = -1; // Steps
        std::int64_t time = 0; // wherever there is a time axis
    };
    [[nodiscard]] Hit hitTest(QPoint point) const;
    [[nodiscard]] QRect bodyRect() const; // viewport coordinates
    [[nodiscard]] QRectF rectOf(analysis::EventId event) const; // viewport coordinates; null if it has no place

signals:
    void eventClicked(tuneline::analysis::EventId event);
    void eventActivated(tuneline::analysis::EventId event);
    void rangeMarked(tuneline::ui::TimeRange range);
    void stepActivated(int step);
    void contextMenuRequested(const QPoint &globalPos, tuneline::analysis::EventId event);
    void sceneChanged(); // trace, analysis or theme: whoever draws from the scene must repaint

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    enum class Drag { None, Pending, Pan, Mark, HeaderWidth };

    // timelineview.cpp
    void relayout();
    void refresh(); // paint the body anew
    void applyFont();
    void updateScrollBar();
    [[nodiscard]] int rulerHeight() const;
    [[nodiscard]] int stepsHeight() const; // 0 without steps
    [[nodiscard]] int headerWidth() const;
    [[nodiscard]] BodyView bodyView() const;
    void toggleFold(const LayoutRow &row);
    void unfold(analysis::EventId event);
    void scrollTo(analysis::EventId event);
    void updateLinks();

    // timelinepaint.cpp
    void renderBody();
    void paintRuler(QPainter &painter);
    void paintSteps(QPainter &painter);
    void paintStep(QPainter &painter, const RowRect &rect, const QRect &area);
    void paintMarkedLength(QPainter &painter, const QRect &ruler);
    void paintEmpty(QPainter &painter);

    // timelineinput.cpp
    void hover(QPoint point);
    void leave();
    void click(QPoint point);
    void clickIdle(const Hit &hit);
    void dragTo(QPoint point);
    void zoomToMarkedOrEvent(const Hit &hit);
    [[nodiscard]] QString toolTipAt(const Hit &hit) const;
    [[nodiscard]] QString idleToolTip(const Hit &hit) const;
    [[nodiscard]] QString stepToolTip(int step) const;

    Scene m_scene;
    BodyPainter m_painter;
    TimelineTheme m_theme;
    QPointer<ViewState> m_state;
    std::vector<EventLink> m_links; // of the selection
    QString m_emptyText, m_title;

    QImage m_body; // as of m_bodyView
    BodyView m_bodyView;
    bool m_bodyValid = false;
    double m_frameMs = 0;

    int m_headerWidth = 190;
    int m_rowHeight = 18;
    Drag m_drag = Drag::None;
    QPoint m_pressPoint, m_mouse{-1, -1};
    std::int64_t m_pressTime = 0;
    TimeRange m_pressRange;
    int m_pressScroll = 0;
};

} // namespace tuneline::ui
