// SPDX-License-Identifier: GPL-3.0-or-later
// What one view of one trace shows: visible range, selection, marked range, filter. Timeline, charts and tables share
// one ViewState and never talk to each other. GUI thread only; owned by the page that shows the trace.
#pragma once

#include "analysis/trace/ids.h"
#include "ui/models/timerange.h"

#include <QObject>
#include <QString>
#include <optional>

namespace tuneline::ui {

class ViewState : public QObject
{
    Q_OBJECT
public:
    static constexpr std::int64_t kMinLength = 20; // ns: closest zoom

    explicit ViewState(QObject *parent = nullptr);

    // Of the whole trace. Shows all of it, clears selection and marks. An empty range stands for "no trace".
    void reset(TimeRange bounds);
    [[nodiscard]] TimeRange bounds() const { return m_bounds; }
    // How far one may scroll and zoom out; at least the bounds. Linked views widen it to what the other side needs.
    void setLimits(TimeRange limits);
    [[nodiscard]] TimeRange limits() const { return m_limits; }

    [[nodiscard]] TimeRange range() const { return m_range; }
    void setRange(TimeRange range); // clamped: length first, then position
    void zoomAt(std::int64_t anchor, double factor); // factor < 1 zooms in; the anchor keeps its place
    void panBy(std::int64_t ns);
    void fit(TimeRange what, double margin = 0.05); // shows it with a margin on both sides
    void showAll();

    [[nodiscard]] analysis::EventId selection() const { return m_selection; } // invalid: nothing
    void select(analysis::EventId event);
    [[nodiscard]] analysis::EventId hovered() const { return m_hovered; }
    void setHovered(analysis::EventId event);
    [[nodiscard]] std::optional<TimeRange> marked() const { return m_marked; } // measured or picked by the user
    void mark(std::optional<TimeRange> range);
    [[nodiscard]] QString filter() const { return m_filter; }
    void setFilter(const QString &text);

signals:
    void rangeChanged(tuneline::ui::TimeRange range);
    void limitsChanged(tuneline::ui::TimeRange limits);
    void selectionChanged(tuneline::analysis::EventId event);
    void hoveredChanged(tuneline::analysis::EventId event);
    void markedChanged();
    void filterChanged(const QString &text);
    void traceReset(); // reset() was called

private:
    TimeRange m_bounds, m_limits, m_range;
    analysis::EventId m_selection, m_hovered;
    std::optional<TimeRange> m_marked;
    QString m_filter;
};

} // namespace tuneline::ui
