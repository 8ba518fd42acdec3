// SPDX-License-Identifier: GPL-3.0-or-later
// Each rule on a trace that shows its bottleneck, and on one that only looks like it. A row of scenes, one behind the
// other, is easier to look through than several files: over 600 lines.
#include "analysis/findings/catalogue.h"
#include "analysis/findings/rules.h"
#include "tests/unit/findings/scene.h"

#include <QTest>

using namespace tuneline::analysis;

Q_DECLARE_METATYPE(std::function<void(Scene &)>)

namespace {

using Draw = std::function<void(Scene &)>;

// 5 steps of `length` µs drawn by the body.
Draw steps(double length, const std::function<void(Scene &, double)> &body)
{
    return [=](Scene &s) { s.steps(5, length, [&](double t) { body(s, t); }); };
}

// A step in which the device is busy all the time with one large kernel.
void busy(Scene &s, double t, double length)
{
    s.op("aten::relu", t, 20);
    s.kernel("void at::native::big_kernel", t + 2, 5, t + 10, length - 20);
    s.call("cudaDeviceSynchronize", t + 25, length - 30);
}

const char *const kMm = "[[4096, 4096], [4096, 4096]]";
const char *const kFloatGemm = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_ffma";
const char *const kTf32Gemm = "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1";
const char *const kHalfGemm = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
const char *const kPointwise = "void at::native::vectorized_elementwise_kernel<4, add<float>>";

Draw gemms(const char *kernel, double ns, const char *shapes = kMm)
{
    return steps(4 * ns + 200, [=](Scene &s, double t) {
        for (int i = 0; i < 4; ++i)
            s.opKernel("aten::mm", shapes, kernel, t + 10 * i, t + 10 + i * (ns + 1), ns);
        s.call("cudaDeviceSynchronize", t + 60, 4 * ns);
    });
}

Draw inputWait(double wait)
{
    return steps(wait + 2000, [=](Scene &s, double t) {
        s.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t, wait);
        busy(s, t + wait, 2000);
    });
}

// As many loader workers as there are cores, or fewer.
Draw workersOnCores(int workers, int cores)
{
    return [=](Scene &s) {
        s.config("workers", std::to_string(workers));
        s.config("cpu_count", std::to_string(cores));
        inputWait(1500)(s);
    };
}

Draw copies(MemoryKind memory, std::int64_t bytes, double ns)
{
    return steps(ns + 2000, [=](Scene &s, double t) {
        s.op("aten::copy_", t, ns + 20);
        s.copy(CopyKind::HostToDevice, memory, bytes, t + 1, memory == MemoryKind::Pageable ? ns + 10 : 5, t + 8, ns);
        busy(s, t + ns + 25, 1900);
    });
}

// A pinned copy on the stream that computes, right before the step's work.
Draw pinned(std::int64_t bytes, double ns)
{
    return steps(ns + 2000, [=](Scene &s, double t) {
        s.op("aten::copy_", t, 12);
        s.copy(CopyKind::HostToDevice, MemoryKind::Pinned, bytes, t + 1, 5, t + 8, ns);
        s.op("aten::relu", t + 15, 20);
        s.kernel("void at::native::big_kernel", t + 17, 5, t + 10 + ns, 1980);
        s.call("cudaDeviceSynchronize", t + 40, 1955 + ns);
    });
}

Draw smallCopies(int count)
{
    return steps(count * 20 + 1000, [=](Scene &s, double t) {
        for (int i = 0; i < count; ++i) {
            s.op("aten::copy_", t + 20 * i, 18);
            s.copy(CopyKind::HostToDevice, MemoryKind::Pageable, 400, t + 20 * i + 1, 5, t + 20 * i + 8, 1);
            s.call("cudaStreamSynchronize", t + 20 * i + 7, 10);
        }
        busy(s, t + 20 * count, 950);
    });
}

