// SPDX-License-Identifier: GPL-3.0-or-later
// The job: its result arrives once, in the GUI thread, and only while it is the latest.
#include "ui/jobs/job.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <atomic>

using namespace tuneline;
using analysis::Progress;
using analysis::Result;
using ui::Job;

namespace {

using Number = std::shared_ptr<const int>;

Result<Number> number(int value)
{
    return std::make_shared<const int>(value);
}

// Work that goes on until it is told to stop, then still delivers.
Result<Number> untilCancelled(Progress &progress, std::atomic<bool> &ended)
{
    while (!progress.cancelled())
        QThread::msleep(1);
    ended = true;
    return number(-1);
}

} // namespace

class JobTest : public QObject
{
    Q_OBJECT

private slots:
    void deliversInTheGuiThread();
    void cancelStopsTheWorkAndDropsItsResult();
    void aSecondStartReplacesTheFirst();
    void aDestroyedJobReachesNobody();
    void progressIsForwardedOnceForEachChange();
    void errorsArriveLikeResults();
};

void JobTest::deliversInTheGuiThread()
{
    Job job;
    int got = 0;
    QThread *thread = nullptr;
    QSignalSpy running(&job, &Job::runningChanged);
    job.start<int>([](Progress &) { return number(42); },
                   [&](const Result<Number> &result) {
                       got = **result;
                       thread = QThread::currentThread();
                   });
    QVERIFY(job.running());
    QTRY_COMPARE(got, 42);
    QCOMPARE(thread, QThread::currentThread());
    QVERIFY(!job.running());
    QCOMPARE(running.count(), 2);
}

void JobTest::cancelStopsTheWorkAndDropsItsResult()
{
    Job job;
    std::atomic<bool> ended = false;
    bool delivered = false;
    job.start<int>([&ended](Progress &progress) { return untilCancelled(progress, ended); },
                   [&delivered](const Result<Number> &) { delivered = true; });
    job.cancel();
    QVERIFY(!job.running());
    QTRY_VERIFY(ended);
    QTest::qWait(20);
    QVERIFY(!delivered);
}

void JobTest::aSecondStartReplacesTheFirst()
{
    Job job;
    std::atomic<bool> ended = false;
    QList<int> delivered;
    const auto note = [&delivered](const Result<Number> &result) { delivered << **result; };
    job.start<int>([&ended](Progress &progress) { return untilCancelled(progress, ended); }, note);
    job.start<int>([](Progress &) { return number(2); }, note);
    QTRY_VERIFY(ended);
    QTRY_COMPARE(delivered, QList<int>{2});
    QTest::qWait(20);
    QCOMPARE(delivered, QList<int>{2});
}

void JobTest::aDestroyedJobReachesNobody()
{
    std::atomic<bool> ended = false;
    bool delivered = false;
    {
        Job job;
        job.start<int>([&ended](Progress &progress) { return untilCancelled(progress, ended); },
                       [&delivered](const Result<Number> &) { delivered = true; });
    }
    QTRY_VERIFY(ended);
    QTest::qWait(20);
    QVERIFY(!delivered);
}

void JobTest::progressIsForwardedOnceForEachChange()
{
    Job job;
    QSignalSpy progressed(&job, &Job::progressed);
    std::atomic<bool> go = false;
    bool done = false;
    job.start<int>(
        [&go](Progress &progress) {
            progress.permille.store(250);
            while (!go)
                QThread::msleep(1);
            return number(1);
        },
        [&done](const Result<Number> &) { done = true; });
    QTRY_VERIFY(!progressed.isEmpty() && progressed.last().first().toInt() == 250);
    const auto seen = progressed.count();
    QTest::qWait(180); // three polls without a change
    QCOMPARE(progressed.count(), seen);
    go = true;
    QTRY_VERIFY(done);
}

void JobTest::errorsArriveLikeResults()
{
    Job job;
    std::string message;
    job.start<int>(
        [](Progress &) -> Result<Number> { return analysis::fail(analysis::Error::Code::NotATrace, "no trace"); },
        [&message](const Result<Number> &result) { message = result.error().message; });
    QTRY_COMPARE(message, std::string("no trace"));
}

QTEST_GUILESS_MAIN(JobTest)
#include "tst_job.moc"
