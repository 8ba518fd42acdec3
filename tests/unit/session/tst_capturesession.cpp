// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/capturesession.h"
#include "tests/unit/session/fakeagent.h"
#include "tests/unit/session/fakeproc.h"

#include <QTest>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

using namespace tuneline;
using namespace tuneline::capture;
namespace fs = std::filesystem;

using format::AgentState;

class TestCaptureSession : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void oneProcess();
    void planReachesTheAgent();
    void ranksAreArmedTogether();
    void lateRankOfAnUnknownNumber();
    void ranksWarmUpAlike();
    void rankThatLeavesNothing();
    void notesReachTheUser();
    void launchersAreNoRanks();
    void processThatNeverUsesTorch();
    void torchComesLater();
    void killedInTheWindow();
    void endedInWarmup();
    void agentFails();
    void stopKeepsTheWindow();
    void stuckAgentIsGivenUp();
    void nothingToStop();
    void secondWindow();
    void staleAnswersDontEndTheNextWindow();
    void prepareProcessBeforeTheRealOne();
    void busy();
    void nonsenseOnTheSocket();
    void strangersAreLeftAlone();
    void otherUser();
    void staleSocketsAreRemoved();

private:
    std::unique_ptr<FakeAgent> agent(int pid, int rank = -1, int worldSize = -1)
    {
        return std::make_unique<FakeAgent>(*m_poller, m_sockets / (std::to_string(pid) + ".sock"), rank, worldSize);
    }
    void start(const CapturePlan &plan)
    {
        m_session = std::make_unique<CaptureSession>(
            *m_poller, Target{kRoot, "", m_sockets, {"./train"}, m_dir, "train"},
            CaptureCallbacks{[this](const auto &p) { m_progress = p; }, [this](const auto &c) { m_captured = c; },
                             [this](const auto &e) { m_failed = e; }},
            m_fake->proc());
        const auto out = m_session->arm(plan);
        QVERIFY2(out, out ? "" : out.error().message.c_str());
    }
    CapturePlan plan() const
    {
        CapturePlan plan;
        plan.out = m_dir / "run.tlc";
        plan.windowSteps = 8;
        return plan;
    }
    // Runs the loop until something holds, at most ten seconds.
    template <typename Condition> bool until(Condition condition)
    {
        const auto end = Poller::Clock::now() + std::chrono::seconds(10);
        while (!condition() && Poller::Clock::now() < end)
            m_poller->runOnce(std::chrono::milliseconds(20));
        return condition();
    }
    void runFor(std::chrono::milliseconds time)
    {
        const auto end = Poller::Clock::now() + time;
        while (Poller::Clock::now() < end)
            m_poller->runOnce(std::chrono::milliseconds(20));
    }
    void rootEnds(int exitCode)
    {
        m_fake->add({.pid = kRoot, .state = 'Z'});
        m_session->rootEnded({exitCode, std::nullopt});
    }

    static constexpr int kRoot = 100;
    std::unique_ptr<QTemporaryDir> m_temporary;
    std::unique_ptr<FakeProc> m_fake;
    std::unique_ptr<Poller> m_poller;
    std::unique_ptr<CaptureSession> m_session;
    fs::path m_dir, m_sockets;
    SessionProgress m_progress;
    std::optional<Captured> m_captured;
    std::optional<Error> m_failed;
};

void TestCaptureSession::init()
{
    m_temporary = std::make_unique<QTemporaryDir>();
    m_dir = m_temporary->path().toStdString();
    m_sockets = m_dir / "s";
    fs::create_directory(m_sockets);
    m_fake = std::make_unique<FakeProc>();
    m_fake->add({.pid = kRoot});
    m_poller = std::make_unique<Poller>();
    m_captured.reset();
    m_failed.reset();
    m_progress = {};
}

void TestCaptureSession::cleanup()
{
    m_session.reset();
    m_poller.reset();
}