Draw roundtrip(std::int64_t down, std::int64_t up)
{
    return steps(3000, [=](Scene &s, double t) {
        busy(s, t, 1000);
        s.op("aten::copy_", t + 1000, 500);
        s.copy(CopyKind::DeviceToHost, MemoryKind::Pageable, down, t + 1001, 490, t + 1010, 480);
        s.op("aten::copy_", t + 2000, 500);
        s.copy(CopyKind::HostToDevice, MemoryKind::Pageable, up, t + 2001, 490, t + 2010, 480);
    });
}

Draw items(int count, const char *op)
{
    return steps(110 * count, [=](Scene &s, double t) {
        for (int i = 0; i < count; ++i, t += 110) {
            s.kernel("work", t, 10, t + 5, 100);
            s.op(op, t + 10, 100);
            s.call("cudaStreamSynchronize", t + 10, 100);
        }
    });
}

Draw syncs(int count)
{
    return steps(110 * count, [=](Scene &s, double t) {
        for (int i = 0; i < count; ++i, t += 110) {
            s.kernel("work", t, 10, t + 5, 100);
            s.call("cudaDeviceSynchronize", t + 10, 98);
        }
    });
}

Draw allocations(bool everyStep)
{
    return [=](Scene &s) {
        int n = 0;
        s.steps(6, 2000, [&](double t) {
            if (everyStep || n++ == 0) {
                s.call("cudaFree", t, 400);
                s.call("cudaMalloc", t + 410, 400);
            }
            busy(s, t + 850, 1100);
        });
    };
}

Draw launches(bool blocking)
{
    return steps(3000, [=](Scene &s, double t) {
        for (int i = 0; i < 25; ++i, t += 110) {
            s.op("aten::relu", t, 108);
            s.kernel("work", t + 1, blocking ? 106 : 5, t + 5, 100);
        }
    });
}

// Many kernels, each with host time around it.
Draw launchBound(double host, double device)
{
    return steps(200 * std::max(host, device) + 100, [=](Scene &s, double t) {
        double at = t;
        for (int i = 0; i < 200; ++i) {
            s.op("aten::relu", t + host * i, host * 0.9);
            const double start = t + host * i + host * 0.3;
            at = std::max(at, start + 4);
            s.kernel("void at::native::some_kernel", start, host * 0.3, at, device);
            at += device + 1;
        }
    });
}

Draw chains(int length)
{
    return steps(4000, [=](Scene &s, double t) {
        double at = t + 20;
        for (int c = 0; c < 12 / length; ++c) {
            for (int i = 0; i < length; ++i, at += 101)
                s.opKernel("aten::add", "[[4096, 4096]]", kPointwise, t + 10 * (c * length + i), at, 100);
            s.opKernel("aten::mm", kMm, kTf32Gemm, t + 130 + 10 * c, at, 100);
            at += 101;
        }
        s.call("cudaDeviceSynchronize", t + 300, 3690);
    });
}

Draw compilation(double length)
{
    return steps(3000, [=](Scene &s, double t) {
        s.host(EventKind::Compile, "entire_frame_compile (dynamo_timed)", t, length);
        busy(s, t + length, 3000 - length);
    });
}

Draw hostGap(double gap)
{
    return steps(2000 + gap, [=](Scene &s, double t) {
        busy(s, t, 2000);
        s.op("aten::zeros", t + 1990 + gap, 5);
    });
}

Draw optimizer(int kernels, const char *kernel, const char *op)
{
    return steps(12 * kernels + 1500, [=](Scene &s, double t) {
        s.range("Optimizer.step#AdamW.step", t, 12 * kernels);
        for (int i = 0; i < kernels; ++i) {
            s.op(op, t + 12 * i, 10);
            s.kernel(kernel, t + 12 * i + 2, 5, t + 12 * i + 6, 2);
        }
        busy(s, t + 12 * kernels, 1400);
    });
}

Draw zeroGrad(int fills)
{
    return steps(10 * fills + 800, [=](Scene &s, double t) {
        s.range("Optimizer.zero_grad#AdamW.zero_grad", t, 10 * fills);
        for (int i = 0; i < fills; ++i) {
            s.op("aten::zero_", t + 10 * i, 8);
            s.memset(4'000'000, t + 10 * i + 1, t + 10 * i + 5, 3);
        }
        busy(s, t + 10 * fills, 700);
    });
}

