// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timelineview.h"

#include <QEvent>
#include <QResizeEvent>
#include <QScrollBar>
#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

TimelineView::TimelineView(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_theme(palette())
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent); // every pixel is painted anyway
    setMinimumSize(320, 120);
    applyFont();
}

void TimelineView::setScene(TracePtr trace, LodPtr lod)
{
    m_scene = {};
    m_scene.trace = std::move(trace);
    m_scene.lod = std::move(lod);
    m_scene.colours = EventColours(m_scene.trace);
    if (!m_scene.empty())
        m_scene.folds = initialFolds(laneGroups(*m_scene.trace, nullptr));
    m_links.clear();
    verticalScrollBar()->setValue(0);
    applyFont();
}

void TimelineView::setAnalysis(AnalysisPtr analysis, ExtrasPtr extras)
{
    m_scene.analysis = std::move(analysis);
    m_scene.extras = std::move(extras);
    relayout();
}

void TimelineView::setMatches(MatchesPtr matches)
{
    m_scene.matches = std::move(matches);
    refresh();
}

void TimelineView::setHighlights(std::vector<EventId> events)
{
    m_scene.highlights = std::move(events);
    viewport()->update();
}

void TimelineView::setViewState(ViewState *state)
{
    if (m_state)
        disconnect(m_state, nullptr, this, nullptr);
    m_state = state;
    if (!m_state)
        return;
    const auto repaint = [this] { viewport()->update(); };
    connect(m_state, &ViewState::rangeChanged, this, repaint);
    connect(m_state, &ViewState::hoveredChanged, this, repaint);
    connect(m_state, &ViewState::markedChanged, this, repaint);
    connect(m_state, &ViewState::selectionChanged, this, &TimelineView::updateLinks);
    updateLinks();
}

void TimelineView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    viewport()->update();
}

void TimelineView::setTitle(const QString &title)
{
    m_title = title;
    viewport()->update();
}

void TimelineView::relayout()
{
    m_scene.layout = m_scene.empty()
        ? Layout{}
        : layOut(*m_scene.trace, *m_scene.lod, m_scene.analysis.get(), m_scene.folds, m_rowHeight);
    updateScrollBar();
    refresh();
    emit sceneChanged();
}

void TimelineView::refresh()
{
    m_bodyValid = false;
    viewport()->update();
}

void TimelineView::applyFont()
{
    QFont small = font();
    if (small.pointSizeF() > 0)
        small.setPointSizeF(std::max(6.5, small.pointSizeF() * 0.88));
    m_rowHeight = QFontMetrics(small).height() + 3;
    m_painter.setFont(m_scene.trace, small);
    relayout();
}

void TimelineView::updateScrollBar()
{
    const int page = std::max(1, bodyRect().height());
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(m_rowHeight);
    verticalScrollBar()->setRange(0, std::max(0, m_scene.layout.height - page));
}

int TimelineView::rulerHeight() const
{
    return m_rowHeight + 8;
}

int TimelineView::stepsHeight() const
{
    return m_scene.hasSteps() ? m_rowHeight + 4 : 0;
}

int TimelineView::headerWidth() const
{
    return std::clamp(m_headerWidth, 80, std::max(80, viewport()->width() / 2));
}

QRect TimelineView::bodyRect() const
{
    const int top = rulerHeight() + stepsHeight();
    const int left = headerWidth();
    return {left, top, std::max(0, viewport()->width() - left), std::max(0, viewport()->height() - top)};
}

BodyView TimelineView::bodyView() const
{
    const QRect body = bodyRect();
    return {m_state ? m_state->range() : TimeRange{}, body.width(), body.height(), verticalScrollBar()->value(),
            devicePixelRatioF()};
}

QRectF TimelineView::rectOf(EventId event) const
{
    const auto rect = eventRect(m_scene, bodyView(), event);
    return rect ? rect->translated(bodyRect().topLeft()) : QRectF();
}

void TimelineView::toggleFold(const LayoutRow &row)
{
    const auto toggle = [&row](std::set<std::uint32_t> &folded) {
        if (folded.erase(row.index) == 0)
            folded.insert(row.index);
    };
    if (row.kind == LayoutRow::Kind::Group)
        toggle(m_scene.folds.groups);
    else if (row.kind == LayoutRow::Kind::Events)
        toggle(m_scene.folds.lanes);
    else if (row.kind == LayoutRow::Kind::More && row.hidden > 0)
        m_scene.folds.limits[row.index] = Id<LaneTag>::kNone;
    else if (row.kind == LayoutRow::Kind::More)
        m_scene.folds.limits.erase(row.index);
    relayout();
}

