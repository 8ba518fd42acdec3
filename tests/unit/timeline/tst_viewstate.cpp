// SPDX-License-Identifier: GPL-3.0-or-later
// Visible range, zoom, and views that move together.
#include "ui/models/viewlink.h"
#include "ui/models/viewstate.h"

#include <QSignalSpy>
#include <QTest>

using namespace tuneline::ui;
using tuneline::analysis::EventId;

class TestViewState : public QObject
{
    Q_OBJECT

private slots:
    void clampsLengthThenPosition()
    {
        ViewState view;
        view.reset({0, 1000});
        QCOMPARE(view.range(), (TimeRange{0, 1000}));
        view.setRange({-500, -400}); // out of the trace: same length, pushed inside
        QCOMPARE(view.range(), (TimeRange{0, 100}));
        view.setRange({950, 1050});
        QCOMPARE(view.range(), (TimeRange{900, 1000}));
        view.setRange({500, 501}); // closer than the closest
        QCOMPARE(view.range().length(), ViewState::kMinLength);
        QVERIFY(view.range().contains(500));
        view.setRange({-5000, 5000});
        QCOMPARE(view.range(), (TimeRange{0, 1000}));
    }

    void emptyTraceStaysEmpty()
    {
        ViewState view;
        view.setRange({0, 10});
        view.zoomAt(5, 0.5);
        view.panBy(3);
        view.showAll();
        QVERIFY(view.range().empty());
    }

    void zoomKeepsTheAnchor_data()
    {
        QTest::addColumn<qint64>("anchor");
        for (const qint64 anchor : {qint64{400'000}, qint64{500'000}, qint64{599'999}})
            QTest::newRow(qPrintable(QString::number(anchor))) << anchor;
    }
    void zoomKeepsTheAnchor()
    {
        QFETCH(qint64, anchor);
        ViewState view;
        view.reset({0, 1'000'000});
        view.setRange({400'000, 600'000});
        const auto place = [&] {
            return static_cast<double>(anchor - view.range().from) / static_cast<double>(view.range().length());
        };
        const double before = place();
        view.zoomAt(anchor, 0.5);
        QCOMPARE(view.range().length(), std::int64_t{100'000});
        QVERIFY(std::abs(place() - before) < 1e-4);
        view.zoomAt(anchor, 2);
        QCOMPARE(view.range().length(), std::int64_t{200'000});
        QVERIFY(std::abs(view.range().from - 400'000) <= 1); // the anchor lies between two ns
    }

    void zoomStopsAtBothEnds()
    {
        ViewState view;
        view.reset({0, 1'000'000});
        for (int i = 0; i < 100; ++i)
            view.zoomAt(123'456, 0.5);
        QCOMPARE(view.range().length(), ViewState::kMinLength);
        QVERIFY(view.range().contains(123'456));
        for (int i = 0; i < 100; ++i)
            view.zoomAt(123'456, 2);
        QCOMPARE(view.range(), view.bounds());
        view.zoomAt(5, 0);
        view.zoomAt(5, -1);
        QCOMPARE(view.range(), view.bounds());
    }

    void signalsOnlyOnChange()
    {
        ViewState view;
        view.reset({0, 1000});
        QSignalSpy range(&view, &ViewState::rangeChanged), selection(&view, &ViewState::selectionChanged),
            marked(&view, &ViewState::markedChanged), filter(&view, &ViewState::filterChanged);
        view.setRange({0, 1000});
        view.select({});
        view.mark(std::nullopt);
        view.setFilter({});
        QCOMPARE(range.count() + selection.count() + marked.count() + filter.count(), 0);
        view.setRange({0, 500});
        view.select(EventId{3U});
        view.select(EventId{3U});
        view.mark(TimeRange{1, 2});
        view.setFilter(QStringLiteral("aten"));
        QCOMPARE(range.count(), 1);
        QCOMPARE(selection.count(), 1);
        QCOMPARE(marked.count(), 1);
        QCOMPARE(filter.count(), 1);
        view.reset({0, 10});
        QVERIFY(!view.selection().valid());
        QVERIFY(!view.marked());
    }

    void linkedViewsMoveTogether()
    {
        ViewState before, after;
        before.reset({0, 1000});
        after.reset({0, 3000});
        ViewLink link;
        link.add(&before);
        link.add(&after, 500); // after's step 1 lies 500 ns later
        before.setRange({100, 300});
        QCOMPARE(after.range(), (TimeRange{600, 800}));
        after.setRange({2500, 2900}); // beyond the end of the other: it follows all the same
        QCOMPARE(before.range(), (TimeRange{2000, 2400}));
        link.setOffset(&after, 400);
        QCOMPARE(before.range(), (TimeRange{2000, 2400}));
        QCOMPARE(after.range(), (TimeRange{2400, 2800}));
        link.setEnabled(false);
        before.setRange({0, 100});
        QCOMPARE(after.range(), (TimeRange{2400, 2800}));
        link.setEnabled(true);
        QCOMPARE(after.range(), (TimeRange{400, 500}));
    }

    void aLinkedViewMayGo()
    {
        ViewState before;
        before.reset({0, 1000});
        ViewLink link;
        link.add(&before);
        {
            ViewState after;
            after.reset({0, 1000});
            link.add(&after);
        }
        before.setRange({10, 100});
        QCOMPARE(before.range(), (TimeRange{10, 100}));
    }
};

QTEST_GUILESS_MAIN(TestViewState)
#include "tst_viewstate.moc"