Draw scaler(bool present)
{
    return steps(2000, [=](Scene &s, double t) {
        busy(s, t, 1000);
        s.op(present ? "aten::_amp_foreach_non_finite_check_and_unscale_" : "aten::_foreach_mul_", t + 1000, 100);
        s.kernel("multi_tensor_apply_kernel", t + 1005, 5, t + 1010, 50);
        if (present) {
            s.op("aten::item", t + 1110, 300);
            s.call("cudaStreamSynchronize", t + 1112, 290);
        }
    });
}

Draw attention(bool softmax)
{
    return steps(4000, [=](Scene &s, double t) {
        double at = t + 20;
        const auto run = [&](const char *op, const char *shapes, const char *kernel, double length) {
            s.opKernel(op, shapes, kernel, t += 10, at, length);
            at += length + 1;
        };
        for (int layer = 0; layer < 4; ++layer) {
            run("aten::bmm", "[[48, 512, 64], [48, 64, 512]]", kHalfGemm, 100);
            run("aten::div", "[[48, 512, 512]]", kPointwise, 200);
            if (softmax)
                run("aten::_softmax", "[[48, 512, 512]]", "void cunn_SoftMaxForward<8, float>", 200);
            run("aten::bmm", "[[48, 512, 512], [48, 512, 64]]", kHalfGemm, 100);
        }
        s.call("cudaDeviceSynchronize", t + 20, 3500);
    });
}

Draw convolutions(bool conversions)
{
    return steps(3000, [=](Scene &s, double t) {
        double at = t + 20;
        const auto run = [&](const char *op, const char *shapes, const char *kernel, double length) {
            s.opKernel(op, shapes, kernel, t += 10, at, length);
            at += length + 1;
        };
        for (int layer = 0; layer < 3; ++layer) {
            if (conversions)
                run("aten::cudnn_convolution", "[[64, 64, 56, 56], [64, 64, 3, 3]]",
                    "void cudnn::nchwToNhwcKernel<__nv_bfloat16>", 150);
            run("aten::cudnn_convolution", "[[64, 64, 56, 56], [64, 64, 3, 3]]",
                "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_nhwc", 200);
            run("aten::native_batch_norm", "[[64, 64, 56, 56]]",
                conversions ? "void at::native::batch_norm_collect_statistics_kernel<float>"
                            : "void at::native::batch_norm_collect_statistics_channels_last_kernel<float>",
                300);
        }
        s.call("cudaDeviceSynchronize", t + 20, 2500);
    });
}

Draw convolutionBias(bool norm)
{
    return steps(3000, [=](Scene &s, double t) {
        double at = t + 20;
        for (int layer = 0; layer < 4; ++layer, t += 30) {
            s.op("aten::convolution", t, 18, "[[64, 64, 56, 56], [64, 64, 3, 3], [64]]");
            s.opKernel("aten::cudnn_convolution", "[[64, 64, 56, 56], [64, 64, 3, 3]]",
                       "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_nhwc", t + 1, at, 200);
            s.op("aten::add_", t + 10, 7);
            s.kernel("void at::native::vectorized_elementwise_kernel<4, add<c10::BFloat16>>", t + 11, 5, at + 201, 100);
            s.opKernel("aten::native_batch_norm", "[[64, 64, 56, 56]]",
                       norm ? "void at::native::batch_norm_transform_input_channels_last_kernel<float>"
                            : "void relu_kernel",
                       t + 20, at + 302, 150);
            at += 453;
        }
        s.call("cudaDeviceSynchronize", t + 20, 2600);
    });
}

Draw grids(int blocks)
{
    return steps(2000, [=](Scene &s, double t) {
        for (int i = 0; i < 3; ++i) {
            s.op("aten::sum", t + 10 * i, 8);
            s.kernel("void reduce_kernel<512>", t + 10 * i + 1, 5, t + 10 + 601 * i, 600, 7, blocks);
        }
        s.call("cudaDeviceSynchronize", t + 40, 1900);
    });
}