void TimelineView::setAllExpanded(bool expanded)
{
    m_scene.folds.groups.clear();
    m_scene.folds.lanes.clear();
    if (!expanded) {
        for (std::uint32_t i = 0; i < m_scene.layout.groups.size(); ++i)
            m_scene.folds.groups.insert(i);
        for (std::uint32_t i = 0; m_scene.trace && i < m_scene.trace->lanes.size(); ++i)
            m_scene.folds.lanes.insert(i);
        m_scene.folds.limits.clear();
    }
    relayout();
}

// Shows the event's row: its group open, its lane open and long enough.
void TimelineView::unfold(EventId event)
{
    const LaneId lane = m_scene.trace->events.lane[event.value];
    const int group = m_scene.layout.groupOfLane(lane);
    bool changed = group >= 0 && m_scene.folds.groups.erase(static_cast<std::uint32_t>(group)) > 0;
    const std::uint32_t depth = m_scene.trace->events.depth[event.value];
    if (depth > 0)
        changed = m_scene.folds.lanes.erase(lane.value) > 0 || changed;
    const LayoutRow *row = changed ? nullptr : m_scene.layout.rowOfLane(lane);
    if (changed)
        relayout();
    row = m_scene.layout.rowOfLane(lane);
    if (row && depth >= row->rows) {
        m_scene.folds.limits[lane.value] = depth + 3;
        relayout();
    }
}

void TimelineView::ensureVisible(EventId event)
{
    static constexpr double kMinPixels = 3, kShareOfView = 0.2;
    if (m_scene.empty() || !m_state || !event.valid() || event.value >= m_scene.trace->events.size())
        return;
    if (m_scene.trace->hasFlag(event, EventFlag::kNoTimestamp))
        return; // has no place on the axis
    unfold(event);
    scrollTo(event);
    const TimeRange span{m_scene.trace->start(event),
                         std::max(m_scene.trace->end(event), m_scene.trace->start(event) + 1)};
    const TimeRange range = m_state->range();
    const double pixels = bodyView().axis().pixelsPerNs() * static_cast<double>(span.length());
    const bool inside = span.from >= range.from && span.to <= range.to;
    const bool covers = span.from <= range.from && span.to >= range.to; // its row is all there is to see
    if ((inside && pixels >= kMinPixels) || covers)
        return;
    std::int64_t length = range.length();
    if (pixels < kMinPixels || span.length() > length)
        length = static_cast<std::int64_t>(static_cast<double>(span.length()) / kShareOfView);
    const std::int64_t middle = span.from + span.length() / 2;
    m_state->setRange({middle - length / 2, middle + length / 2});
}

void TimelineView::scrollTo(EventId event)
{
    const auto rect = eventRect(m_scene, bodyView(), event);
    if (!rect)
        return;
    const int height = bodyRect().height();
    QScrollBar *bar = verticalScrollBar();
    if (rect->top() < 0 || rect->bottom() > height)
        bar->setValue(bar->value() + static_cast<int>(rect->center().y()) - height / 2);
}

// Along the drawing row of the selection; without one, the first event in view of the first lane.
void TimelineView::stepEvent(int direction)
{
    if (m_scene.empty() || !m_state)
        return;
    EventId next = m_state->selection();
    if (next.valid()) {
        const auto rows = m_scene.lod->rows(m_scene.trace->events.lane[next.value]);
        const auto events = m_scene.lod->events(rows[m_scene.trace->events.depth[next.value]]);
        const auto at = std::ranges::lower_bound(events, next) - events.begin() + direction;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(events.size()))
            return;
        next = events[static_cast<std::size_t>(at)];
    } else {
        const auto isLane = [](const LayoutRow &row) { return row.kind == LayoutRow::Kind::Events; };
        const auto lane = std::ranges::find_if(m_scene.layout.rows, isLane);
        if (lane == m_scene.layout.rows.end())
            return;
        const auto events = m_scene.lod->events(m_scene.lod->rows(LaneId{lane->index}).front());
        const auto start = [this](EventId e) { return m_scene.trace->start(e); };
        const auto first = std::ranges::lower_bound(events, m_state->range().from, {}, start);
        next = first == events.end() ? events.back() : *first;
    }
    m_state->select(next);
    ensureVisible(next);
    emit eventClicked(next);
}

void TimelineView::scrollBy(int rows)
{
    verticalScrollBar()->setValue(verticalScrollBar()->value() + rows * m_rowHeight);
}

void TimelineView::updateLinks()
{
    m_links.clear();
    if (m_scene.trace && m_state)
        m_links = linksOf(*m_scene.trace, m_state->selection());
    viewport()->update();
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBar();
}

void TimelineView::scrollContentsBy(int, int)
{
    viewport()->update(); // the body is painted by value; nothing to move
}

void TimelineView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        m_theme = TimelineTheme(palette());
        refresh();
        emit sceneChanged();
    } else if (event->type() == QEvent::FontChange) {
        applyFont();
    }
}

} // namespace tuneline::ui
