#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the traces that packaging/screenshots.sh pictures: small, made-up training runs in Kineto's format.

picture-inputs.py FOLDER
"""
import gzip
import json
import os
import random
import sys

US = 1.0  # Kineto's ts and dur are in microseconds


# Kernels of convolutions forward, of their weights, and of a matrix product.
PLAIN = ("implicit_convolve_sgemm<float, 128, 5, 5, 3, 3, 3, 1>", "cudnn::cnn::wgrad2d_grouped_direct_kernel<float>", "ampere_sgemm_128x64_tn")
TUNED = ("sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_tensor16x8x16",
         "sm80_xmma_wgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_tensor16x8x16", "ampere_bf16_s16816gemm_bf16_128x64_tn")


class Run:
    """One process of a training run with a host thread and a device, step after step."""

    def __init__(self, rank=None, world=1, seed=1, tuned=False):
        self.tuned = tuned  # tensor cores, pinned copies, no read of the loss, one optimizer kernel
        self.rng = random.Random(seed)
        self.rank, self.world = rank, world
        self.events, self.correlation = [], 0
        self.host, self.device = 1_000_000.0, 1_000_000.0

    def op(self, name, duration, category="cpu_op", tid=719, start=None, args=None):
        start = self.host if start is None else start
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 719, "tid": tid,
                            "ts": round(start, 3), "dur": round(duration - 0.002, 3), "args": args or {}})  # rounding must not make neighbours overlap

    def launch(self, name, duration, stream=7, grid=512, category="kernel", extra=None):
        self.correlation += 1
        call = "cudaMemcpyAsync" if category != "kernel" else "cudaLaunchKernel"
        self.op(call, 5 * US, "cuda_runtime", args={"correlation": self.correlation})
        self.host += 6 * US
        start = max(self.host + 3, self.device)
        args = {"correlation": self.correlation, "device": self.rank or 0, "stream": stream}
        if category == "kernel":
            args.update({"grid": [grid, 1, 1], "block": [256, 1, 1], "registers per thread": 64,
                         "est. achieved occupancy %": 62, "blocks per SM": grid / 108})
        args.update(extra or {})
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": self.rank or 0, "tid": stream,
                            "ts": round(start, 3), "dur": round(duration, 3), "args": args})
        self.device = start + duration

    def layer(self, name, kernels, shapes=None):
        begin = self.host
        self.host += 8 * US
        for kernel, duration in kernels:
            self.host += 4 * US
            self.launch(kernel, duration * self.rng.uniform(0.95, 1.05))
        self.host += 5 * US
        self.op(name, self.host - begin, start=begin, args={"Input Dims": shapes or []})
        self.host += 3 * US

    def step(self, index, wait, blocks=6, late=0.0):
        begin = self.host
        self.host += wait * self.rng.uniform(0.9, 1.1)
        self.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", self.host - begin, "user_annotation", start=begin)
        self.host += late
        if self.tuned:
            self.launch("Memcpy HtoD (Pinned -> Device)", 90, stream=13, category="gpu_memcpy", extra={"bytes": 2408448, "memory bandwidth (GB/s)": 25.1})
        else:
            self.launch("Memcpy HtoD (Pageable -> Device)", 310, category="gpu_memcpy", extra={"bytes": 19267584, "memory bandwidth (GB/s)": 6.1})
        forward, weights, matmul = TUNED if self.tuned else PLAIN
        for block in range(blocks):
            self.layer("aten::conv2d", [(forward, 210)], [[64, 64 << (block // 3), 56, 56]])
            self.layer("aten::batch_norm", [("cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>", 62)])
            self.layer("aten::relu_", [("void at::native::vectorized_elementwise_kernel<4, at::native::relu_kernel>", 18)])
        self.layer("aten::linear", [(matmul, 90)], [[64, 512], [1000, 512]])
        for block in range(blocks):
            self.layer("autograd::engine::evaluate_function: ConvolutionBackward0",
                       [(weights, 240), (forward, 230)])
        if self.world > 1:
            self.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 700, stream=20, grid=24)
        optimizer = self.host
        for _ in range(1 if self.tuned else 18):
            self.host += 3 * US
            self.launch("void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>>", 6, grid=40)
        self.op("Optimizer.step#SGD.step", self.host - optimizer, "user_annotation", start=optimizer)
        if self.tuned:
            # The host runs ahead of the device by a step; then the queue is full and launches wait.
            self.host = max(self.host, self.device - 4000)
        else:
            sync = self.host
            self.host = max(self.host, self.device) + 4
            self.op("aten::item", self.host - sync + 2, start=sync - 1)
            self.op("cudaStreamSynchronize", self.host - sync, "cuda_runtime", start=sync)
            self.host += 3
        self.op(f"ProfilerStep#{index}", self.host - begin, "user_annotation", start=begin)

    def document(self):
        doc = {"schemaVersion": 1, "deviceProperties": [{"id": self.rank or 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42505273344,
                                                         "computeMajor": 8, "computeMinor": 0, "numSms": 108, "maxThreadsPerMultiprocessor": 2048}]}
        if self.rank is not None:
            doc["distributedInfo"] = {"backend": "nccl", "rank": self.rank, "world_size": self.world}
        names = [{"ph": "M", "name": "process_name", "pid": 719, "tid": 0, "args": {"name": "python3"}},
                 {"ph": "M", "name": "thread_name", "pid": 719, "tid": 719, "args": {"name": "thread 719 (python3)"}}]
        doc["traceEvents"] = names + self.events
        return doc


def write(folder, name, document):
    path = os.path.join(folder, name)
    data = json.dumps(document).encode()
    with (gzip.open(path, "wb", 4) if name.endswith(".gz") else open(path, "wb")) as out:
        out.write(data)


def training(wait, steps=12, **options):
    run = Run(**options)
    for index in range(steps):
        run.step(index, wait)
    return run.document()


def ranks(count):
    for rank in range(count):
        run = Run(rank=rank, world=count, seed=rank + 1)
        for index in range(6):
            run.step(index, 900, blocks=3, late=1500 if rank == 5 else 0)
        yield rank, run.document()


def cpu_only():
    run = Run()
    for index in range(10):
        begin = run.host
        run.host += 5200 * run.rng.uniform(0.9, 1.1)
        run.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", run.host - begin, "user_annotation", start=begin)
        for _ in range(14):
            for name, duration in (("aten::conv2d", 420), ("aten::batch_norm", 130), ("aten::relu_", 40)):
                run.op(name, duration)
                run.host += duration + 4
        run.op("Optimizer.step#SGD.step", 900, "user_annotation")
        run.host += 920
        run.op(f"ProfilerStep#{index}", run.host - begin, "user_annotation", start=begin)
    document = run.document()
    del document["deviceProperties"]
    return document


def deep(depth=3000):
    events = [{"ph": "X", "cat": "python_function", "name": f"train.py({i}): recurse", "pid": 1, "tid": 1, "ts": 10.0 * i, "dur": 20.0 * (depth - i) + 5}
              for i in range(depth)]
    return {"traceEvents": events}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    write(folder, "starved.json.gz", training(9000))
    write(folder, "fed.json.gz", training(350))
    write(folder, "tuned.json.gz", training(120, steps=20, tuned=True))
    write(folder, "cpu-only.json", cpu_only())
    write(folder, "deep.json", deep())
    for rank, document in ranks(8):
        write(folder, f"rank{rank}.json.gz", document)
    write(folder, "empty.json", {"schemaVersion": 1, "traceEvents": []})
    broken = json.dumps(training(2000, steps=4)).replace('"aten::relu_"', '"aten::re\nlu_"', 3)
    with open(os.path.join(folder, "damaged.json"), "w", encoding="utf-8") as out:
        out.write(broken[: int(len(broken) * 0.8)])
    with open(os.path.join(folder, "notes.json"), "w", encoding="utf-8") as out:
        out.write("shopping list: bread, milk\n")


if __name__ == "__main__":
    main()
