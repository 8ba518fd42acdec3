// SPDX-License-Identifier: GPL-3.0-or-later
// The spelling of changes, shapes and products, and the table of devices.
#include "analysis/whatif/change.h"
#include "analysis/whatif/devicetable.h"
#include "analysis/whatif/productmodel.h"
#include "analysis/whatif/shapes.h"

#include <QTest>

using namespace tuneline::analysis;

class TestChanges : public QObject
{
    Q_OBJECT

private slots:
    void everySpellingOfTheTableIsRead_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"input-wait:workers=14",
                                 "input-wait:synthetic",
                                 "copy-pageable",
                                 "copy-not-overlapped",
                                 "sync-item",
                                 "sync-explicit",
                                 "sync-allocation",
                                 "launch-blocking",
                                 "tf32-off",
                                 "precision:bf16",
                                 "precision:fp16",
                                 "channels-last",
                                 "attention-unfused",
                                 "bias-before-norm",
                                 "alignment",
                                 "zero-grad-memset",
                                 "optimizer-unfused",
                                 "optimizer-unfused:foreach",
                                 "launch-bound:cuda-graphs",
                                 "launch-bound:compile",
                                 "batch-size:128",
                                 "memory-limit:checkpointing",
                                 "checkpointing-unneeded",
                                 "comm-exposed",
                                 "straggler"})
            QTest::newRow(text) << text;
    }
    void everySpellingOfTheTableIsRead()
    {
        QFETCH(QString, text);
        const auto changes = parseChanges(text.toStdString());
        QVERIFY(changes.has_value());
        QCOMPARE(changes->size(), 1U);
        QCOMPARE(QString::fromStdString(toString(changes->front())), text);
    }

    void severalAreJoinedByPlus()
    {
        const auto changes = parseChanges("tf32-off+precision:bf16+batch-size:64").value();
        QCOMPARE(changes.size(), 3U);
        QCOMPARE(changes[2].kind, ChangeKind::BatchSize);
        QCOMPARE(changes[2].number, 64);
    }

    void nonsenseIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", "tf32", "batch-size", "batch-size:", "batch-size:0", "batch-size:8x",
                                 "sync-item:3", "tf32-off+", "input-wait:workers=-2"})
            QTest::newRow(text) << text;
    }
    void nonsenseIsRefused()
    {
        QFETCH(QString, text);
        const auto changes = parseChanges(text.toStdString());
        QVERIFY(!changes.has_value());
        QCOMPARE(changes.error().code, Error::Code::Usage);
    }

    void shapesAreRead()
    {
        const auto shapes = parseShapes("[[64, 3, 224, 224], [], [64,3,7,7], \"\"]");
        QCOMPARE(shapes.size(), 4U);
        QCOMPARE(shapes[0], (Shape{64, 3, 224, 224}));
        QVERIFY(shapes[1].empty());
        QCOMPARE(elements(shapes[2]), 64 * 3 * 49);
        QVERIFY(parseShapes("").empty());
        QCOMPARE(parseShapes("[[12, 3").size(), 1U); // cut short
    }

    void productsHaveTheirArithmetic()
    {
        QCOMPARE(productOf("aten::mm", "[[128, 64], [64, 32]]", "")->flops(), 2.0 * 128 * 64 * 32);
        QCOMPARE(productOf("aten::addmm", "[[32], [128, 64], [64, 32]]", "")->flops(), 2.0 * 128 * 64 * 32);
        QCOMPARE(productOf("aten::bmm", "[[8, 16, 4], [8, 4, 16]]", "")->flops(), 2.0 * 8 * 16 * 4 * 16);
        const auto conv =
            productOf("aten::convolution_backward", "[[64, 128, 28, 28], [64, 64, 56, 56], [128, 64, 3, 3]]", "");
        QVERIFY(conv && conv->backward);
        QCOMPARE(conv->flops(), 2.0 * 64 * 28 * 28 * 128 * 64 * 9);
        QVERIFY(!productOf("aten::relu", "[[4]]", ""));
        QVERIFY(!productOf("aten::mm", "", ""));
    }

    void kernelsSayTheirPrecision_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<bool>("half");
        QTest::newRow("bf16, horizontal") << "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT" << true;
        QTest::newRow("bf16, vertical") << "nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NTT" << true;
        QTest::newRow("bf16, without architecture") << "nvjet_tst_64x8_64x16_4x1_v_bz_TNT" << true;
        QTest::newRow("fp16") << "nvjet_sm100_hsh_128x128_64x6_2x1_v_bz_NTT" << true;
        QTest::newRow("fp32 as TF32") << "nvjet_sm100_sss_128x128_64x6_2x1_h_bz_NTT" << false;
    }
    void kernelsSayTheirPrecision()
    {
        QFETCH(QString, kernel);
        QFETCH(bool, half);
        QCOMPARE(nvjetMode(kernel.toStdString()) == MathMode::Half, half);
    }

    // What no device can beat.
    void predictionsStayBelowTheRoofline()
    {
        DeviceProperties p;
        p.name = "NVIDIA H200";
        const DeviceRates rates = deviceRates(p);
        QVERIFY(rates.known);
        const auto product = productOf("aten::mm", "[[8192, 4096], [4096, 4096]]", "");
        for (const MathMode mode : {MathMode::Float32, MathMode::Tf32, MathMode::Half}) {
            const double peak = mode == MathMode::Float32 ? rates.fp32
                : mode == MathMode::Tf32                  ? rates.tf32
                                                          : rates.half;
            QVERIFY(productNs(rates, *product, mode, true) > 1e9 * product->flops() / peak);
        }
        QVERIFY(productNs(rates, *product, MathMode::Half, true) < productNs(rates, *product, MathMode::Tf32, true));
    }

    void unknownDevicesAreGuessed()
    {
        DeviceProperties p;
        p.name = "Some Future GPU";
        p.computeMajor = 10;
        p.multiprocessors = 100;
        const DeviceRates rates = deviceRates(p);
        QVERIFY(!rates.known);
        QVERIFY(rates.bf16 && rates.tf32 > rates.fp32 && rates.memory > 0);
        p.computeMajor = 7;
        QVERIFY(!deviceRates(p).bf16);
    }
};

QTEST_GUILESS_MAIN(TestChanges)
#include "tst_changes.moc"