// Device memory that grows by `growth` bytes a step.
Draw memoryCurve(std::int64_t growth, std::int64_t base, std::int64_t temporary = 0, std::int64_t reserved = kUnknown)
{
    return [=](Scene &s) {
        std::int64_t level = base;
        std::uint64_t address = 1000;
        s.memory(50, base, address++, base, reserved);
        s.steps(6, 2000, [&](double t) {
            busy(s, t, 2000);
            level += growth;
            if (growth != 0)
                s.memory(t + 100, growth, address++, level, reserved);
            s.memory(t + 200, 1'000'000 + temporary, address, level + 1'000'000 + temporary, reserved);
            s.memory(t + 300, -1'000'000 - temporary, address++, level, reserved);
        });
    };
}

Draw recomputation(bool again)
{
    return [=](Scene &s) {
        s.memory(50, 1'000'000'000, 1, 1'000'000'000);
        s.steps(5, 2000, [&](double t) {
            s.op("aten::linear", t, 20);
            s.kernel("gelu_kernel", t + 2, 5, t + 10, 400);
            s.op("GeluBackward0", t + 30, 60);
            if (again) {
                s.op("aten::linear", t + 31, 20);
                s.kernel("gelu_kernel", t + 33, 5, t + 411, 400);
            }
            s.kernel("gelu_backward_kernel", t + 70, 5, t + 820, 800);
            s.call("cudaDeviceSynchronize", t + 100, 1800);
        });
    };
}

Draw saving(bool present)
{
    return [=](Scene &s) {
        int n = 0;
        s.steps(6, 3000, [&](double t) {
            busy(s, t, 2000);
            if (present && n++ % 2 == 1)
                s.range("save_checkpoint", t + 2000, 900);
        });
    };
}

Draw losses(double value)
{
    return [=](Scene &s) {
        s.steps(5, 2000, [&](double t) {
            busy(s, t, 2000);
            s.mark(MarkKind::Loss, t + 1900, value);
        });
    };
}

Draw padding(double valid)
{
    return [=](Scene &s) {
        s.steps(5, 2000, [&](double t) {
            busy(s, t, 2000);
            s.mark(MarkKind::Units, t + 10, 1000);
            s.mark(MarkKind::ValidUnits, t + 10, valid);
        });
    };
}

Draw clock(double lowest)
{
    return [=](Scene &s) {
        s.steps(5, 2000, [&](double t) { busy(s, t, 2000); });
        CounterTrack &track = s.builder().counter(s.source(), "SM clock");
        for (int i = 0; i < 5; ++i) {
            track.time.push_back((100 + 2000 * i) * 1000);
            track.value.push_back(i == 3 ? lowest : 1980);
        }
    };
}

Draw regions(int count)
{
    return steps(count * 110 + 1000, [=](Scene &s, double t) {
        for (int i = 0; i < count; ++i)
            s.op("Torch-Compiled Region: " + std::to_string(i) + "/0", t + 110 * i, 60);
        busy(s, t + 110 * count, 900);
    });
}

Draw autotune(bool searches)
{
    return steps(2000, [=](Scene &s, double t) {
        s.op(searches ? "cudnnFindConvolutionForwardAlgorithmEx" : "aten::cudnn_convolution", t, 300);
        busy(s, t + 310, 1600);
    });
}

Draw shapes(bool vary)
{
    return [=](Scene &s) {
        int n = 0;
        s.steps(6, 3000, [&](double t) {
            const std::string length = std::to_string(vary ? 512 + 8 * n++ : 512);
            s.opKernel("aten::mm", "[[" + length + ", 4096], [4096, 4096]]", kHalfGemm, t, t + 10, 500);
            s.host(EventKind::Compile, "entire_frame_compile (dynamo_timed)", t + 520, vary ? 900 : 0.1);
            busy(s, t + 1500, 1400);
        });
    };
}