void TestCaptureSession::oneProcess()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    QCOMPARE(QString(fake->armed->path), QString::fromStdString((m_dir / "run.tlc").string()));
    fake->say(AgentState::WarmingUp, 2);
    QVERIFY(until([&] { return m_progress.state == SessionState::WarmingUp && m_progress.stepsSeen == 2; }));
    fake->say(AgentState::Recording, 3);
    QVERIFY(until([&] { return m_progress.state == SessionState::Recording; }));
    QVERIFY(until([&] { return fake->queries > 0; }));
    fake->writeCapture(5, true);
    fake->say(AgentState::Finished, 8);
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QCOMPARE(m_captured->path, m_dir / "run.tlc");
    QCOMPARE(m_captured->files.size(), 1U);
    QCOMPARE(m_captured->files[0].facts.records, std::uint64_t(5));
    QVERIFY(m_captured->complete && m_captured->message.empty() && !m_failed);
    QCOMPARE(m_progress.state, SessionState::Finished);
    QVERIFY(!m_session->windowOpen());
}

void TestCaptureSession::planReachesTheAgent()
{
    const auto fake = agent(kRoot);
    auto wanted = plan();
    wanted.warmupSteps = 7;
    wanted.windowNs = 123;
    wanted.detail = format::Detail::Full;
    wanted.graphs = format::Graphs::Whole;
    start(wanted);
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    QCOMPARE(fake->armed->warmupSteps, 7);
    QCOMPARE(fake->armed->windowSteps, 8);
    QCOMPARE(fake->armed->windowNs, 123);
    QCOMPARE(fake->armed->detail, format::Detail::Full);
    QCOMPARE(fake->armed->graphs, format::Graphs::Whole);
    const auto metadata = nlohmann::json::parse(fake->armed->metadata);
    QCOMPARE(metadata["command_line"][0].get<std::string>(), std::string("./train"));
}

void TestCaptureSession::ranksAreArmedTogether()
{
    m_fake->add({.pid = 101, .parent = kRoot});
    m_fake->add({.pid = 102, .parent = 101});
    const auto one = agent(102, 1, 2); // the launcher is no rank, and rank 1 is here first
    start(plan());
    runFor(std::chrono::milliseconds(600));
    QVERIFY(!one->armed);
    const auto zero = agent(101, 0, 2);
    QVERIFY(until([&] { return one->armed && zero->armed; }));
    QCOMPARE(QString(zero->armed->path), QString::fromStdString((m_dir / "run.tlc/rank0.tlc").string()));
    QCOMPARE(QString(one->armed->path), QString::fromStdString((m_dir / "run.tlc/rank1.tlc").string()));
    zero->writeCapture(1, true);
    one->writeCapture(2, true);
    zero->say(AgentState::Recording, 1);
    one->say(AgentState::Recording, 1);
    zero->say(AgentState::Finished, 8);
    runFor(std::chrono::milliseconds(200));
    QVERIFY(!m_captured); // the other one still records
    one->say(AgentState::Finished, 8);
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QCOMPARE(m_captured->files.size(), 2U);
    QCOMPARE(m_captured->path, m_dir / "run.tlc");
}

void TestCaptureSession::lateRankOfAnUnknownNumber()
{
    m_fake->add({.pid = 101, .parent = kRoot});
    const auto zero = agent(kRoot, 0, 8); // seven ranks run on other machines
    start(plan());
    QVERIFY(until([&] { return zero->armed.has_value(); }));
    QVERIFY(QString(zero->armed->path).endsWith("run.tlc/rank0.tlc"));
}

void TestCaptureSession::ranksWarmUpAlike()
{
    m_fake->add({.pid = 101, .parent = kRoot});
    const auto zero = agent(kRoot, 0, 2), one = agent(101, 1, 2);
    start(plan()); // warm-up: auto
    QVERIFY(until([&] { return zero->armed && one->armed; }));
    QVERIFY(zero->armed->warmupSteps > 0); // each would find its own end of auto
    QCOMPARE(zero->armed->warmupSteps, one->armed->warmupSteps);
}

void TestCaptureSession::rankThatLeavesNothing()
{
    m_fake->add({.pid = 101, .parent = kRoot});
    const auto zero = agent(kRoot, 0, 2), one = agent(101, 1, 2);
    start(plan());
    QVERIFY(until([&] { return zero->armed && one->armed; }));
    one->say(AgentState::WarmingUp, 3);
    one->hangUp();
    zero->writeCapture(5, true);
    zero->say(AgentState::Recording, 1);
    zero->say(AgentState::Finished, 8);
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QCOMPARE(m_captured->files.size(), 1U);
    QVERIFY2(m_captured->message.find("Nothing was recorded of rank 1") != std::string::npos,
             m_captured->message.c_str());
}

