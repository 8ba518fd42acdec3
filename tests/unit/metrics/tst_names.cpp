// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/names.h"

#include <QTest>

using namespace tuneline::analysis;
namespace T = tuneline::analysis::NameTrait;

class TestNames : public QObject
{
    Q_OBJECT

private slots:
    void kernels_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("tensor");
        QTest::addColumn<bool>("communication");
        QTest::newRow("hopper xmma") << "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwc_tilesize64x64x64"
                                     << true << false;
        QTest::newRow("ampere fp16") << "ampere_fp16_s16816gemm_fp16_128x64_ldg8_stages_32x6_tn" << true << false;
        QTest::newRow("volta h884") << "volta_fp16_h884gemm_fp16_128x64_ldg8_f2f_nn" << true << false;
        QTest::newRow("nvjet") << "nvjet_tst_192x192_64x3_2x1_v_bz_coopB_NTN" << true << false;
        QTest::newRow("cutlass tensorop") << "cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4" << true << false;
        QTest::newRow("cudnn sdpa") << "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7" << true
                                    << false;
        QTest::newRow("flash") << "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64>>"
                               << true << false;
        QTest::newRow("tf32") << "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16"
                              << true << false;
        QTest::newRow("sgemm") << "volta_sgemm_128x64_nn" << false << false;
        QTest::newRow("xmma on ffma") << "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x128x8_stage3_ffma_aligna4"
                                      << false << false;
        QTest::newRow("implicit sgemm") << "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1>" << false
                                        << false;
        QTest::newRow("scudnn") << "volta_scudnn_128x64_relu_interior_nn_v1" << false << false;
        QTest::newRow("simt") << "cutlass_80_simt_sgemm_128x64_8x5_nn_align1" << false << false;
        QTest::newRow("pointwise")
            << "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>" << false
            << false;
        QTest::newRow("nccl old") << "ncclKernel_AllGather_RING_LL_Sum_int8_t" << false << true;
        QTest::newRow("nccl new") << "ncclDevKernel_Generic" << false << true;
        QTest::newRow("label") << "nccl:all_reduce" << false << false;
    }
    void kernels()
    {
        QFETCH(QString, name);
        const std::uint32_t traits = classifyKernelName(name.toStdString());
        QTEST(((traits & T::kTensorCore) != 0), "tensor");
        QTEST(((traits & T::kCommunication) != 0), "communication");
    }

    void hostNames_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<quint32>("has");
        QTest::addColumn<quint32>("hasNot");
        const quint32 none = 0;
        QTest::newRow("loader") << "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
                                << quint32{T::kDataScope} << quint32{T::kStepMarker};
        QTest::newRow("data mark") << "data" << quint32{T::kDataScope} << none;
        QTest::newRow("data in a longer name") << "aten::data" << none << quint32{T::kDataScope};
        QTest::newRow("profiler step") << "ProfilerStep#12" << quint32{T::kStepMarker} << none;
        QTest::newRow("own step") << "TunelineStep#3" << quint32{T::kStepMarker} << none;
        QTest::newRow("nvtx step") << "train_step 7" << quint32{T::kStepMarker} << none;
        QTest::newRow("optimizer") << "Optimizer.step#AdamW.step" << quint32{T::kOptimizerScope}
                                   << quint32{T::kStepMarker};
        QTest::newRow("zero_grad") << "Optimizer.zero_grad#AdamW.zero_grad" << none << quint32{T::kOptimizerScope};
        QTest::newRow("save") << "torch/serialization.py(912): save" << quint32{T::kCheckpointScope} << none;
        QTest::newRow("save mark") << "save_checkpoint" << quint32{T::kCheckpointScope} << none;
        QTest::newRow("activation checkpointing")
            << "torch/utils/checkpoint.py(208): checkpoint" << none << quint32{T::kCheckpointScope};
        QTest::newRow("activation node") << "CheckpointFunctionBackward" << quint32{T::kBackward}
                                         << quint32{T::kCheckpointScope};
        QTest::newRow("inductor") << "compile_fx_inner (dynamo_timed)" << quint32{T::kCompilation} << none;
        QTest::newRow("compiled code runs") << "Torch-Compiled Region: 0/0" << none << quint32{T::kCompilation};
        QTest::newRow("fused adam") << "aten::_fused_adamw_" << quint32{T::kOptimizerOp} << none;
        QTest::newRow("clipping") << "aten::_foreach_norm" << none << quint32{T::kOptimizerOp};
    }
    void hostNames()
    {
        QFETCH(QString, name);
        QFETCH(quint32, has);
        QFETCH(quint32, hasNot);
        const std::uint32_t traits = classifyHostName(name.toStdString());
        QCOMPARE(traits & has, has);
        QCOMPARE(traits & hasNot, quint32{0});
    }

    void apiNames()
    {
        QVERIFY((classifyApiName("cudaStreamSynchronize_v3020") & T::kBlocking) != 0);
        QVERIFY((classifyApiName("cudaMemcpy") & T::kBlocking) != 0);
        QVERIFY((classifyApiName("cudaMemcpyAsync") & T::kBlocking) == 0);
        QVERIFY((classifyApiName("cudaMemcpyAsync") & T::kLaunch) != 0);
        QVERIFY((classifyApiName("cudaMalloc") & T::kAllocation) != 0);
        QVERIFY((classifyApiName("cudaMallocAsync") & T::kAllocation) == 0);
        QVERIFY((classifyApiName("cudaGraphLaunch") & T::kGraphLaunch) != 0);
        QVERIFY((classifyApiName("cuLibraryLoadData") & T::kCompilation) != 0);
        QCOMPARE(classifyApiName("cudaStreamIsCapturing"), 0U);
    }
};

QTEST_GUILESS_MAIN(TestNames)
#include "tst_names.moc"
