// SPDX-License-Identifier: GPL-3.0-or-later
// Names, times and sizes as text, and the item models.
#include "tests/unit/timeline/sampletrace.h"
#include "ui/models/eventlistmodel.h"
#include "ui/models/fieldmodel.h"
#include "ui/models/reportmodel.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace tuneline::analysis;
using namespace tuneline::test;
using namespace tuneline::ui;

namespace {

QString plain(QString text)
{
    return text.replace(QChar(0x00A0), QLatin1Char(' '));
}

} // namespace

class TestModels : public QObject
{
    Q_OBJECT

private slots:
    void shortNames_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *expected) {
            QTest::newRow(name) << QString(name) << QString(expected);
        };
        row("aten::conv2d", "aten::conv2d");
        row("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn");
        row("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, "
            "3> >(int, float)",
            "vectorized_elementwise_kernel");
        row("void at::native::(anonymous namespace)::softmax_warp_forward<float, 8>(float*, int)",
            "softmax_warp_forward");
        row("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long)",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
        row("_ZN2at6native12batch_normalILi4EfEEvPT0_", "batch_normal");
        row("_Znonsense", "_Znonsense");
        row("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD");
        row("Memset (Device)", "Memset");
        row("torch/nn/modules/module.py(1501): _call_impl", "_call_impl (module.py)");
        row("step (1)", "step (1)");
        row("ProfilerStep#12", "ProfilerStep#12");
        row("<built-in method add of type object at 0x7f>", "<built-in method add of type object at 0x7f>");
        row("", "");
        row("a<b", "a<b");
        row("void cub::DeviceReduceKernel<x, y>(z)", "DeviceReduceKernel");
    }
    void shortNames()
    {
        QFETCH(QString, name);
        QTEST(shortName(name.toStdString()), "expected");
    }

    void durations_data()
    {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("expected");
        const auto row = [](qint64 ns, const char *expected) {
            QTest::newRow(expected) << ns << QString::fromUtf8(expected);
        };
        row(0, "0 ns");
        row(812, "812 ns");
        row(1000, "1.00 µs");
        row(12'400, "12.4 µs");
        row(3'050'000, "3.05 ms");
        row(213'400'000, "213 ms");
        row(1'270'000'000, "1.27 s");
        row(-1500, "-1.50 µs");
    }
    void durations()
    {
        QFETCH(qint64, ns);
        QTEST(plain(durationText(ns)), "expected");
    }

    void timesShowTheirResolution()
    {
        QCOMPARE(plain(timeText(1'234'567'891)), QStringLiteral("1.234567891 s"));
        QCOMPARE(plain(timeText(1'234'567'891, 1'000'000)), QStringLiteral("1.235 s"));
        QCOMPARE(plain(timeText(12'345, 100)), QString::fromUtf8("12.3 µs"));
        QCOMPARE(plain(bytesText(1536)), QStringLiteral("1.50 KiB"));
        QCOMPARE(plain(bytesText(3.5 * 1024 * 1024 * 1024)), QStringLiteral("3.50 GiB"));
        QCOMPARE(countText(1234567), QStringLiteral("1,234,567"));
    }

    void eventList()
    {
        const TracePtr trace = bigTrace(400);
        EventListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setEvents(trace, {EventId{3U}, EventId{7U}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.eventAt(model.index(1, 0)), EventId{7U});
        QVERIFY(!model.eventAt({}).valid());
        QCOMPARE(model.index(0, EventListModel::Start).data(EventListModel::SortRole).toLongLong(),
                 static_cast<qlonglong>(trace->start(EventId{3U})));
        QVERIFY(!model.index(0, EventListModel::Name).data().toString().isEmpty());
        for (int c = 0; c < EventListModel::ColumnCount; ++c)
            QVERIFY(!model.headerData(c, Qt::Horizontal).toString().isEmpty());
        model.setEvents(nullptr, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void fields()
    {
        SampleTrace sample;
        const LaneId cpu = sample.cpu("9");
        sample.add(cpu, {{1, 100, "aten::mm"}, {10, 20, "cudaLaunchKernel", EventKind::Runtime, 5}});
        KernelDetail detail;
        detail.grid = {4, 1, 1};
        detail.block = {128, 1, 1};
        RawEvent kernel;
        kernel.start = 200;
        kernel.duration = 50;
        kernel.lane = sample.stream(0, 7);
        kernel.kind = EventKind::Kernel;
        kernel.correlation = 5;
        kernel.detail = sample.builder().addKernel(detail);
        kernel.name = sample.builder().strings().intern("void gemm<float>(float*)");
        sample.builder().add(kernel);
        const TracePtr trace = sample.finish();
        FieldModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (std::uint32_t e = 0; e < trace->events.size(); ++e) {
            if (trace->kind(EventId{e}) == EventKind::Kernel)
                model.setFields(eventFields(*trace, EventId{e}));
        }
        QStringList lines;
        for (int row = 0; row < model.rowCount(); ++row)
            lines << plain(model.index(row, 0).data().toString() + QStringLiteral(": ")
                           + model.index(row, 1).data().toString());
        for (const char *line :
             {"Name: void gemm<float>(float*)", "Kind: kernel", "Duration: 50 ns", "Launched by: cudaLaunchKernel",
              "Launch delay: 190 ns", "Operator: aten::mm", "Grid: 4 × 1 × 1", "Block: 128 × 1 × 1"})
            QVERIFY2(lines.contains(QString::fromUtf8(line)), qPrintable(lines.join(u'\n')));
        QVERIFY(eventFields(*trace, EventId{}).empty());
    }

    void report()
    {
        SampleTrace sample;
        sample.add(sample.cpu("1"), {1, 10, "op"});
        sample.builder().report().add("event-skipped", Severity::DataLoss, {120, 4, "name is missing"}, 3);
        sample.builder().report().add("string-repaired", Severity::Info);
        const TracePtr trace = sample.finish();
        ReportModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTrace(trace);
        QCOMPARE(model.rowCount(), 2);
        const QModelIndex first = model.index(0, 0);
        QCOMPARE(first.data().toString(), QStringLiteral("event-skipped"));
        QCOMPARE(model.index(0, ReportModel::Severity).data().toString(), QStringLiteral("data loss"));
        QCOMPARE(model.index(0, ReportModel::Count).data().toString(), QStringLiteral("3"));
        QCOMPARE(model.rowCount(first), 1);
        QCOMPARE(model.index(0, 0, first).data().toString(), QStringLiteral("name is missing"));
        QCOMPARE(model.index(0, ReportModel::Place, first).data().toString(), QStringLiteral("line 4, byte 120"));
        QCOMPARE(model.parent(model.index(0, 0, first)), first);
        model.setTrace(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_GUILESS_MAIN(TestModels)
#include "tst_models.moc"