void TestCaptureSession::notesReachTheUser()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->writeCapture(5, true);
    fake->say(AgentState::Recording, 1);
    fake->say(AgentState::Finished, 3); // of the eight that were asked for
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QVERIFY2(m_captured->message.find("3 of 8 steps") != std::string::npos, m_captured->message.c_str());
}

void TestCaptureSession::launchersAreNoRanks()
{
    // The session sees the pid behind the socket, which is ours.
    m_fake->add({.pid = getpid(), .parent = kRoot, .commandLine = {"python3", "/usr/bin/torchrun", "train.py"}});
    const auto launcher = agent(kRoot);
    start(plan());
    runFor(std::chrono::milliseconds(600));
    QVERIFY(!launcher->armed);
}

void TestCaptureSession::processThatNeverUsesTorch()
{
    const auto fake = agent(kRoot);
    fake->hello.torchFound = 0;
    start(plan());
    runFor(std::chrono::milliseconds(300));
    QVERIFY(!fake->armed);
    fake->hangUp();
    rootEnds(0);
    QVERIFY(until([&] { return m_failed.has_value(); }));
    QCOMPARE(m_failed->code, Error::Code::NothingCaptured);
    QVERIFY2(m_failed->message.find("exit code 0") != std::string::npos, m_failed->message.c_str());
    QVERIFY(!fs::exists(m_dir / "run.tlc"));
}

void TestCaptureSession::torchComesLater()
{
    const auto fake = agent(kRoot);
    fake->hello.torchFound = 0;
    start(plan());
    runFor(std::chrono::milliseconds(200));
    QVERIFY(!fake->armed);
    // maps are read for the pid behind the socket, which is ours
    m_fake->add({.pid = getpid(), .maps = FakeProc::mapLine("/usr/lib/libtorch_cpu.so.2.1")});
    QVERIFY(until([&] { return fake->armed.has_value(); }));
}

void TestCaptureSession::killedInTheWindow()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->say(AgentState::Recording, 3);
    fake->writeCapture(40, false);
    fake->hangUp();
    m_fake->add({.pid = kRoot, .state = 'Z'});
    m_session->rootEnded({std::nullopt, SIGKILL});
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QVERIFY(!m_captured->complete && !m_captured->message.empty());
    QCOMPARE(m_captured->files[0].facts.records, std::uint64_t(40));
}

void TestCaptureSession::endedInWarmup()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->say(AgentState::WarmingUp, 4);
    fake->writeCapture(0, true);
    QVERIFY(until([&] { return m_progress.stepsSeen == 4; }));
    fake->hangUp();
    rootEnds(2);
    QVERIFY(until([&] { return m_failed.has_value(); }));
    QVERIFY2(m_failed->message.find("4 steps") != std::string::npos, m_failed->message.c_str());
    QVERIFY(m_failed->advice.find("--warmup") != std::string::npos);
    QVERIFY(!fs::exists(m_dir / "run.tlc")); // an empty capture is no capture
    QCOMPARE(m_progress.state, SessionState::Failed);
}

void TestCaptureSession::agentFails()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->say(AgentState::Failed, 0, "the disk is full");
    QVERIFY(until([&] { return m_failed.has_value(); }));
    QCOMPARE(m_failed->message, std::string("the disk is full"));
}

void TestCaptureSession::stopKeepsTheWindow()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->say(AgentState::Recording, 3);
    fake->writeCapture(9, true);
    m_session->stopWindow();
    QVERIFY(until([&] { return fake->stops == 1; }));
    fake->say(AgentState::Finished, 3);
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QVERIFY(m_captured->complete);
}

void TestCaptureSession::stuckAgentIsGivenUp()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->say(AgentState::Recording, 3);
    fake->writeCapture(9, false);
    m_session->stopWindow();
    QVERIFY(until([&] { return m_captured.has_value(); })); // five seconds
    QVERIFY(!m_captured->complete);
}

void TestCaptureSession::nothingToStop()
{
    start(plan());
    m_session->stopWindow();
    QVERIFY(until([&] { return m_failed.has_value(); }));
    QCOMPARE(m_failed->code, Error::Code::NothingCaptured);
}

