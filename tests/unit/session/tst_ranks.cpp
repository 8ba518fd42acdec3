// SPDX-License-Identifier: GPL-3.0-or-later
// Who is a rank, who only starts them, and a folder that several nodes write into.
#include "capture/session/attach.h"
#include "capture/session/outputpath.h"
#include "capture/session/rankfiles.h"
#include "capture/session/ranks.h"
#include "tests/unit/session/fakeproc.h"

#include <QTest>

#include <unistd.h>

using namespace tuneline::capture;
namespace fs = std::filesystem;

class TestSessionRanks : public QObject
{
    Q_OBJECT

private slots:
    void environments_data();
    void environments();
    void tasksOfJobs();
    void launchers_data();
    void launchers();
    void ranksBelowALauncher();
    void attachBeforeThereAreRanks();
    void foldersOfSeveralNodes();
    void placesOfSeveralNodes();
};

void TestSessionRanks::environments_data()
{
    QTest::addColumn<EnvironmentMap>("environment");
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("world");
    QTest::addColumn<int>("local");
    QTest::newRow("torchrun") << EnvironmentMap{{"RANK", "3"},
                                                {"WORLD_SIZE", "8"},
                                                {"LOCAL_WORLD_SIZE", "4"},
                                                {"SLURM_PROCID", "0"}} // of the shell around it
                              << 3 << 8 << 4;
    QTest::newRow("Open MPI") << EnvironmentMap{{"OMPI_COMM_WORLD_RANK", "1"},
                                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                                {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}
                              << 1 << 2 << 2;
    QTest::newRow("Intel MPI") << EnvironmentMap{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "1"}} << 1
                               << 2 << 1;
    QTest::newRow("srun") << EnvironmentMap{{"SLURM_PROCID", "5"},
                                            {"SLURM_NTASKS", "8"},
                                            {"SLURM_STEP_TASKS_PER_NODE", "2(x4)"}}
                          << 5 << 8 << 2;
    QTest::newRow("srun, uneven") << EnvironmentMap{{"SLURM_PROCID", "5"}, {"SLURM_STEP_TASKS_PER_NODE", "2,1"}} << 5
                                  << -1 << -1;
    QTest::newRow("none") << EnvironmentMap{{"RANK", "first"}, {"WORLD_SIZE", "-1"}, {"LOCAL_WORLD_SIZE", ""}} << -1
                          << -1 << -1;
}

void TestSessionRanks::environments()
{
    QFETCH(EnvironmentMap, environment);
    QFETCH(int, rank);
    QFETCH(int, world);
    QFETCH(int, local);
    QCOMPARE(rankIn(environment).value_or(-1), rank);
    QCOMPARE(worldSizeIn(environment).value_or(-1), world);
    QCOMPARE(localSizeIn(environment).value_or(-1), local);
}

void TestSessionRanks::tasksOfJobs()
{
    QVERIFY(isTaskOfJob({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}));
    QVERIFY(!isTaskOfJob({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}));
    QVERIFY(!isTaskOfJob({{"WORLD_SIZE", "2"}}));
    QVERIFY(!isTaskOfJob({}));
}

void TestSessionRanks::launchers_data()
{
    QTest::addColumn<std::vector<std::string>>("line");
    QTest::addColumn<bool>("launcher");
    using Line = std::vector<std::string>;
    QTest::newRow("torchrun") << Line{"/usr/bin/python3", "/usr/bin/torchrun", "train.py"} << true;
    QTest::newRow("module") << Line{"python3.11", "-u", "-m", "torch.distributed.run", "train.py"} << true;
    QTest::newRow("accelerate") << Line{"python", "/home/ada/bin/accelerate", "launch", "train.py"} << true;
    QTest::newRow("mpirun") << Line{"mpirun", "-np", "2", "./train"} << true;
    QTest::newRow("with an option") << Line{"python3", "-X", "dev", "/usr/bin/torchrun", "train.py"} << true;
    QTest::newRow("a rank") << Line{"/usr/bin/python3", "-u", "train.py", "torchrun"} << false;
    QTest::newRow("a worker") << Line{"python3", "-c", "from multiprocessing.spawn import spawn_main", "torchrun"}
                              << false;
    QTest::newRow("a module") << Line{"python3", "-m", "train", "torchrun"} << false;
    QTest::newRow("a program") << Line{"./train", "torchrun"} << false;
    QTest::newRow("nothing") << Line{} << false;
}

