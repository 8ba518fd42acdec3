// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of TimelineWidget: its parts, its search and its actions.
#pragma once

#include "ui/jobs/job.h"
#include "ui/timeline/findbar.h"
#include "ui/timeline/overviewstrip.h"
#include "ui/timeline/timelineview.h"
#include "ui/timeline/timelinewidget.h"

#include <QKeySequence>
#include <QPointer>
#include <functional>

namespace tuneline::ui {

struct TimelineWidget::Private
{
    explicit Private(TimelineWidget *widget);
    void connectParts();

    // timelineactions.cpp
    void addActions();
    void addMoveActions();
    void addShowActions();
    void addFindActions();
    QAction *add(const QString &text, const QList<QKeySequence> &keys, std::function<void()> what);
    void markSelection();
    void clear(); // Esc: what is open or chosen, one thing at a time

    // timelinesearch.cpp
    void search(const QString &text);
    void clearSearch();
    void stepMatch(int direction);
    void found(MatchesPtr matches);

    TimelineWidget *q;
    ViewState *ownState; // used until another is set
    ViewState *state = nullptr;
    TimelineView *view;
    OverviewStrip *overview;
    FindBar *findBar;
    Job extrasJob, findJob;
    QString searchText;
    qsizetype currentMatch = -1; // index into Matches::byTime
    int stepAfterSearch = 0; // a step asked for while the search was still running
    bool compact = false;
};

} // namespace tuneline::ui
