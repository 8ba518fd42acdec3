// SPDX-License-Identifier: GPL-3.0-or-later
// Parts and actions of the TimelineWidget. The actions are the widget's own (QWidget::actions), so that a window can
// put them into its menus.
#include "ui/timeline/timelinewidget_p.h"

#include <QAction>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

constexpr double kZoomIn = 0.7, kZoomOut = 1 / kZoomIn; // one key press
constexpr double kPanShare = 0.12; // of the visible range

std::int64_t shareOf(TimeRange range, double share)
{
    return static_cast<std::int64_t>(static_cast<double>(range.length()) * share);
}

} // namespace

TimelineWidget::Private::Private(TimelineWidget *widget)
    : q(widget)
    , ownState(new ViewState(widget))
    , view(new TimelineView(widget))
    , overview(new OverviewStrip(view->scene(), widget))
    , findBar(new FindBar(widget))
{ }

void TimelineWidget::Private::connectParts()
{
    connect(view, &TimelineView::sceneChanged, overview, &OverviewStrip::refresh);
    connect(view, &TimelineView::eventClicked, q, &TimelineWidget::eventSelected);
    connect(view, &TimelineView::eventActivated, q, &TimelineWidget::eventActivated);
    connect(view, &TimelineView::rangeMarked, q, &TimelineWidget::rangeMarked);
    connect(view, &TimelineView::stepActivated, q, &TimelineWidget::stepActivated);
    connect(view, &TimelineView::contextMenuRequested, q, &TimelineWidget::contextMenuRequested);
    connect(findBar, &FindBar::textEdited, q, &TimelineWidget::find);
    connect(findBar, &FindBar::nextRequested, q, &TimelineWidget::findNext);
    connect(findBar, &FindBar::previousRequested, q, &TimelineWidget::findPrevious);
    connect(findBar, &FindBar::closed, q, [this] {
        clearSearch();
        findBar->hide();
        view->setFocus();
        emit q->findChanged(0, 0);
    });
}

QAction *TimelineWidget::Private::add(const QString &text, const QList<QKeySequence> &keys, std::function<void()> what)
{
    auto *action = new QAction(text, q);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, q, std::move(what));
    q->addAction(action);
    return action;
}

void TimelineWidget::Private::addActions()
{
    addMoveActions();
    addShowActions();
    addFindActions();
}

void TimelineWidget::Private::addMoveActions()
{
    const auto zoom = [this](double factor) {
        const TimeRange range = state->range();
        state->zoomAt(range.from + range.length() / 2, factor);
    };
    const auto pan = [this](double share) { state->panBy(shareOf(state->range(), share)); };
    add(tr("Zoom in"), {Qt::Key_W, Qt::Key_Plus, QKeySequence::ZoomIn}, [zoom] { zoom(kZoomIn); });
    add(tr("Zoom out"), {Qt::Key_S, Qt::Key_Minus, QKeySequence::ZoomOut}, [zoom] { zoom(kZoomOut); });
    add(tr("Earlier"), {Qt::Key_A, Qt::Key_Left}, [pan] { pan(-kPanShare); });
    add(tr("Later"), {Qt::Key_D, Qt::Key_Right}, [pan] { pan(kPanShare); });
    add(tr("Scroll up"), {Qt::Key_Up}, [this] { view->scrollBy(-2); });
    add(tr("Scroll down"), {Qt::Key_Down}, [this] { view->scrollBy(2); });
    add(tr("Page up"), {Qt::Key_PageUp}, [this] { view->scrollBy(-20); });
    add(tr("Page down"), {Qt::Key_PageDown}, [this] { view->scrollBy(20); });
}

void TimelineWidget::Private::addShowActions()
{
    add(tr("Fit selection"), {Qt::Key_F}, [this] { q->fitSelection(); });
    add(tr("Show all"), {Qt::Key_Home}, [this] { state->showAll(); });
    add(tr("Mark the selection's time"), {Qt::Key_M}, [this] { markSelection(); });
    add(tr("Next event"), {Qt::Key_Period}, [this] { view->stepEvent(1); });
    add(tr("Previous event"), {Qt::Key_Comma}, [this] { view->stepEvent(-1); });
    add(tr("Zoom to the selection"), {Qt::Key_Return, Qt::Key_Enter}, [this] {
        if (!state->selection().valid())
            return;
        q->zoomToEvent(state->selection());
        emit q->eventActivated(state->selection());
    });
    add(tr("Clear"), {Qt::Key_Escape}, [this] { clear(); });
    add(tr("Unfold all lanes"), {Qt::SHIFT | Qt::Key_E}, [this] { view->setAllExpanded(true); });
    add(tr("Fold all lanes"), {Qt::SHIFT | Qt::Key_C}, [this] { view->setAllExpanded(false); });
}

void TimelineWidget::Private::addFindActions()
{
    add(tr("Find …"), {QKeySequence::Find, Qt::Key_Slash}, [this] { q->showFindBar(); });
    add(tr("Next match"), {QKeySequence::FindNext}, [this] { q->findNext(); });
    add(tr("Previous match"), {QKeySequence::FindPrevious}, [this] { q->findPrevious(); });
}

// What is selected becomes the marked range; without a selection, what is in view.
void TimelineWidget::Private::markSelection()
{
    const EventId event = state->selection();
    const TracePtr trace = view->scene().trace;
    if (!trace)
        return;
    const TimeRange range = event.valid() ? TimeRange{trace->start(event), trace->end(event)} : state->range();
    state->mark(range);
    emit q->rangeMarked(range);
}

void TimelineWidget::Private::clear()
{
    if (state->selection().valid()) {
        state->select({});
        emit q->eventSelected({});
    } else if (state->marked()) {
        state->mark(std::nullopt);
    } else if (!searchText.isEmpty()) {
        clearSearch();
        emit q->findChanged(0, 0);
    }
}

} // namespace tuneline::ui
