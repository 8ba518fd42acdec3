// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/processlist.h"
#include "tests/unit/session/fakeproc.h"

#include <QTest>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tuneline::capture;

namespace {

class FakeInjector : public Injector
{
public:
    bool works = true;
    bool selfTest() override { return works; }
    bool inject(pid_t, const std::filesystem::path &) override { return false; }
    [[nodiscard]] std::string errorString() const override { return works ? "" : "gdb isn't installed"; }
};

const std::string kTorch = FakeProc::mapLine("/usr/lib/libtorch_cpu.so.1.13");
const std::string kLibc = FakeProc::mapLine("/usr/lib/libc.so.6");

// A socket file, as an agent has it; nobody needs to listen for the list.
void bindSocket(const std::filesystem::path &path)
{
    std::filesystem::create_directories(path.parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy_n(path.c_str(), path.string().size() + 1, address.sun_path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    QVERIFY(bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
    close(fd);
}

} // namespace

class TestProcessList : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void throughTheDebugger();
    void throughTheAgent();
    void refusals_data();
    void refusals();
    void otherProcessesAreLeftOut();
    void containers();
    void yamaLetsParentsTrace();

private:
    std::optional<ListedProcess> only()
    {
        const auto all = listProcesses(m_fake->proc(), {1000, false, 999}, m_injector, m_agent);
        return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
    }
    std::unique_ptr<FakeProc> m_fake;
    FakeInjector m_injector;
    std::filesystem::path m_agent{"/opt/libtuneline_agent.so"};
};

void TestProcessList::init()
{
    m_fake = std::make_unique<FakeProc>();
    m_injector.works = true;
    m_agent = "/opt/libtuneline_agent.so";
}

void TestProcessList::throughTheDebugger()
{
    m_fake->add({.pid = 5, .name = "train", .environment = {"RANK=3"}, .maps = kLibc + kTorch});
    const auto listed = only();
    QVERIFY(listed);
    QCOMPARE(listed->way, CaptureWay::Debugger);
    QCOMPARE(listed->torch.value(), std::string("1.13"));
    QCOMPARE(listed->rank.value(), 3);
    QVERIFY(!listed->cuda);
    QVERIFY(listed->why.find("gdb") != std::string::npos);
}

void TestProcessList::throughTheAgent()
{
    const auto sockets = m_fake->root() / "run";
    m_fake->add({.pid = 5, .environment = {"TUNELINE_SOCKET_DIR=" + sockets.string()}, .maps = kLibc + kTorch});
    bindSocket(sockets / "5.sock");
    m_injector.works = false; // not needed
    m_agent.clear();
    const auto listed = only();
    QVERIFY(listed);
    QCOMPARE(listed->way, CaptureWay::Agent);
    QCOMPARE(listed->why, std::string());
}

void TestProcessList::refusals_data()
{
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("words");
    QTest::newRow("other user") << "user"
                                << "belongs to";
    QTest::newRow("no torch") << "python"
                              << "neither LibTorch nor CUDA";
    QTest::newRow("no maps") << "maps"
                             << "doesn't let anybody look";
    QTest::newRow("no gdb") << "gdb"
                            << "gdb isn't installed";
    QTest::newRow("no agent") << "agent"
                              << "isn't installed";
    QTest::newRow("yama") << "yama1"
                          << "tuneline-cli record";
    QTest::newRow("yama 3") << "yama3"
                            << "altogether";
    QTest::newRow("static") << "static"
                            << "GNU C library";
}

void TestProcessList::refusals()
{
    QFETCH(QString, fault);
    QFETCH(QString, words);
    FakeProc::Process process{.pid = 5, .name = "python3", .maps = kLibc + kTorch};
    if (fault == "user")
        process.uid = 1001;
    if (fault == "python")
        process.maps = kLibc + FakeProc::mapLine("/usr/bin/python3.11");
    process.mapsReadable = fault != "maps";
    if (fault == "static")
        process.maps = kTorch;
    m_injector.works = fault != "gdb";
    if (fault == "agent")
        m_agent.clear();
    if (fault.startsWith("yama"))
        m_fake->setPtraceScope(fault.right(1).toInt());
    m_fake->add(process);
    const auto listed = only();
    QVERIFY(listed);
    QCOMPARE(listed->way, CaptureWay::None);
    QVERIFY2(QString::fromStdString(listed->why).contains(words), listed->why.c_str());
}

void TestProcessList::otherProcessesAreLeftOut()
{
    m_fake->add({.pid = 5, .name = "bash", .maps = kLibc});
    m_fake->add({.pid = 6, .name = "kworker", .commandLine = {}, .maps = ""});
    m_fake->add({.pid = 7, .name = "python3", .state = 'Z'});
    m_fake->add({.pid = 999, .name = "python3"}); // ourselves
    QVERIFY(listProcesses(m_fake->proc(), {1000, false, 999}, m_injector, m_agent).empty());
}

void TestProcessList::containers()
{
    m_fake->add({.pid = 5, .maps = kLibc + kTorch});
    m_fake->add({.pid = 999, .name = "tuneline-cli"});
    m_fake->setNamespace(5, "111");
    m_fake->setNamespace(999, "222");
    QCOMPARE(only()->way, CaptureWay::None);
    QVERIFY(only()->why.find("container") != std::string::npos);
    std::filesystem::create_directories(m_fake->root() / "5/root/opt");
    FakeProc::write(m_fake->root() / "5/root/opt/libtuneline_agent.so", "");
    QCOMPARE(only()->way, CaptureWay::Debugger);
}

void TestProcessList::yamaLetsParentsTrace()
{
    m_fake->setPtraceScope(1);
    m_fake->add({.pid = 999, .name = "tuneline-cli"});
    m_fake->add({.pid = 5, .parent = 999, .maps = kLibc + kTorch});
    QCOMPARE(only()->way, CaptureWay::Debugger);
    const auto asRoot = listProcesses(m_fake->proc(), {1000, true, 998}, m_injector, m_agent);
    QCOMPARE(asRoot.front().way, CaptureWay::Debugger);
}

QTEST_GUILESS_MAIN(TestProcessList)
#include "tst_processlist.moc"