Draw dataParallel(bool replicas)
{
    return steps(3000, [=](Scene &s, double t) {
        s.range(replicas ? "DataParallel.forward" : "DistributedDataParallel.forward", t, 900);
        s.copy(CopyKind::PeerToPeer, MemoryKind::Device, 4'000'000, t + 10, 5, t + 20, 300);
        busy(s, t + 1000, 1900);
    });
}

Draw communication(double exposed)
{
    return steps(2000 + exposed, [=](Scene &s, double t) {
        s.op("aten::relu", t, 20);
        s.kernel("void at::native::big_kernel", t + 2, 5, t + 10, 1900);
        s.op("c10d::allreduce_", t + 25, 20);
        s.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", t + 30, 5, t + 1911,
                 exposed);
        s.call("cudaDeviceSynchronize", t + 60, 1900 + exposed);
    });
}

// Two ranks meet in a collective at the end of each step; the late one computes 600 µs longer.
Draw twoRanks(bool alwaysTheSame)
{
    return [=](Scene &s) {
        for (const int rank : {0, 1}) {
            s.beginRank(rank);
            int n = 0;
            s.steps(6, 3000, [&](double t) {
                const bool late = rank == (alwaysTheSame ? 1 : n++ % 2);
                const double compute = late ? 2200 : 1600;
                s.op("aten::relu", t, 20);
                s.kernel("void at::native::big_kernel", t + 2, 5, t + 10, compute);
                s.op("c10d::allreduce_", t + 25, 20);
                s.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", t + 30, 5,
                         t + 11 + compute, 2400 - compute);
                s.call("cudaDeviceSynchronize", t + 60, 2400);
            });
        }
    };
}

// Steps of 32 samples, 1 GB of memory in use: many short launches, or kernels that fill the device.
Draw batches(bool deviceIsFull)
{
    return [=](Scene &s) {
        s.memory(50, 1'000'000'000, 1, 1'000'000'000);
        s.config("batch_size", "32");
        if (deviceIsFull)
            gemms(kHalfGemm, 450)(s);
        else
            launchBound(12, 2)(s);
    };
}

// Steps that take 2 ms and `longer` in turn.
Draw unsteady(double longer)
{
    return [=](Scene &s) {
        double t = 100;
        for (int i = 0; i < 8; ++i) {
            const double length = i % 2 == 0 ? 2000 : longer;
            s.range("ProfilerStep#" + std::to_string(i + 3), t, length);
            busy(s, t, length);
            t += length;
        }
    };
}

Draw epochStart(bool restart)
{
    return [=](Scene &s) {
        int n = 0;
        s.steps(6, 30'000, [&](double t) {
            const bool first = n++ == 3;
            if (first)
                s.range("DataLoader.__iter__ epoch", t, 10);
            s.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t + 10,
                    first && restart ? 25'000 : 50);
            busy(s, t + 25'100, 4800);
        });
    };
}

} // namespace

class TestRules : public QObject
{
    Q_OBJECT

    struct Case
    {
        const char *rule;
        Draw positive, nearMiss;
        const char *gpu = "NVIDIA H200";
    };

