// SPDX-License-Identifier: GPL-3.0-or-later
// The window: opening with progress and cancel, errors in place, import report, drops, keys, pages.
#include "tests/gui/support/guitest.h"
#include "tests/gui/support/syntheticrun.h"
#include "ui/advisor/advisorpanel.h"
#include "ui/timeline/timelinewidget.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/filelist.h"
#include "ui/widgets/helppage.h"
#include "ui/widgets/loadingpage.h"
#include "ui/widgets/mainactions.h"
#include "ui/widgets/mainwindow.h"
#include "ui/widgets/namerowmodel.h"
#include "ui/widgets/preferences.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/statusline.h"
#include "ui/widgets/tablepage.h"
#include "ui/widgets/tracepage.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QDragEnterEvent>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

using namespace tuneline;
using namespace tuneline::ui;

class WindowTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }
    void startsOnTheStartPage();
    void opensAFile();
    void cancelGoesBack();
    void aSecondOpenReplacesTheFirst();
    void missingFilesAreSaidInPlace();
    void garbageIsSaidInPlace();
    void theImportReportIsOneClickAway();
    void dropsOpen();
    void keysWork();
    void selectionFillsTheDetails();
    void tablesFindInTheTimeline();
    void tableModelsBehave();
    void helpOpensAndCloses();

private:
    void open(const QString &file);

    QTemporaryDir m_folder;
    QString m_run, m_other, m_big, m_garbage;
    std::unique_ptr<MainWindow> m_window;
};

void WindowTest::initTestCase()
{
    m_run = m_folder.filePath("run.json");
    m_other = m_folder.filePath("other.json");
    m_big = m_folder.filePath("big.json");
    m_garbage = m_folder.filePath("garbage.json");
    QVERIFY(test::writeKineto(m_run));
    QVERIFY(test::writeKineto(m_other));
    test::RunShape big;
    big.steps = 200;
    QVERIFY(test::writeKineto(m_big, big, 200));
    QFile garbage(m_garbage);
    QVERIFY(garbage.open(QIODevice::WriteOnly));
    garbage.write("this is no trace at all\n");
}

void WindowTest::init()
{
    preferences::clearRecentFiles();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1280, 720);
    m_window->show();
    m_window->activateWindow(); // keys go to the active window only
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void WindowTest::open(const QString &file)
{
    QSignalSpy settled(m_window.get(), &MainWindow::settled);
    m_window->openFiles({file});
    QTRY_COMPARE_WITH_TIMEOUT(settled.count(), 1, 30000);
}

void WindowTest::startsOnTheStartPage()
{
    QCOMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->startPage()));
    QVERIFY(!m_window->startPage()->problem()->isVisible());
    QVERIFY(!m_window->actions()->find->isEnabled());
}

void WindowTest::opensAFile()
{
    m_window->openFiles({m_run});
    QCOMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->loadingPage()));
    QTRY_COMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->tracePage()));
    QVERIFY(m_window->tracePage()->timeline()->trace());
    QTRY_VERIFY(!m_window->busy());
    QCOMPARE(preferences::recentFiles().value(0), m_run);
    QVERIFY(m_window->windowTitle().contains("run.json"));
    QVERIFY(m_window->actions()->find->isEnabled());
}

void WindowTest::cancelGoesBack()
{
    m_window->openFiles({m_big});
    auto *cancel = m_window->loadingPage()->findChild<QPushButton *>();
    QTest::mouseClick(cancel, Qt::LeftButton);
    QCOMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->startPage()));
    QVERIFY(!m_window->busy());
    QTest::qWait(100);
    QCOMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->startPage())); // no late result
    open(m_run);
    m_window->openFiles({m_big});
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    // a button that is pressed by its shortcut shows it for 100 ms
    QTRY_COMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->tracePage())); // what was open stays open
}

void WindowTest::aSecondOpenReplacesTheFirst()
{
    QSignalSpy settled(m_window.get(), &MainWindow::settled);
    m_window->openFiles({m_big});
    m_window->openFiles({m_other});
    QTRY_COMPARE_WITH_TIMEOUT(settled.count(), 1, 30000);
    QVERIFY(m_window->windowTitle().contains("other.json"));
    QTest::qWait(100);
    QCOMPARE(settled.count(), 1);
    QVERIFY(!preferences::recentFiles().contains(m_big));
}

