// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of one trace: overview strip, time ruler, steps, idle gaps, streams, CPU threads, counters. Reads
// immutable data only; nothing here sorts or aggregates a trace. GUI thread only.
//
// Mouse: wheel zooms at the cursor, shift+wheel or a trackpad pans, ctrl+wheel scrolls, drag pans, shift+drag or a drag
// in the ruler marks a range (double click in it zooms to it), click selects, double click zooms to the event.
// Keys: W S zoom, A D and arrows move, F fit selection, Home all, M mark what is selected, comma and dot step through
// the lane, Ctrl+F find, F3 and Shift+F3 next and previous match, Esc clears. All of them are QActions of this widget.
#pragma once

#include "analysis/trace/lod.h"
#include "analysis/trace/trace.h"
#include "ui/models/viewstate.h"

#include <QWidget>
#include <memory>
#include <vector>

namespace tuneline::analysis {
struct Analysis;
}

namespace tuneline::ui {

class TimelineWidget : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineWidget(QWidget *parent = nullptr);
    ~TimelineWidget() override;

    // Shows a trace from its beginning to its end; an empty pointer clears. The Lod must be built from this very trace.
    // Without an analysis there are no steps and no idle rows; setAnalysis may add them later and keeps the view.
    void setTrace(analysis::TracePtr trace, analysis::LodPtr lod,
                  std::shared_ptr<const analysis::Analysis> analysis = {});
    void setAnalysis(std::shared_ptr<const analysis::Analysis> analysis);
    [[nodiscard]] analysis::TracePtr trace() const;

    // Not owned; must outlive the widget or be replaced. Until then the widget has one of its own. setTrace resets it.
    void setViewState(ViewState *state);
    [[nodiscard]] ViewState *viewState() const;

    // What to say while there is no trace ("Opening …", "No capture yet").
    void setEmptyText(const QString &text);
    // Without overview strip and find bar, for two stacked timelines.
    void setCompact(bool compact);
    // A line over the lane names ("before", "rank 1 · run 12"); "" hides it.
    void setTitle(const QString &title);
    // Events to point out besides the selection: the evidence of a finding. Replaces the last ones.
    void setHighlights(std::vector<analysis::EventId> events);

    // Expands its lane, scrolls to it and, where it is out of range or too narrow to see, moves the range.
    void ensureVisible(analysis::EventId event);
    void zoomToEvent(analysis::EventId event);
    void zoomToRange(TimeRange range);
    void fitSelection(); // or all, if nothing is selected
    void setAllExpanded(bool expanded); // lanes and rank groups

    // Highlights the events whose name contains the text (no case); "" ends it. Runs off the GUI thread; see
    // findChanged.
    void find(const QString &text);
    void findNext();
    void findPrevious();
    void showFindBar();

    [[nodiscard]] double lastFrameMs() const; // of the last full repaint, for benchmarks and the frame overlay

signals:
    void eventSelected(tuneline::analysis::EventId event); // by the user; invalid = deselected
    void eventActivated(tuneline::analysis::EventId event); // double click or Return
    void rangeMarked(tuneline::ui::TimeRange range); // by the user
    void findChanged(qsizetype current, qsizetype matches); // current: 1-based, 0 = none yet
    void stepActivated(int step); // click in the steps row
    void contextMenuRequested(const QPoint &globalPos, tuneline::analysis::EventId event);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace tuneline::ui