    static std::vector<Case> cases()
    {
        return {
            {"input-wait", inputWait(1500), inputWait(30)},
            {"input-cpu-limit", workersOnCores(8, 8), workersOnCores(2, 8)},
            {"input-worker-restart", epochStart(true), epochStart(false)},
            {"copy-pageable", copies(MemoryKind::Pageable, 38'535'168, 8000), copies(MemoryKind::Pageable, 40'000, 10)},
            {"copy-not-overlapped", pinned(38'535'168, 800), pinned(400'000, 10)},
            {"copy-many-small", smallCopies(60), smallCopies(3)},
            {"copy-roundtrip", roundtrip(4'000'000, 4'000'000), roundtrip(4'000'000, 3'000'000)},
            {"sync-item", items(12, "aten::item"), items(12, "aten::relu")},
            {"sync-explicit", syncs(12), steps(2000, [](Scene &s, double t) { busy(s, t, 2000); })},
            {"sync-allocation", allocations(true), allocations(false)},
            {"launch-blocking", launches(true), launches(false)},
            {"launch-bound", launchBound(12, 2), launchBound(12, 60)},
            {"optimizer-unfused", optimizer(200, kPointwise, "aten::add_"),
             optimizer(8, "multi_tensor_apply_kernel", "aten::_fused_adamw_")},
            {"zero-grad-memset", zeroGrad(100), zeroGrad(4)},
            {"fp16-scaler", scaler(true), scaler(false)},
            {"pointwise-chains", chains(6), chains(2)},
            {"recompile", compilation(1500), compilation(10)},
            {"python-or-host-work", hostGap(3000), hostGap(100)},
            {"graph-breaks", regions(30), regions(1)},
            {"tf32-off", gemms(kFloatGemm, 2700), gemms(kTf32Gemm, 450)},
            {"precision", gemms(kTf32Gemm, 450), gemms(kHalfGemm, 190)},
            {"alignment", gemms(kHalfGemm, 900, "[[4096, 4096], [4096, 4097]]"), gemms(kHalfGemm, 190)},
            {"attention-unfused", attention(true), attention(false)},
            {"channels-last", convolutions(true), convolutions(false)},
            {"conv-autotune", autotune(true), autotune(false)},
            {"bias-before-norm", convolutionBias(true), convolutionBias(false)},
            {"small-grid", grids(4), grids(4000)},
            {"padding", padding(500), padding(980)},
            {"shapes-vary", shapes(true), shapes(false)},
            {"memory-limit", memoryCurve(0, 135'000'000'000), memoryCurve(0, 90'000'000'000)},
            {"memory-growth", memoryCurve(50'000'000, 1'000'000'000), memoryCurve(0, 1'000'000'000)},
            {"memory-temporary", memoryCurve(0, 1'000'000'000, 500'000'000), memoryCurve(0, 1'000'000'000, 50'000'000)},
            {"memory-fragmentation", memoryCurve(0, 4'000'000'000, 0, 9'000'000'000),
             memoryCurve(0, 4'000'000'000, 0, 4'500'000'000)},
            {"checkpointing-unneeded", recomputation(true), recomputation(false)},
            {"comm-exposed", communication(900), communication(40)},
            {"straggler", twoRanks(true), twoRanks(false)},
            {"batch-size", batches(false), batches(true)},
            {"capture-quality", unsteady(2600), unsteady(2200)},
            {"data-parallel", dataParallel(true), dataParallel(false)},
            {"checkpoint-stall", saving(true), saving(false)},
            {"numerics", losses(std::numeric_limits<double>::quiet_NaN()), losses(2.5)},
            {"clocks", clock(1200), clock(1950)},
        };
    }

private slots:
    // 3 % of the step either way is what its steps differ by, not a gain; 6 % against 1 % is one.
    void theSpreadOfTheStepsIsNoGain()
    {
        Scene scene;
        scene.steps(6, 1000, [&](double t) { scene.opKernel("aten::relu", "", "relu", t, t + 10, 900); });
        const auto analysis = scene.analysis();
        const WhatIf whatIf(*analysis);
        const RuleContext context{*analysis, *analysis->trace, whatIf, whatIf.facts(), 1e6, 1e6, 6};
        RuleReport report;
        Finding f;
        f.rule = "sync-item";
        f.share = 0.2;
        f.gain = {-30'000, 32'000, 999'000};
        report.add(context, f);
        QVERIFY(report.findings.empty());
        QCOMPARE(report.checked.size(), std::size_t{1});
        f.gain = {-10'000, 60'000, 975'000};
        report.add(context, f);
        QCOMPARE(report.findings.size(), std::size_t{1});
    }

    void findsItsBottleneck_data()
    {
        QTest::addColumn<int>("index");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].rule) << static_cast<int>(i);
    }
    void findsItsBottleneck()
    {
        QFETCH(int, index);
        const Case c = cases()[static_cast<std::size_t>(index)];
        Scene scene(c.gpu);
        c.positive(scene);
        const Advice advice = scene.advice();
        const CheckedRule *checked = checkOf(advice, c.rule);
        const Finding *f = findingOf(advice, c.rule);
        QVERIFY2(f, checked ? checked->why.c_str() : "no word about it");
        if (f->rule != "capture-quality") // it is about the whole capture
            QVERIFY(!f->evidence.empty());
        QVERIFY(f->gain.lowNs <= f->gain.highNs);
        for (const std::string *text :
             {&f->title, &f->explanation, &f->fix.cpp, &f->fix.python, &f->verify.metric, &f->verify.expect})
            QVERIFY2(!text->empty(), f->rule.c_str());
        // Every placeholder of the catalogue was filled.
        for (const std::string *text : {&f->title, &f->explanation, &f->verify.expect})
            QVERIFY2(text->find('{') == std::string::npos, text->c_str());
    }

    void isSilentOnANearMiss_data() { findsItsBottleneck_data(); }
    void isSilentOnANearMiss()
    {
        QFETCH(int, index);
        const Case c = cases()[static_cast<std::size_t>(index)];
        Scene scene(c.gpu);
        c.nearMiss(scene);
        const Advice advice = scene.advice();
        const Finding *f = findingOf(advice, c.rule);
        QVERIFY2(!f, f ? f->explanation.c_str() : "");
        QVERIFY2(checkOf(advice, c.rule), "a rule that is silent says why");
    }

    // A rule without a trace that shows it and one that only looks like it is not tested.
    void everyRuleHasItsTwoTraces()
    {
        const auto all = cases();
        for (const CatalogueEntry &entry : catalogue()) {
            if (entry.rule == "scaling") // needs two captures: tests/unit/compare/tst_scaling.cpp
                continue;
            const auto it = std::find_if(all.begin(), all.end(), [&](const Case &c) { return entry.rule == c.rule; });
            QVERIFY2(it != all.end(), entry.rule.c_str());
            QVERIFY2(it->positive && it->nearMiss, entry.rule.c_str());
        }
    }

    // A rule is found, or listed as checked: never neither, never both.
    void everyRuleIsAccountedFor()
    {
        Scene scene;
        steps(2000, [](Scene &s, double t) { busy(s, t, 2000); })(scene);
        const Advice advice = scene.advice();
        for (const CatalogueEntry &entry : catalogue()) {
            const bool found = findingOf(advice, entry.rule), checked = checkOf(advice, entry.rule);
            QVERIFY2(found != checked, entry.rule.c_str());
        }
    }

    void healthyRunGetsACleanBill()
    {
        Scene scene;
        steps(2000, [](Scene &s, double t) { busy(s, t, 2000); })(scene);
        const Advice advice = scene.advice();
        for (const Finding &f : advice.findings)
            QVERIFY2(f.severity == FindingSeverity::Risk
                         || static_cast<double>(f.gain.lowNs) < 0.05 * static_cast<double>(advice.step.timeNs),
                     f.rule.c_str());
        QVERIFY(advice.checked.size() > 30);
    }

    // An old device has no TF32 and no bfloat16: nothing is advised that it can't do.
    void oldDeviceGetsNoTensorCoreAdvice()
    {
        Scene scene("Tesla V100");
        gemms("volta_sgemm_128x64_nn", 2700)(scene);
        const Advice advice = scene.advice();
        QVERIFY(!findingOf(advice, "tf32-off"));
        QVERIFY(!findingOf(advice, "precision"));
        QCOMPARE(checkOf(advice, "tf32-off")->result, CheckResult::NotApplicable);
    }

    void readOfACpuScalarIsNothing()
    {
        Scene scene;
        steps(2000, [](Scene &s, double t) {
            s.op("aten::item", t, 5); // no synchronisation inside
            busy(s, t + 10, 1900);
        })(scene);
        QVERIFY(!findingOf(scene.advice(), "sync-item"));
    }
};

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