void TestCaptureSession::secondWindow()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->writeCapture(1, true);
    fake->say(AgentState::WarmingUp);
    fake->say(AgentState::Finished, 8);
    QVERIFY(until([&] { return m_captured.has_value(); }));
    m_captured.reset();
    fake->armed.reset();
    auto next = plan();
    QVERIFY(!m_session->arm(next)); // the first capture is there
    next.out = m_dir / "second.tlc";
    QVERIFY(m_session->arm(next));
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->writeCapture(2, true);
    fake->say(AgentState::WarmingUp);
    fake->say(AgentState::Finished, 8);
    QVERIFY(until([&] { return m_captured.has_value(); }));
    QCOMPARE(m_captured->path, m_dir / "second.tlc");
}

void TestCaptureSession::staleAnswersDontEndTheNextWindow()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->writeCapture(1, true);
    fake->say(AgentState::Finished, 8); // before anything else was said: of an older window
    runFor(std::chrono::milliseconds(300));
    QVERIFY(!m_captured && m_session->windowOpen());
    fake->say(AgentState::Recording, 1);
    fake->say(AgentState::Finished, 8);
    QVERIFY(until([&] { return m_captured.has_value(); }));
}

void TestCaptureSession::prepareProcessBeforeTheRealOne()
{
    // sh -c "python prepare.py; python train.py": the first one uses LibTorch too, but makes no step.
    m_fake->add({.pid = 101, .parent = kRoot});
    auto prepare = agent(101);
    start(plan());
    QVERIFY(until([&] { return prepare->armed.has_value(); }));
    prepare->say(AgentState::WarmingUp);
    prepare->writeCapture(0, false);
    prepare.reset();
    runFor(std::chrono::milliseconds(300));
    QVERIFY(!m_failed && m_session->windowOpen());
    m_fake->add({.pid = 102, .parent = kRoot});
    const auto train = agent(102);
    QVERIFY(until([&] { return train->armed.has_value(); }));
    QCOMPARE(QString(train->armed->path), QString::fromStdString((m_dir / "run.tlc").string()));
}

void TestCaptureSession::busy()
{
    start(plan());
    auto other = plan();
    other.out = m_dir / "other.tlc";
    const auto again = m_session->arm(other);
    QVERIFY(!again);
    QCOMPARE(again.error().code, Error::Code::Busy);
}

void TestCaptureSession::nonsenseOnTheSocket()
{
    const auto fake = agent(kRoot);
    start(plan());
    QVERIFY(until([&] { return fake->armed.has_value(); }));
    fake->sendRaw(std::vector<char>(100, 'x'));
    rootEnds(0);
    QVERIFY(until([&] { return m_failed.has_value(); }));
}

void TestCaptureSession::strangersAreLeftAlone()
{
    m_fake->add({.pid = 500, .parent = 1}); // somebody else's training run, with an agent in it
    const auto stranger = agent(500);
    start(plan());
    runFor(std::chrono::milliseconds(400));
    QVERIFY(!stranger->armed);
    QVERIFY(fs::exists(m_sockets / "500.sock"));
}

void TestCaptureSession::otherUser()
{
    QVERIFY(checkPeer(1000, 1000));
    const auto refused = checkPeer(1001, 1000);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Error::Code::NotPermitted);
    QVERIFY(!checkPeer(0, 1000));
    if (geteuid() != 0)
        QSKIP("Only root can start an agent as another user.");
    fs::permissions(m_dir, fs::perms::all);
    fs::permissions(m_sockets, fs::perms::all);
    const auto path = m_sockets / "100.sock";
    const pid_t child = fork();
    if (child == 0) {
        if (setuid(65534) == 0) {
            Poller poller;
            FakeAgent fake(poller, path);
            for (int i = 0; i < 100; ++i)
                poller.runOnce(std::chrono::milliseconds(50));
        }
        _exit(0);
    }
    QVERIFY(until([&] { return fs::exists(path); }));
    const auto link =
        AgentLink::connect(*m_poller, path, {[](const auto &) {}, [](const auto &) {}, [](const auto &) {}});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    QVERIFY(!link);
    QCOMPARE(link.error().code, Error::Code::NotPermitted);
}

void TestCaptureSession::staleSocketsAreRemoved()
{
    {
        const auto gone = agent(777);
    } // the file stays, as after kill -9
    QVERIFY(fs::exists(m_sockets / "777.sock"));
    start(plan());
    QVERIFY(until([&] { return !fs::exists(m_sockets / "777.sock"); }));
}

QTEST_GUILESS_MAIN(TestCaptureSession)
#include "tst_capturesession.moc"