void WindowTest::missingFilesAreSaidInPlace()
{
    open(m_folder.filePath("nothing-here.json"));
    QCOMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->startPage()));
    Banner *problem = m_window->startPage()->problem();
    QVERIFY(problem->isVisible());
    QVERIFY(problem->title().contains("nothing-here.json"));
    QCOMPARE(problem->kind(), BannerKind::Error);
}

void WindowTest::garbageIsSaidInPlace()
{
    open(m_garbage);
    Banner *problem = m_window->startPage()->problem();
    QVERIFY(problem->isVisible());
    QVERIFY(problem->text().contains(".sqlite")); // says what can be read
    const auto buttons = problem->findChildren<QPushButton *>();
    QTest::mouseClick(buttons.last(), Qt::LeftButton); // dismiss
    QVERIFY(!problem->isVisible());
}

void WindowTest::theImportReportIsOneClickAway()
{
    open(m_run);
    QToolButton *import = m_window->statusLine()->importButton();
    QVERIFY(import->isVisible());
    QTest::mouseClick(import, Qt::LeftButton);
    QTabWidget *tabs = m_window->tracePage()->tabs();
    QVERIFY(tabs->tabText(tabs->currentIndex()).startsWith("Import"));
}

void WindowTest::dropsOpen()
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(m_run)});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy settled(m_window.get(), &MainWindow::settled);
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(m_window.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(settled.count(), 1, 30000);
    QVERIFY(m_window->windowTitle().contains("run.json"));
}

void WindowTest::keysWork()
{
    open(m_run);
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::ControlModifier);
    QVERIFY(!m_window->tracePage()->advisor()->isVisible());
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::ControlModifier);
    QVERIFY(m_window->tracePage()->advisor()->isVisible());
    const TimeRange all = m_window->tracePage()->viewState()->range();
    m_window->actions()->zoomIn->trigger();
    QVERIFY(m_window->tracePage()->viewState()->range().length() < all.length());
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(Theme::instance().dark());
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!Theme::instance().dark());
}

void WindowTest::selectionFillsTheDetails()
{
    open(m_run);
    TracePage *page = m_window->tracePage();
    const auto trace = page->timeline()->trace();
    analysis::EventId kernel;
    for (std::uint32_t i = 0; i < trace->events.size(); ++i) {
        if (trace->kind(analysis::EventId{i}) == analysis::EventKind::Kernel)
            kernel = analysis::EventId{i};
    }
    QVERIFY(kernel.valid());
    page->viewState()->select(kernel);
    QStringList names;
    for (QTableView *view : page->tabs()->widget(0)->findChildren<QTableView *>()) {
        for (int row = 0; row < view->model()->rowCount(); ++row)
            names << view->model()->index(row, 0).data().toString();
    }
    QVERIFY(names.join('\n').contains("cudaLaunchKernel")); // the chain reaches the host
}

void WindowTest::tablesFindInTheTimeline()
{
    open(m_run);
    TracePage *page = m_window->tracePage();
    page->tabs()->setCurrentIndex(1);
    auto *view = page->tabs()->widget(1)->findChild<QTableView *>();
    QVERIFY(view->model()->rowCount() > 0);
    QSignalSpy found(page->timeline(), &TimelineWidget::findChanged);
    const QModelIndex first = view->model()->index(0, 0);
    const QPoint at = view->visualRect(first).center();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at);
    QTest::keyClick(view, Qt::Key_Return);
    QTRY_VERIFY(!found.isEmpty() && found.last().at(1).toLongLong() > 0);
}

void WindowTest::tableModelsBehave()
{
    NameRowModel model(TableKind::Kernels);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const Document document = test::makeDocument();
    model.setAnalysis(document.analysis);
    QCOMPARE(model.rowCount(), 2); // two kernels by name
    QVERIFY(!model.showsColumn(NameRowModel::Self));
    model.setAnalysis({});
    QCOMPARE(model.rowCount(), 0);
}

void WindowTest::helpOpensAndCloses()
{
    open(m_run);
    QTest::keyClick(m_window.get(), Qt::Key_F1);
    QVERIFY(m_window->currentPage()->inherits("tuneline::ui::HelpPage"));
    const auto *contents = m_window->currentPage()->findChild<QListWidget *>();
    QVERIFY(contents);
    QCOMPARE(contents->findItems("Export formats", Qt::MatchExactly).size(), 1);
    QCOMPARE(contents->item(0)->text(), QString("The loop"));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    // a button that is pressed by its shortcut shows it for 100 ms
    QTRY_COMPARE(m_window->currentPage(), static_cast<QWidget *>(m_window->tracePage()));
}

GUI_TEST_MAIN(WindowTest)
#include "tst_window.moc"
