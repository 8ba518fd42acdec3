// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/agentlibrary.h"
#include "capture/session/elfneeds.h"
#include "capture/session/launchenvironment.h"
#include "capture/session/outputpath.h"
#include "capture/session/socketfolder.h"
#include "tests/unit/session/fakeproc.h"

#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace tuneline::capture;

class TestLaunchEnvironment : public QObject
{
    Q_OBJECT

private slots:
    void preload_data();
    void preload();
    void variables();
    void usersInjectionStays();
    void socketFolderRule();
    void socketFolderMustBeOurs();
    void elfOfThisProgram();
    void brokenElfs();
    void findsPrograms();
    void programNames_data();
    void programNames();
};

void TestLaunchEnvironment::preload_data()
{
    QTest::addColumn<QString>("existing");
    QTest::addColumn<QString>("sanitizer");
    QTest::addColumn<QString>("expected");
    QTest::newRow("nothing") << ""
                             << ""
                             << "/t/libtuneline_agent.so";
    QTest::newRow("one") << "/x/libjemalloc.so"
                         << ""
                         << "/t/libtuneline_agent.so:/x/libjemalloc.so";
    QTest::newRow("spaces and colons") << " a.so  b.so::c.so: "
                                       << ""
                                       << "/t/libtuneline_agent.so:a.so:b.so:c.so";
    QTest::newRow("program needs asan") << "a.so"
                                        << "libasan.so.8"
                                        << "libasan.so.8:/t/libtuneline_agent.so:a.so";
    QTest::newRow("asan is there") << "a.so:/usr/lib/libasan.so.8"
                                   << "libasan.so.8"
                                   << "/usr/lib/libasan.so.8:/t/libtuneline_agent.so:a.so";
    QTest::newRow("clang") << "/c/libclang_rt.asan-x86_64.so"
                           << ""
                           << "/c/libclang_rt.asan-x86_64.so:/t/libtuneline_agent.so";
    QTest::newRow("launch in a launch") << "/old/libtuneline_agent.so:a.so"
                                        << ""
                                        << "/t/libtuneline_agent.so:a.so";
}

void TestLaunchEnvironment::preload()
{
    QFETCH(QString, existing);
    QFETCH(QString, sanitizer);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(
                 composePreload(existing.toStdString(), "/t/libtuneline_agent.so", sanitizer.toStdString())),
             expected);
}

void TestLaunchEnvironment::variables()
{
    const auto environment =
        withAgent({{"PATH", "/bin"}, {"LD_PRELOAD", "a.so"}}, {"/t/agent.so", "/run/t", "tag1", ""});
    QCOMPARE(environment.at("PATH"), std::string("/bin"));
    QCOMPARE(environment.at("LD_PRELOAD"), std::string("/t/agent.so:a.so"));
    QCOMPARE(environment.at("CUDA_INJECTION64_PATH"), std::string("/t/agent.so"));
    QCOMPARE(environment.at("NVTX_INJECTION64_PATH"), std::string("/t/agent.so"));
    QCOMPARE(environment.at("TUNELINE_SOCKET_DIR"), std::string("/run/t"));
    QCOMPARE(environment.at(kTagVariable), std::string("tag1"));
    QVERIFY(toAssignments(environment).size() == environment.size());
}

void TestLaunchEnvironment::usersInjectionStays()
{
    const auto environment =
        withAgent({{"CUDA_INJECTION64_PATH", "/nsight.so"}}, {"/t/agent.so", "/run/t", "tag1", ""});
    QCOMPARE(environment.at("CUDA_INJECTION64_PATH"), std::string("/nsight.so"));
}

void TestLaunchEnvironment::socketFolderRule()
{
    const auto first = [](const std::map<std::string, std::string> &environment) {
        return socketFolders(environment, 7).front().string();
    };
    QCOMPARE(first({}), std::string("/tmp/tuneline-7"));
    QCOMPARE(first({{"XDG_RUNTIME_DIR", "/run/user/7"}}), std::string("/run/user/7/tuneline"));
    QCOMPARE(first({{"XDG_RUNTIME_DIR", "/run/user/7"}, {"TUNELINE_SOCKET_DIR", "/s"}}), std::string("/s"));
    QCOMPARE(first({{"TUNELINE_SOCKET_DIR", ""}}), std::string("/tmp/tuneline-7"));
}

