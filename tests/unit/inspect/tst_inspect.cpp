// SPDX-License-Identifier: GPL-3.0-or-later
// The inspect document has every key of CLI.md, null where nothing is known, and the text says the same.
#include "analysis/report/inspect.h"
#include "tests/unit/metrics/tracemaker.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace tuneline::analysis;
using nlohmann::json;

class TestInspect : public QObject
{
    Q_OBJECT

private slots:
    void hasEveryKey()
    {
        TraceMaker m;
        m.step(1, 0, 300);
        m.op("aten::mm", 0, 100);
        m.call("cudaLaunchKernel", 10, 5, 1);
        m.kernel("gemm", 20, 100, 1);
        const json doc = inspectJson(*m.analysis());
        for (const char *key :
             {"file",   "format",  "documents", "truncated", "base_unix_ns", "span_ns", "counts",   "problems",
              "lanes",  "devices", "links",     "steps",     "ops",          "python",  "kernels",  "api",
              "ranges", "copies",  "syncs",     "input",     "memory",       "ranks",   "straggler"})
            QVERIFY2(doc.contains(key), key);
        for (const char *key :
             {"id", "rank", "name", "util", "busy_ns", "idle_ns", "compute_ns", "copy_ns", "exposed_copy_ns", "comm_ns",
              "exposed_comm_ns", "kernel_sum_ns", "tensor_core_share", "occupancy", "reliable"})
            QVERIFY2(doc["devices"][0].contains(key), key);
        for (const char *key : {"count", "source", "micro_per_step", "median_ns", "bound", "outliers", "list"})
            QVERIFY2(doc["steps"].contains(key), key);
        for (const char *key : {"start_ns", "dur_ns", "busy_ns", "kernel_ns", "util", "kernel_starts", "reliable"})
            QVERIFY2(doc["steps"]["list"][0].contains(key), key);
        for (const char *key : {"linked", "unlinked", "orphans", "launches_without_work", "clock_skew",
                                "mean_launch_delay_ns", "max_queue", "cross_rank"})
            QVERIFY2(doc["links"].contains(key), key);
        QCOMPARE(doc["counts"]["slices"].get<int>(), 4);
        QCOMPARE(doc["ops"][0]["device_self_ns"].get<int>(), 100'000);
        QCOMPARE(doc["links"]["mean_launch_delay_ns"].get<int>(), 10'000);
    }

    void unknownIsNull()
    {
        TraceMaker m;
        m.op("aten::mm", 0, 100);
        const json doc = inspectJson(*m.analysis());
        QVERIFY(doc["devices"].empty());
        QVERIFY(doc["steps"]["median_ns"].is_null());
        QCOMPARE(doc["steps"]["source"].get<std::string>(), std::string("none"));
        QVERIFY(doc["input"]["wait_share"].is_null());
        QVERIFY(doc["input"]["workers"].is_null());
        QVERIFY(doc["links"]["mean_launch_delay_ns"].is_null());
        QVERIFY(doc["syncs"]["true_cost_ns_per_step"].is_null());
        QVERIFY(doc["straggler"].is_null());
    }

    void textShowsTheSameFigures()
    {
        TraceMaker m;
        for (int i = 0; i < 3; ++i) {
            m.step(i, 1000 * i, 1000);
            m.call("cudaLaunchKernel", 1000 * i + 10, 5, static_cast<std::uint64_t>(i + 1));
            m.kernel("gemm", 1000 * i + 20, 500, static_cast<std::uint64_t>(i + 1));
        }
        const std::string text = inspectText(*m.analysis());
        for (const char *part : {"Steps: 3, 3 of them steady, median 1.00 ms", "busy 1.50 ms of 3.00 ms (50.0 %)",
                                 "gemm", "cudaLaunchKernel"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }

    void textOfATraceWithoutDevice()
    {
        TraceMaker m;
        m.op("aten::mm", 0, 100);
        const std::string text = inspectText(*m.analysis());
        QVERIFY(text.find("No steps") != std::string::npos);
        QVERIFY(text.find("No device activity") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestInspect)
#include "tst_inspect.moc"
