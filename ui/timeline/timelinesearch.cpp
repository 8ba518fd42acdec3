// SPDX-License-Identifier: GPL-3.0-or-later
// Finding events: the search itself is a job, stepping through the matches is here.
#include "ui/timeline/timelinewidget_p.h"

#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

void TimelineWidget::Private::search(const QString &text)
{
    if (text == searchText)
        return;
    const TracePtr trace = view->scene().trace;
    if (text.isEmpty() || !trace) {
        clearSearch();
        emit q->findChanged(0, 0);
        return;
    }
    searchText = text;
    currentMatch = -1;
    stepAfterSearch = 0;
    findBar->setText(text);
    findBar->setSearching();
    findJob.start<Matches>([trace, text](Progress &progress) { return Matches::find(*trace, text, progress); },
                           [this](Result<MatchesPtr> matches) {
                               if (matches)
                                   found(*matches);
                           });
}

void TimelineWidget::Private::found(MatchesPtr matches)
{
    view->setMatches(matches);
    const qsizetype count = static_cast<qsizetype>(matches->byTime().size());
    findBar->setResult(0, count);
    emit q->findChanged(0, count);
    if (const int step = std::exchange(stepAfterSearch, 0))
        stepMatch(step);
}

void TimelineWidget::Private::clearSearch()
{
    findJob.cancel();
    searchText.clear();
    currentMatch = -1;
    stepAfterSearch = 0;
    view->setMatches(nullptr);
    findBar->setText({});
    findBar->setResult(0, 0);
}

// From where one looks: the first step goes to the first match in view, or after it.
void TimelineWidget::Private::stepMatch(int direction)
{
    const MatchesPtr matches = view->scene().matches;
    if (!matches) {
        stepAfterSearch = findJob.running() ? direction : 0;
        return;
    }
    const auto &events = matches->byTime();
    if (events.empty())
        return;
    const auto count = static_cast<qsizetype>(events.size());
    if (currentMatch < 0) {
        const auto start = [this](EventId e) { return view->scene().trace->start(e); };
        currentMatch = std::ranges::lower_bound(events, state->range().from, {}, start) - events.begin();
        currentMatch -= direction < 0 ? 1 : 0;
    } else {
        currentMatch += direction;
    }
    currentMatch = (currentMatch + count) % count;
    const EventId event = events[static_cast<std::size_t>(currentMatch)];
    state->select(event);
    view->ensureVisible(event);
    findBar->setResult(currentMatch + 1, count);
    emit q->findChanged(currentMatch + 1, count);
    emit q->eventSelected(event);
}

} // namespace tuneline::ui
