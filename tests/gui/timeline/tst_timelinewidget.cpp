// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline under real mouse and key events.
#include "tests/gui/support/guitest.h"
#include "tests/gui/support/syntheticrun.h"
#include "tests/unit/timeline/sampletrace.h"
#include "ui/timeline/overviewstrip.h"
#include "ui/timeline/timelineview.h"
#include "ui/timeline/timelinewidget.h"

#include <QAction>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

using namespace tuneline::analysis;
using namespace tuneline::test;
using namespace tuneline::ui;

namespace {

void wheel(QWidget *target, QPoint at, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWheelEvent event(at, target->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(target, &event);
}

void drag(QWidget *target, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QTest::mousePress(target, Qt::LeftButton, modifiers, from);
    for (const double share : {0.3, 0.7, 1.0}) { // as a hand would: in steps
        const QPoint at = from + (QPointF(to - from) * share).toPoint();
        QMouseEvent move(QEvent::MouseMove, at, target->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(target, &move);
    }
    QTest::mouseRelease(target, Qt::LeftButton, modifiers, to);
}

} // namespace

class TestTimelineWidget : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { m_document = makeDocument(); }

    void init()
    {
        m_timeline = std::make_unique<TimelineWidget>();
        m_timeline->resize(1000, 600);
        m_timeline->setTrace(m_document.trace, m_document.lod, m_document.analysis);
        m_timeline->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_timeline.get()));
        m_timeline->activateWindow();
        m_timeline->setFocus();
        m_view = m_timeline->findChild<TimelineView *>();
        m_state = m_timeline->viewState();
        QTRY_VERIFY(m_view->scene().extras); // built by a job
        m_timeline->grab();
    }
    void cleanup() { m_timeline.reset(); }

    void showsTheWholeTraceFirst()
    {
        QCOMPARE(m_state->range(), (TimeRange{m_document.trace->spanBegin, m_document.trace->spanEnd}));
        QVERIFY(!m_view->scene().layout.rows.empty());
    }

    void wheelZoomsAtTheCursor()
    {
        const QPoint at = m_view->bodyRect().center() + QPoint(150, 0);
        const std::int64_t time = m_view->hitTest(at).time;
        const std::int64_t before = m_state->range().length();
        wheel(m_view->viewport(), at, 3);
        QVERIFY(m_state->range().length() < before * 6 / 10);
        const double pixel = static_cast<double>(m_state->range().length()) / m_view->bodyRect().width();
        QVERIFY(static_cast<double>(std::abs(m_view->hitTest(at).time - time)) <= pixel + 1);
        wheel(m_view->viewport(), at, -30);
        QCOMPARE(m_state->range(), m_state->limits());
    }

    void shiftWheelPans()
    {
        m_state->setRange({10'000'000, 20'000'000});
        wheel(m_view->viewport(), m_view->bodyRect().center(), -1, Qt::ShiftModifier);
        QCOMPARE(m_state->range(), (TimeRange{11'000'000, 21'000'000}));
    }

    void dragPans()
    {
        m_state->setRange({10'000'000, 20'000'000});
        const QPoint from = m_view->bodyRect().center();
        drag(m_view->viewport(), from, from - QPoint(m_view->bodyRect().width() / 4, 0));
        QVERIFY(std::abs(m_state->range().from - 12'500'000) < 30'000);
        QCOMPARE(m_state->range().length(), std::int64_t{10'000'000});
        QVERIFY(!m_state->selection().valid()); // a drag is no click
    }

    void shiftDragMarksARange()
    {
        QSignalSpy marked(m_timeline.get(), &TimelineWidget::rangeMarked);
        const TimeRange before = m_state->range();
        const QRect body = m_view->bodyRect();
        drag(m_view->viewport(), {body.left() + 100, body.center().y()}, {body.left() + 300, body.center().y()},
             Qt::ShiftModifier);
        QVERIFY(m_state->marked());
        QCOMPARE(m_state->range(), before);
        const double expected = 200.0 / body.width() * static_cast<double>(before.length());
        QVERIFY(std::abs(static_cast<double>(m_state->marked()->length()) - expected) < 0.02 * expected);
        QCOMPARE(marked.count(), 1);
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {},
                           {body.left() + 200, 5}); // in the ruler, inside the mark
        QVERIFY(std::abs(static_cast<double>(m_state->range().length()) - expected) < 0.02 * expected);
    }

    void rulerDragMarksToo()
    {
        const QRect body = m_view->bodyRect();
        drag(m_view->viewport(), {body.left() + 400, 5}, {body.left() + 300, 5}); // backwards
        QVERIFY(m_state->marked());
        QVERIFY(m_state->marked()->length() > 0);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, {body.left() + 30, 5});
        QVERIFY(!m_state->marked());
    }

    void clickSelectsAndDrawsLinks()
    {
        QSignalSpy selected(m_timeline.get(), &TimelineWidget::eventSelected);
        const EventId kernel = firstOf(EventKind::Kernel);
        m_timeline->ensureVisible(kernel);
        m_timeline->zoomToEvent(kernel);
        const QRectF rect = m_view->rectOf(kernel);
        QVERIFY(!rect.isNull());
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, rect.center().toPoint());
        QCOMPARE(m_state->selection(), kernel);
        QCOMPARE(selected.count(), 1);
        QTest::keyClick(m_timeline.get(), Qt::Key_Escape);
        QVERIFY(!m_state->selection().valid());
        QCOMPARE(selected.count(), 2);
    }

    void doubleClickZooms()
    {
        QSignalSpy activated(m_timeline.get(), &TimelineWidget::eventActivated);
        const EventId kernel = longestOf(EventKind::Kernel);
        m_timeline->ensureVisible(kernel);
        const QPoint at = m_view->rectOf(kernel).center().toPoint();
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(activated.count(), 1);
        const EventId zoomed = m_state->selection();
        QVERIFY(zoomed.valid());
        const double share =
            static_cast<double>(m_document.trace->duration(zoomed)) / static_cast<double>(m_state->range().length());
        QVERIFY(share > 0.5 && share < 0.7);
    }

    void keysMove()
    {
        m_state->setRange({20'000'000, 30'000'000});
        QTest::keyClick(m_timeline.get(), Qt::Key_W);
        QCOMPARE(m_state->range().length(), std::int64_t{7'000'000});
        QTest::keyClick(m_timeline.get(), Qt::Key_S);
        QCOMPARE(m_state->range(), (TimeRange{20'000'000, 30'000'000}));
        QTest::keyClick(m_timeline.get(), Qt::Key_D);
        QCOMPARE(m_state->range().from, std::int64_t{21'200'000});
        QTest::keyClick(m_timeline.get(), Qt::Key_A);
        QTest::keyClick(m_timeline.get(), Qt::Key_Left);
        QCOMPARE(m_state->range().from, std::int64_t{18'800'000});
        QTest::keyClick(m_timeline.get(), Qt::Key_Home);
        QCOMPARE(m_state->range(), m_state->limits());
    }

    void keysStepAlongTheLane()
    {
        const EventId first = firstOf(EventKind::Kernel);
        m_state->select(first);
        QTest::keyClick(m_timeline.get(), Qt::Key_Period);
        const EventId second = m_state->selection();
        QVERIFY(second != first);
        QCOMPARE(m_document.trace->events.lane[second.value], m_document.trace->events.lane[first.value]);
        QVERIFY(m_document.trace->start(second) >= m_document.trace->end(first));
        QTest::keyClick(m_timeline.get(), Qt::Key_Comma);
        QCOMPARE(m_state->selection(), first);
        QTest::keyClick(m_timeline.get(), Qt::Key_Comma); // there is none before
        QCOMPARE(m_state->selection(), first);
        QTest::keyClick(m_timeline.get(), Qt::Key_M);
        QCOMPARE(m_state->marked()->length(), m_document.trace->duration(first));
        QTest::keyClick(m_timeline.get(), Qt::Key_F);
        QVERIFY(m_state->range().length() < m_state->limits().length() / 4);
    }

    void stepsRowIsThere()
    {
        QSignalSpy steps(m_timeline.get(), &TimelineWidget::stepActivated);
        const QRect body = m_view->bodyRect();
        const QPoint at(body.center().x(), body.top() - 8);
        QCOMPARE(m_view->hitTest(at).area, TimelineView::Area::Steps);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(steps.count(), 1);
        const Step &step = m_document.analysis->stepSet().list[steps.first().first().toUInt()];
        QCOMPARE(m_state->marked(), (std::optional<TimeRange>({step.start, step.end})));
    }

    void idleGapsExplainThemselves()
    {
        const auto row = std::ranges::find(m_view->scene().layout.rows, LayoutRow::Kind::Idle, &LayoutRow::kind);
        QVERIFY(row != m_view->scene().layout.rows.end());
        const DeviceMetrics &device = m_document.analysis->devices[row->index];
        QVERIFY(!device.pieces.empty());
        const auto longest =
            std::ranges::max_element(device.pieces, {}, [](const IdlePiece &p) { return p.end - p.start; });
        m_state->fit({longest->start, longest->end});
        const QRect body = m_view->bodyRect();
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {},
                          {body.center().x(), body.top() + row->y + row->height / 2});
        QCOMPARE(m_state->marked(), (std::optional<TimeRange>({longest->start, longest->end})));
    }

    void headersFold()
    {
        const auto foldable = std::ranges::find(m_view->scene().layout.rows, true, &LayoutRow::foldable);
        QVERIFY(foldable != m_view->scene().layout.rows.end());
        const std::uint32_t lane = foldable->index;
        const int height = m_view->scene().layout.height;
        const QPoint at(20, m_view->bodyRect().top() + foldable->y + 6);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at);
        QVERIFY(m_view->scene().layout.rowOfLane(LaneId{lane})->folded);
        QVERIFY(m_view->scene().layout.height < height);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(m_view->scene().layout.height, height);
    }

    void findHighlightsAndSteps()
    {
        QSignalSpy found(m_timeline.get(), &TimelineWidget::findChanged);
        QTest::keyClick(m_timeline.get(), Qt::Key_F, Qt::ControlModifier);
        auto *text = m_timeline->findChild<QLineEdit *>();
        QVERIFY(text && text->isVisible() && text->hasFocus());
        const QString name = QString::fromStdString(std::string(m_document.trace->name(firstOf(EventKind::Kernel))));
        QTest::keyClicks(text, name.left(4));
        QTRY_VERIFY(found.count() > 0);
        const auto matches = found.last().at(1).value<qsizetype>();
        QVERIFY(matches > 0);
        QTest::keyClick(text, Qt::Key_Return);
        QCOMPARE(found.last().at(0).value<qsizetype>(), qsizetype{1});
        const EventId first = m_state->selection();
        QVERIFY(first.valid());
        QTest::keyClick(text, Qt::Key_Return, Qt::ShiftModifier); // wraps around to the last
        QCOMPARE(found.last().at(0).value<qsizetype>(), matches);
        QTest::keyClick(text, Qt::Key_Escape);
        QVERIFY(!m_view->scene().matches);
        QVERIFY(!text->isVisible());
        m_timeline->find(QStringLiteral("surely nothing has this name"));
        QTRY_VERIFY(m_view->scene().matches);
        QCOMPARE(found.last().at(1).value<qsizetype>(), qsizetype{0});
    }

    void overviewMovesTheRange()
    {
        auto *overview = m_timeline->findChild<OverviewStrip *>();
        QVERIFY(overview->isVisible());
        const TimeRange all = m_state->limits();
        m_state->setRange({all.from, all.from + all.length() / 10});
        const QPoint middle = overview->windowRect().center().toPoint();
        drag(overview, middle, middle + QPoint(overview->width() / 2, 0));
        QVERIFY(std::abs(m_state->range().from - (all.from + all.length() / 2)) < all.length() / 50);
        QCOMPARE(m_state->range().length(), all.length() / 10);
        const QRectF window = overview->windowRect();
        drag(overview, QPoint(static_cast<int>(window.right()), 10),
             QPoint(static_cast<int>(window.right()) + 100, 10)); // its edge
        QVERIFY(m_state->range().length() > all.length() / 6);
        drag(overview, QPoint(20, 10), QPoint(120, 10)); // outside: a new range
        QVERIFY(std::abs(m_state->range().length() - all.length() / 10) < all.length() / 50);
    }

    void ensureVisibleUnfolds()
    {
        m_timeline->setAllExpanded(false);
        const EventId call = firstOf(EventKind::Runtime);
        QVERIFY(m_document.trace->events.depth[call.value] > 0);
        m_timeline->ensureVisible(call);
        const QRectF rect = m_view->rectOf(call);
        QVERIFY(QRectF(m_view->bodyRect()).intersects(rect));
        QVERIFY(rect.width() >= 3);
    }

    void deepStacksAreReachable()
    {
        SampleTrace sample;
        const LaneId lane = sample.cpu("1");
        for (int i = 0; i < 3000; ++i)
            sample.add(lane, {1 + i, 2 * (3000 - i), "frame", EventKind::Python});
        const TracePtr trace = sample.finish();
        m_timeline->setTrace(trace, lodOf(*trace));
        const auto more = std::ranges::find(m_view->scene().layout.rows, LayoutRow::Kind::More, &LayoutRow::kind);
        QVERIFY(more != m_view->scene().layout.rows.end());
        QVERIFY(more->hidden > 2900);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {},
                          QPoint(m_view->bodyRect().left() + 30, m_view->bodyRect().top() + more->y + 5));
        QVERIFY(m_view->scene().layout.height > 3000 * 10);
        QVERIFY(m_view->verticalScrollBar()->maximum() > 0);
        m_timeline->ensureVisible(EventId{2999U});
        QVERIFY(QRectF(m_view->bodyRect()).intersects(m_view->rectOf(EventId{2999U})));
    }

    void emptyAndReplacedTraces()
    {
        m_state->select(firstOf(EventKind::Kernel));
        m_timeline->setTrace(nullptr, nullptr);
        m_timeline->setEmptyText(QStringLiteral("Opening …"));
        QVERIFY(!m_timeline->grab().isNull());
        QVERIFY(m_state->range().empty());
        QVERIFY(!m_state->selection().valid());
        for (const int key : {Qt::Key_W, Qt::Key_F, Qt::Key_M, Qt::Key_Period, Qt::Key_Home, Qt::Key_Escape})
            QTest::keyClick(m_timeline.get(), static_cast<Qt::Key>(key));
        wheel(m_view->viewport(), {300, 300}, 2);
        m_timeline->setTrace(m_document.trace, m_document.lod);
        QVERIFY(std::ranges::find(m_view->scene().layout.rows, LayoutRow::Kind::Idle, &LayoutRow::kind)
                == m_view->scene().layout.rows.end()); // no analysis, no idle rows
        m_timeline->setAnalysis(m_document.analysis);
        QTRY_VERIFY(m_view->scene().extras && m_view->scene().analysis);
    }

    void aForeignViewStateMayGo()
    {
        auto other = std::make_unique<ViewState>();
        other->reset({0, 1000});
        m_timeline->setViewState(other.get());
        QCOMPARE(m_timeline->viewState(), other.get());
        other.reset();
        QVERIFY(m_timeline->viewState());
        m_timeline->grab();
    }

    // What is drawn changes with the theme and nothing crashes; the pictures themselves are for people.
    void bothThemes()
    {
        const QImage light = m_timeline->grab().toImage();
        Theme::instance().apply(ThemeMode::Dark);
        const QImage night = m_timeline->grab().toImage();
        Theme::instance().apply(ThemeMode::Light);
        QCOMPARE(light.size(), night.size());
        const QPoint corner = m_view->bodyRect().bottomRight() - QPoint(3, 3);
        const QPoint point = m_view->mapTo(m_timeline.get(), corner);
        QVERIFY(qGray(light.pixel(point)) > 200);
        QVERIFY(qGray(night.pixel(point)) < 60);
    }

    void actionsAreForMenus()
    {
        QSet<QString> texts;
        for (const QAction *action : m_timeline->actions()) {
            QVERIFY(!action->text().isEmpty());
            QVERIFY(!action->shortcuts().isEmpty());
            texts.insert(action->text());
        }
        QCOMPARE(texts.size(), m_timeline->actions().size());
    }

private:
    [[nodiscard]] EventId firstOf(EventKind kind) const
    {
        const auto &kinds = m_document.trace->events.kind;
        return EventId{static_cast<std::size_t>(std::ranges::find(kinds, kind) - kinds.begin())};
    }
    [[nodiscard]] EventId longestOf(EventKind kind) const
    {
        EventId best = firstOf(kind);
        for (std::uint32_t e = 0; e < m_document.trace->events.size(); ++e) {
            if (m_document.trace->events.kind[e] == kind
                && m_document.trace->duration(EventId{e}) > m_document.trace->duration(best))
                best = EventId{e};
        }
        return best;
    }

    Document m_document;
    std::unique_ptr<TimelineWidget> m_timeline;
    TimelineView *m_view = nullptr;
    ViewState *m_state = nullptr;
};

GUI_TEST_MAIN(TestTimelineWidget)
#include "tst_timelinewidget.moc"
