// SPDX-License-Identifier: MIT
// What a forked child finds of the things that another thread was in the middle of.
#include "capture/agent/forkguard.h"

#include <QElapsedTimer>
#include <QTest>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using tuneline::agent::ForkGuard;

namespace {

std::atomic<bool> g_inTheMiddle{false};
std::atomic<int> g_children{0};

enum ChildSaw { Whole = 10, Half = 11, Hung = 12 };

int forkAndLook()
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        const bool half = g_inTheMiddle;
        {
            const ForkGuard guard; // free in the child
        }
        _exit(half || g_children != 1 ? Half : Whole);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(Hung);
}

class Worker
{
public:
    template <typename Work>
    explicit Worker(Work work)
        : m_thread(work)
    { }
    ~Worker() { m_thread.join(); }

private:
    std::thread m_thread;
};

} // namespace

class TestForkGuard : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        ForkGuard::watchForks([]() noexcept { ++g_children; });
    }
    void childrenSeeNothingHalfDone();
    void nestedGuardsKeepTheOuterOne();
    void aForkDoesNotWaitForever();
};

void TestForkGuard::childrenSeeNothingHalfDone()
{
    std::atomic<bool> stop{false};
    const Worker worker([&stop] {
        while (!stop) {
            {
                const ForkGuard guard;
                g_inTheMiddle = true;
                std::this_thread::sleep_for(std::chrono::microseconds(300));
                g_inTheMiddle = false;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    int half = 0, whole = 0;
    for (int i = 0; i < 200; ++i) {
        const int saw = forkAndLook();
        half += saw == Whole ? 0 : 1;
        whole += saw == Whole ? 1 : 0;
    }
    stop = true;
    QCOMPARE(half, 0);
    QCOMPARE(whole, 200);
}

void TestForkGuard::nestedGuardsKeepTheOuterOne()
{
    std::atomic<bool> inside{false};
    const Worker worker([&inside] {
        const ForkGuard outer;
        g_inTheMiddle = true;
        {
            const ForkGuard inner;
        }
        inside = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        g_inTheMiddle = false;
    });
    while (!inside)
        std::this_thread::yield();
    QCOMPARE(forkAndLook(), static_cast<int>(Whole));
}

void TestForkGuard::aForkDoesNotWaitForever()
{
    std::atomic<bool> inside{false}, stop{false};
    const Worker worker([&] {
        const ForkGuard guard;
        inside = true;
        while (!stop)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    while (!inside)
        std::this_thread::yield();
    QElapsedTimer timer;
    timer.start();
    const int saw = forkAndLook();
    const auto waited = timer.elapsed();
    std::atomic<bool> second{false};
    const Worker other([&second] {
        const ForkGuard guard;
        second = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const bool letGo = second; // the fork must not have unlocked what it didn't lock
    stop = true;
    QCOMPARE(saw, static_cast<int>(Whole)); // went on unguarded, and the child's guard is free all the same
    QVERIFY(waited >= 1'900);
    QVERIFY(!letGo);
}

QTEST_GUILESS_MAIN(TestForkGuard)
#include "tst_forkguard.moc"
