// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timelinewidget.h"

#include "ui/timeline/timelinewidget_p.h"

#include <QVBoxLayout>
#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

// What to show first: everything but strays, which would squeeze the rest to nothing.
TimeRange rangeWithoutStrays(const Trace &trace)
{
    if (trace.report.count("stray-event") == 0)
        return {trace.spanBegin, trace.spanEnd};
    TimeRange range{trace.spanEnd, trace.spanBegin};
    constexpr std::uint8_t kNotDrawn = EventFlag::kStray | EventFlag::kNoTimestamp;
    for (std::size_t e = 0; e < trace.events.size(); ++e) {
        if (trace.events.flags[e] & kNotDrawn)
            continue;
        range.from = std::min(range.from, trace.events.start[e]);
        range.to = std::max(range.to, trace.events.start[e] + trace.events.duration[e]);
    }
    return range.empty() ? TimeRange{trace.spanBegin, trace.spanEnd} : range;
}

} // namespace

TimelineWidget::TimelineWidget(QWidget *parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(d->overview);
    layout->addWidget(d->view, 1);
    layout->addWidget(d->findBar);
    d->overview->hide();
    d->findBar->hide();
    setFocusProxy(d->view);
    d->connectParts();
    d->addActions();
    setViewState(d->ownState);
}

// Of a state that goes later than `d` we no longer want to hear.
TimelineWidget::~TimelineWidget()
{
    disconnect(d->state, nullptr, this, nullptr);
}

void TimelineWidget::setTrace(TracePtr trace, LodPtr lod, AnalysisPtr analysis)
{
    d->clearSearch();
    d->view->setScene(trace, std::move(lod));
    d->overview->setVisible(!d->compact && !d->view->scene().empty());
    if (trace) {
        d->state->reset({trace->spanBegin, std::max(trace->spanEnd, trace->spanBegin + ViewState::kMinLength)});
        d->state->setRange(rangeWithoutStrays(*trace));
    } else {
        d->state->reset({});
    }
    setAnalysis(std::move(analysis));
}

// Idle rows appear at once, their gaps as soon as they are sorted into a pyramid.
void TimelineWidget::setAnalysis(AnalysisPtr analysis)
{
    const TracePtr trace = d->view->scene().trace;
    d->view->setAnalysis(analysis, nullptr);
    if (!trace) {
        d->extrasJob.cancel();
        return;
    }
    d->extrasJob.start<TimelineExtras>(
        [trace, analysis](Progress &progress) { return buildExtras(*trace, analysis.get(), progress); },
        [this, analysis](Result<ExtrasPtr> extras) {
            if (extras)
                d->view->setAnalysis(analysis, *extras);
        });
}

TracePtr TimelineWidget::trace() const
{
    return d->view->scene().trace;
}

void TimelineWidget::setViewState(ViewState *state)
{
    if (d->state)
        disconnect(d->state, nullptr, this, nullptr);
    d->state = state ? state : d->ownState;
    d->view->setViewState(d->state);
    d->overview->setViewState(d->state);
    connect(d->state, &ViewState::filterChanged, this, &TimelineWidget::find);
    if (d->state != d->ownState)
        connect(d->state, &QObject::destroyed, this, [this] {
            d->state = nullptr; // half gone already: not even to be disconnected
            setViewState(nullptr);
        });
}

ViewState *TimelineWidget::viewState() const
{
    return d->state;
}

void TimelineWidget::setEmptyText(const QString &text)
{
    d->view->setEmptyText(text);
}

void TimelineWidget::setCompact(bool compact)
{
    d->compact = compact;
    d->overview->setVisible(!compact && !d->view->scene().empty());
    if (compact)
        d->findBar->hide();
}

void TimelineWidget::setTitle(const QString &title)
{
    d->view->setTitle(title);
}

void TimelineWidget::setHighlights(std::vector<EventId> events)
{
    d->view->setHighlights(std::move(events));
}

void TimelineWidget::ensureVisible(EventId event)
{
    d->view->ensureVisible(event);
}

void TimelineWidget::zoomToEvent(EventId event)
{
    const TracePtr trace = this->trace();
    if (!trace || !event.valid() || event.value >= trace->events.size())
        return;
    d->state->fit({trace->start(event), trace->end(event)}, 0.3);
    d->view->ensureVisible(event);
}

void TimelineWidget::zoomToRange(TimeRange range)
{
    d->state->fit(range);
}

void TimelineWidget::fitSelection()
{
    if (d->state->selection().valid())
        zoomToEvent(d->state->selection());
    else if (d->state->marked())
        d->state->fit(*d->state->marked());
    else
        d->state->showAll();
}

void TimelineWidget::setAllExpanded(bool expanded)
{
    d->view->setAllExpanded(expanded);
}

void TimelineWidget::find(const QString &text)
{
    d->search(text);
}

void TimelineWidget::findNext()
{
    d->stepMatch(1);
}

void TimelineWidget::findPrevious()
{
    d->stepMatch(-1);
}

void TimelineWidget::showFindBar()
{
    if (!d->view->scene().empty())
        d->findBar->start();
}

double TimelineWidget::lastFrameMs() const
{
    return d->view->lastFrameMs();
}

} // namespace tuneline::ui