void TestLaunchEnvironment::socketFolderMustBeOurs()
{
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    QVERIFY(prepareSocketFolder(root / "new"));
    struct stat status
    { };
    QCOMPARE(stat((root / "new").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777U, 0700U);
    QVERIFY(prepareSocketFolder(root / "new")); // again
    chmod((root / "new").c_str(), 0777);
    QVERIFY(!prepareSocketFolder(root / "new"));
    std::filesystem::create_symlink(root, root / "link"); // somebody's trap in /tmp
    QVERIFY(!prepareSocketFolder(root / "link"));
    QVERIFY(!prepareSocketFolder(root / std::string(200, 'x')));
}

void TestLaunchEnvironment::elfOfThisProgram()
{
    const auto elf = readElf("/proc/self/exe");
    QVERIFY(elf && elf->native && elf->dynamic);
    const auto has = [&](std::string_view part) {
        return std::any_of(elf->needed.begin(), elf->needed.end(),
                           [&](const auto &name) { return name.find(part) != std::string::npos; });
    };
    QVERIFY(has("libQt6Test") && has("libc.so.6") && !has("libtorch"));
    QCOMPARE(sanitizerOf({true, true, {"libm.so.6", "libasan.so.8"}}), std::string("libasan.so.8"));
    QCOMPARE(sanitizerOf({true, true, {"libm.so.6"}}), std::string());
}

void TestLaunchEnvironment::brokenElfs()
{
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    FakeProc::write(root / "script", "#!/bin/sh\n");
    QVERIFY(!readElf(root / "script"));
    QVERIFY(!readElf(root / "missing"));
    // Cut at any byte: an answer, no crash.
    std::ifstream in("/proc/self/exe", std::ios::binary);
    std::string bytes(4096, '\0');
    in.read(bytes.data(), 4096);
    for (std::size_t length = 0; length < 1024; length += 7) {
        FakeProc::write(root / "cut", bytes.substr(0, length));
        const auto elf = readElf(root / "cut");
        QCOMPARE(elf.has_value(), length >= 64);
    }
}

void TestLaunchEnvironment::findsPrograms()
{
    QCOMPARE(findProgram("sh", "/nowhere:/bin", "/").value().filename(), std::filesystem::path("sh"));
    QVERIFY(findProgram("/bin/sh", "", "/tmp"));
    QVERIFY(findProgram("bin/sh", "", "/"));
    QVERIFY(!findProgram("sh", "/nowhere", "/"));
    QVERIFY(!findProgram("/bin", "", "/")); // a folder
    QVERIFY(!findProgram("", "/bin", "/"));
    QVERIFY(!findProgram("/etc/passwd", "", "/")); // not executable
}

void TestLaunchEnvironment::programNames_data()
{
    QTest::addColumn<QStringList>("line");
    QTest::addColumn<QString>("name");
    QTest::newRow("plain") << QStringList{"./build/train", "--x"} << "train";
    QTest::newRow("python") << QStringList{"/usr/bin/python3.11", "-u", "src/train.py", "--x"} << "train";
    QTest::newRow("torchrun") << QStringList{"torchrun", "--nproc_per_node", "2", "gpt.py"} << "gpt";
    QTest::newRow("module") << QStringList{"python3", "-m", "pkg"} << "python3";
    QTest::newRow("pythonic") << QStringList{"pythonic", "a.py"} << "pythonic";
    QTest::newRow("empty") << QStringList{} << "capture";
}

void TestLaunchEnvironment::programNames()
{
    QFETCH(QStringList, line);
    QFETCH(QString, name);
    std::vector<std::string> words;
    for (const auto &word : line)
        words.push_back(word.toStdString());
    QCOMPARE(QString::fromStdString(programName(words)), name);
}

QTEST_GUILESS_MAIN(TestLaunchEnvironment)
#include "tst_launchenvironment.moc"