void TestSessionRanks::launchers()
{
    QFETCH(std::vector<std::string>, line);
    QFETCH(bool, launcher);
    QCOMPARE(isLauncher(line), launcher);
}

void TestSessionRanks::ranksBelowALauncher()
{
    const FakeProc fake;
    const auto torch = FakeProc::mapLine("/usr/lib/libtorch_cpu.so.1.13");
    fake.add({.pid = 10, .name = "torchrun", .commandLine = {"python3", "/usr/bin/torchrun"}, .maps = torch});
    fake.add({.pid = 12, .parent = 10, .environment = {"RANK=1"}, .maps = torch});
    fake.add({.pid = 11, .parent = 10, .environment = {"RANK=0"}, .maps = torch});
    fake.add({.pid = 13, .parent = 12, .environment = {"RANK=1"}, .maps = torch}); // rank 1's loader worker
    fake.add({.pid = 14, .parent = 10, .environment = {"RANK=2"}}); // still importing
    fake.add({.pid = 15, .parent = 1, .environment = {"RANK=7"}, .maps = torch}); // of another job
    const auto ranks = ranksBelow(fake.proc(), 10);
    QCOMPARE(ranks.size(), std::size_t{2});
    QCOMPARE(ranks[0].pid, 11);
    QCOMPARE(ranks[0].rank, 0);
    QCOMPARE(ranks[1].pid, 12);
}

void TestSessionRanks::attachBeforeThereAreRanks()
{
    const FakeProc fake;
    fake.add({.pid = 10,
              .uid = geteuid(),
              .commandLine = {"python3", "/usr/bin/torchrun", "train.py"},
              .maps = FakeProc::mapLine("/usr/lib/libtorch_cpu.so.1.13")});
    const auto attached = attachTo(10, nullptr, fake.proc());
    QVERIFY(!attached);
    QVERIFY2(attached.error().message.find("none of them uses LibTorch yet") != std::string::npos,
             attached.error().message.c_str());
    QVERIFY(!attached.error().advice.empty());
}

void TestSessionRanks::foldersOfSeveralNodes()
{
    const QTemporaryDir temporary;
    const fs::path out = fs::path(temporary.path().toStdString()) / "run.tlc";
    RankFiles first(out, true), second(out, true);
    const auto zero = first.add(0, true), one = second.add(1, true);
    QVERIFY(zero && one);
    QCOMPARE(first.file(*zero), out / "rank0.tlc");
    QCOMPARE(second.file(*one), out / "rank1.tlc");
    FakeProc::write(out / "rank0.tlc", "zero");
    FakeProc::write(out / "rank1.tlc", "one");
    second.discard(*one); // nothing in it: the other node's stays
    QVERIFY(fs::exists(out / "rank0.tlc") && !fs::exists(out / "rank1.tlc"));

    RankFiles again(out, true);
    const auto refused = again.add(0, true);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Error::Code::OutputExists);
    QVERIFY(fs::exists(out / "rank0.tlc"));
    RankFiles forced(out, true, true);
    QVERIFY(forced.add(0, true));
    QVERIFY(!fs::exists(out / "rank0.tlc")); // its agent makes a new one

    // Without a rank, the name of the machine keeps nodes apart.
    RankFiles nameless(out, true);
    const auto file = nameless.add(std::nullopt, true);
    QVERIFY(file && nameless.file(*file).filename().string().find("rank") == std::string::npos);
}

void TestSessionRanks::placesOfSeveralNodes()
{
    const QTemporaryDir temporary;
    CapturePlan plan;
    plan.out = fs::path(temporary.path().toStdString()) / "run.tlc";
    plan.join = true;
    QVERIFY(prepareOutput(plan, {})); // nothing there yet
    fs::create_directory(plan.out);
    FakeProc::write(plan.out / "rank0.tlc", "");
    QVERIFY(prepareOutput(plan, {}));
    QVERIFY(prepareOutput(plan, {{"RANK", "1"}}));
    QVERIFY(!prepareOutput(plan, {{"RANK", "0"}}));
    plan.force = true;
    QVERIFY(prepareOutput(plan, {{"RANK", "0"}}));
    QVERIFY(fs::exists(plan.out / "rank0.tlc")); // removed only when the new one comes
    FakeProc::write(plan.out / "notes.txt", "");
    QVERIFY(!prepareOutput(plan, {}));
    plan.join = plan.force = false;
    QVERIFY(!prepareOutput(plan, {}));
}

QTEST_GUILESS_MAIN(TestSessionRanks)
#include "tst_ranks.moc"
