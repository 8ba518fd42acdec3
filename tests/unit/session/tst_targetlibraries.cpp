// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/targetlibraries.h"
#include "tests/unit/session/fakeproc.h"

#include <QTest>

using namespace tuneline::capture;

class TestTargetLibraries : public QObject
{
    Q_OBJECT

private slots:
    void torchNames_data();
    void torchNames();
    void otherNames_data();
    void otherNames();
    void wholeMap();
    void cutMapIsNoCrash();
    void versionOfWheel();
    void versionOfSymlink();
};

void TestTargetLibraries::torchNames_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<bool>("found");
    QTest::addColumn<QString>("version");
    const auto row = [](const char *path, bool found, const char *version = "") {
        QTest::newRow(path) << path << found << version;
    };
    row("/usr/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13", true, "1.13");
    row("/venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so", true);
    row("/usr/lib/libtorch_cpu.so.2.1.0", true, "2.1.0");
    row("/usr/lib/libtorch_cpu.so.1.13 (deleted)", true, "1.13");
    row("/home/a b/my libs/libtorch_cpu.so.2.0", true, "2.0");
    row("/wheel.libs/libtorch_cpu-1a2b3c4d.so.2.3", true, "2.3");
    row("/home/x/libtorch_cpu.so.bak", false);
    row("/home/x/libtorch_cpu.so.1.13.debug", false);
    row("/home/x/mylibtorch_cpu.so.1.13", false);
    row("/home/x/libtorch_cpu.so-1.13", false);
    row("/home/x/libtorch_cpu_helpers.so", false);
    row("/home/x/libtorch_cpu-gpu.so", false);
    row("/home/x/libtorch_cpu.so/readme.txt", false);
    row("/home/x/libtorch_cpu", false);
    row("/home/x/libtorch.so.1.13", false);
    row("[heap]", false);
    row("anon_inode:libtorch_cpu.so", false);
}

void TestTargetLibraries::torchNames()
{
    QFETCH(QString, path);
    QFETCH(bool, found);
    QFETCH(QString, version);
    const auto libraries = findLibraries(FakeProc::mapLine(path.toStdString()));
    QCOMPARE(libraries.torch.has_value(), found);
    QCOMPARE(QString::fromStdString(libraries.torchVersion), version);
    if (found)
        QVERIFY(!QString::fromStdString(*libraries.torch).endsWith("(deleted)"));
}

void TestTargetLibraries::otherNames_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("kinds");
    const auto row = [](const char *path, const char *kinds) { QTest::newRow(path) << path << kinds; };
    row("/usr/lib/libcuda.so.1", "cuda");
    row("/usr/lib/libcuda.so.580.65.06", "cuda");
    row("/usr/lib/libcudart.so.13", "");
    row("/usr/lib/libcudadebugger.so.1", "");
    row("/x/nvidia/cuda_cupti/lib/libcupti.so.13", "cupti");
    row("/usr/lib/libcupti.so.11.8", "cupti");
    row("/opt/tuneline/libtuneline_agent.so", "agent");
    row("/usr/bin/python3.11", "python");
    row("/usr/lib/libpython3.11.so.1.0", "python");
    row("/usr/bin/python3-config", "");
    row("/usr/lib/x86_64-linux-gnu/libasan.so.8.0.0", "sanitizer");
    row("/usr/lib/clang/14/lib/linux/libclang_rt.asan-x86_64.so", "sanitizer");
    row("/usr/lib/libasanity.so", "");
    row("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc");
    row("/lib64/libc-2.28.so", "libc");
    row("/lib/ld-musl-x86_64.so.1", "");
    row("/lib/libc.so", "");
}

void TestTargetLibraries::otherNames()
{
    QFETCH(QString, path);
    QFETCH(QString, kinds);
    const auto found = findLibraries(FakeProc::mapLine(path.toStdString()));
    QStringList seen;
    if (found.cuda)
        seen << "cuda";
    if (found.cupti)
        seen << "cupti";
    if (found.agent)
        seen << "agent";
    if (found.python)
        seen << "python";
    if (found.sanitizer)
        seen << "sanitizer";
    if (found.libc)
        seen << "libc";
    QCOMPARE(seen.join(' '), kinds);
}

void TestTargetLibraries::wholeMap()
{
    const auto maps = FakeProc::mapLine("/usr/bin/train") + "7f0000000000-7f0000001000 rw-p 00000000 00:00 0\n"
        + FakeProc::mapLine("/usr/lib/libtorch_cpu.so.1.13") + FakeProc::mapLine("/usr/lib/libtorch_cpu.so.1.13")
        + FakeProc::mapLine("/other/libtorch_cpu.so.2.9") + FakeProc::mapLine("/usr/lib/x86_64-linux-gnu/libc.so.6")
        + "7ffd000-7ffe000 rw-p 00000000 00:00 0                          [stack]\n";
    const auto found = findLibraries(maps);
    QCOMPARE(QString::fromStdString(*found.torch), QString("/usr/lib/libtorch_cpu.so.1.13")); // the first one counts
    QCOMPARE(QString::fromStdString(found.torchVersion), QString("1.13"));
    QVERIFY(found.libc && !found.cuda && !found.python);
}

void TestTargetLibraries::cutMapIsNoCrash()
{
    const auto line = FakeProc::mapLine("/usr/lib/libtorch_cpu.so.1.13");
    for (std::size_t length = 0; length <= line.size(); ++length) {
        const auto found = findLibraries(std::string_view(line).substr(0, length));
        const bool whole = length >= line.size() - 1;
        if (whole)
            QVERIFY(found.torch.has_value());
    }
}

void TestTargetLibraries::versionOfWheel()
{
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    std::filesystem::create_directories(root / "torch/lib");
    FakeProc::write(root / "torch/lib/libtorch_cpu.so", "");
    QCOMPARE(QString::fromStdString(torchVersionAt("/torch/lib/libtorch_cpu.so", root)), QString());
    FakeProc::write(root / "torch/version.py",
                    "from typing import Optional\n\n__version__ = '2.11.0+cu130'\ndebug = False\n");
    QCOMPARE(QString::fromStdString(torchVersionAt("/torch/lib/libtorch_cpu.so", root)), QString("2.11.0+cu130"));
}

void TestTargetLibraries::versionOfSymlink()
{
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    FakeProc::write(root / "libtorch_cpu.so.1.13", "");
    std::filesystem::create_symlink("libtorch_cpu.so.1.13", root / "libtorch_cpu.so");
    QCOMPARE(QString::fromStdString(torchVersionAt((root / "libtorch_cpu.so").string())), QString("1.13"));
}

QTEST_GUILESS_MAIN(TestTargetLibraries)
#include "tst_targetlibraries.moc"
