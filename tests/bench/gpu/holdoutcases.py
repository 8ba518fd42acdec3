# SPDX-License-Identifier: GPL-3.0-or-later
"""The loops of holdout.py: each with one planted fault or none, and where there is a remedy, the loop with it."""

import torch
from holdoutloops import Gpt, Mlp, ResNet, Side, copied, images, loaded, prefetched, resident, tokens, vectors

CAUSES = ["input-wait", "sync-item", "copy-pageable", "tf32-off", "optimizer-unfused", "launch-blocking", "sync-allocation",
          "python-or-host-work", "launch-bound", "memory-growth", "channels-last", "precision", "attention-unfused"]
HEALTHY = {"must": [], "never": CAUSES, "may": ["pointwise-chains", "batch-size"]}
CASES = []


def must(*rules, top=2, never=()):
    return {"must": list(rules), "top": top, **({"never": list(never)} if never else {})}


def case(name, planted, verdict, before, after=None, what_if=None, change="", memory=False):
    """verdict None: only a pair, no planted fault to be named."""
    CASES.append({"name": name, "planted": planted, "verdict": verdict, "before": before, "after": after, "what_if": what_if,
                  "change": change or planted, "memory": memory})


def gpt(batch=32, options=None, **model):
    def build(env):
        net = Gpt(env, **model)
        return Side(env, net, resident(tokens(env, net, batch)), config={"model": "gpt", "batch": batch, **plain(model), **plain(options)},
                    **(options or {}))
    return build


def cnn(batch=128, options=None, **model):
    def build(env):
        x, y = images(env, batch)
        if (options or {}).get("channels_last"):
            x = x.to(memory_format=torch.channels_last)
        return Side(env, ResNet(env, **model), resident((x, y)), kind="sgd", config={"model": "cnn", "batch": batch, **plain(options)},
                    **(options or {}))
    return build


def mlp(batch=2048, options=None, **model):
    def build(env):
        net = Mlp(env, **model)
        return Side(env, net, resident(vectors(env, net, batch)), config={"model": "mlp", "batch": batch, **plain(options)}, **(options or {}))
    return build


def plain(options):
    return {k: v for k, v in (options or {}).items() if isinstance(v, (int, str, float, bool))}


def fed(workers, sample_ms, batch=64, batches=1000, persistent=True):
    def build(env):
        take = loaded(env, batch, workers, sample_ms, batches=batches, persistent=persistent)
        return Side(env, ResNet(env), take, kind="sgd", channels_last=True, config={"model": "cnn", "batch": batch, "workers": workers},
                    lead=2 * workers + 2)
    return build


def fresh(feed, batch=768, size=128):
    """An MLP on large images: the copy of the batch is a good part of the step."""
    def build(env):
        host = images(env, batch, size, "cpu")
        return Side(env, Mlp(env, layers=6, width=4096, inputs=3 * size * size), feed(env, host), config={"model": "mlp", "batch": batch})
    return build


def read_item(loss):
    loss.item()


def wait(*_):
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def round_trip(x):
    with torch.no_grad():
        scale = (x.detach().cpu() * 0.5).to(x.device)
    return x * scale


def select(x):
    return x + x[x > 3].mean().nan_to_num()


def broken(env):
    breaks = torch._dynamo.graph_break if hasattr(torch, "_dynamo") else (lambda: None)
    net = Gpt(env, layers=6, width=256, heads=4, seq=128, each_block=lambda h: breaks())
    return Side(env, net, resident(tokens(env, net, 4)), compiled=True, config={"model": "gpt", "batch": 4})


def varied(env):
    state = [0]

    def take():  # a pair of batch and size comes again after hundreds of steps only
        state[0] += 1
        return images(env, 16 + state[0] % 17, 128 + 8 * (state[0] % 19))

    return Side(env, ResNet(env, blocks=(1, 1, 1)), take, kind="sgd", benchmark=True, channels_last=True, config={"model": "cnn", "batch": 24})


def lengths(env):
    net = Gpt(env, layers=4)
    return Side(env, net, resident(*(tuple(t[:, :n].contiguous() for t in tokens(env, net, 32)) for n in range(net.seq, net.seq // 3, -net.seq // 9))),
                config={"model": "gpt", "batch": 32})


class LongRows(Mlp):
    def forward(self, x, y):
        loss = super().forward(x, y)
        return loss + torch.softmax(self.rows, -1)[:, :1].sum() * 1e-3


def narrow(env):
    net = LongRows(env, layers=4, width=1024)
    net.rows = torch.nn.Parameter(torch.zeros(8, 1000 if env.tiny else 4_000_000))
    return Side(env, net, resident(vectors(env, net, 512)), config={"model": "mlp", "batch": 512})


def ballast(share):
    """share of the device's memory kept in one tensor, or (negative) taken in pieces and given back to the allocator's cache."""
    def build(env):
        side = gpt(batch=16, layers=4)(env)
        if env.cuda and share > 0:
            free, total = torch.cuda.mem_get_info()
            side.ballast = torch.empty(int(min(total * share, free - 6e9)), dtype=torch.uint8, device="cuda")
        elif env.cuda:
            pieces = [torch.empty(2 ** 30, dtype=torch.uint8, device="cuda") for _ in range(-share)]
            del pieces
        return side
    return build


SMALL = {"layers": 8, "width": 256, "heads": 4, "seq": 128}
case("attention", "attention-unfused", must("attention-unfused"), gpt(8, attention="naive", seq=1024), gpt(8, seq=1024), "attention-unfused")
case("tf32_only", "precision", must("precision"), gpt(32, {"precision": "tf32"}), gpt(32), "precision:bf16", "tf32 -> bf16")
case("gpt_fp32", "tf32-off", must("tf32-off", top=1), gpt(8, {"precision": "fp32"}), gpt(8, {"precision": "tf32"}), "tf32-off", "fp32 -> tf32")
case("graphable_gpt", "launch-bound", must("launch-bound"), gpt(4, **SMALL), gpt(4, {"graph": True}, **SMALL), "launch-bound:cuda-graphs", "eager -> graph")
case("graphable_mlp", "launch-bound", must("launch-bound"), mlp(64, layers=48, width=256), mlp(64, {"graph": True}, layers=48, width=256),
     "launch-bound:cuda-graphs", "eager -> graph")
case("optimizer_fused", "optimizer-unfused", must("optimizer-unfused", top=3), gpt(8, {"optimizer": "single"}, layers=12, width=512, heads=8),
     gpt(8, layers=12, width=512, heads=8), "optimizer-unfused", "single -> fused")
case("optimizer_foreach", "optimizer-unfused", must("optimizer-unfused", top=3), cnn(32, {"optimizer": "single", "channels_last": True}, blocks=(3, 4, 6, 3)),
     cnn(32, {"optimizer": "foreach", "channels_last": True}, blocks=(3, 4, 6, 3)), "optimizer-unfused:foreach", "single -> foreach")
case("optimizer_large", "optimizer-unfused", must("optimizer-unfused", top=3), mlp(1024, {"optimizer": "single"}), mlp(1024), "optimizer-unfused",
     "single -> fused, large tensors")
case("small_batch_gpt", "batch-size", must("batch-size", "launch-bound"), gpt(16, **SMALL), gpt(64, **SMALL), "batch-size:64", "batch 16 -> 64")
case("small_batch_cnn", "batch-size", None, cnn(32, {"channels_last": True}), cnn(128, {"channels_last": True}), "batch-size:128", "batch 32 -> 128")
case("item_for_nothing", "none", HEALTHY, gpt(48, {"after": {"step": read_item}}), gpt(48), "sync-item", "no loss.item() each step, device-bound")
case("item_per_block", "sync-item", None, gpt(12, each_block=lambda h: h.detach().float().mean().item()), gpt(12), "sync-item", "no .item() per block")
case("nonzero", "sync-item", must("sync-item", top=3), mlp(8192, layers=24, width=2048, between=select))
case("synchronize", "sync-explicit", must("sync-explicit"), gpt(16, {"after": {"forward": wait, "backward": wait, "step": wait}}, each_block=wait), gpt(16),
     "sync-explicit", "no synchronize per block")
case("cnn_nchw", "channels-last", must("channels-last", top=3), cnn(128), cnn(128, {"channels_last": True}), "channels-last", "NCHW -> NHWC in bf16")
case("cnn_fp32", "tf32-off", must("tf32-off", top=1), cnn(64, {"precision": "fp32"}), cnn(64, {"channels_last": False}), "precision:bf16", "fp32 -> bf16")
case("recompute", "checkpointing-unneeded", must("checkpointing-unneeded"), gpt(32, recompute=True), gpt(32), "checkpointing-unneeded", "no checkpointing")
case("workers_1", "input-wait", must("input-wait", top=1), fed(1, 1.0), fed(4, 1.0), "input-wait:workers=4", "workers 1 -> 4")
case("pageable", "copy-pageable", must("copy-pageable", top=2, never=["input-wait"]), fresh(lambda e, b: copied(e, b, False)), fresh(lambda e, b: copied(e, b, True)),
     "copy-pageable", "pinned + non_blocking")
case("pinned", "copy-not-overlapped", must("copy-not-overlapped", top=2, never=["input-wait", "copy-pageable"]), fresh(lambda e, b: copied(e, b, True)),
     fresh(prefetched), "copy-not-overlapped", "prefetch on a stream")
case("memset_grads", "zero-grad-memset", must("zero-grad-memset", top=3), mlp(512, {"zero": False}), mlp(512), "zero-grad-memset", "set_to_none")
case("odd_vocabulary", "alignment", must("alignment", top=3), gpt(16, layers=4, vocab=50257), gpt(16, layers=4, vocab=50304), "alignment", "vocabulary 50257 -> 50304")
case("conv_bias", "bias-before-norm", must("bias-before-norm", top=4), cnn(128, {"channels_last": True}, bias=True), cnn(128, {"channels_last": True}),
     "bias-before-norm", "no conv bias")
case("healthy_mlp", "none", HEALTHY, fresh(prefetched, batch=4096, size=48))
case("healthy_graph", "none", HEALTHY, gpt(32, {"graph": True}, layers=4))
case("all_cores_load", "input-cpu-limit", must("input-cpu-limit", "input-wait", top=1), fed(16, 16.0))
case("short_epochs", "input-worker-restart", must("input-worker-restart", top=2), fed(8, 0.2, batches=3, persistent=False))
case("round_trip", "copy-roundtrip", must("copy-roundtrip", top=3), mlp(1024, layers=6, between=round_trip))
case("scaler", "fp16-scaler", must("fp16-scaler", top=4), gpt(12, {"precision": "fp16", "scaler": True, "optimizer": "foreach"}))
case("narrow_grid", "small-grid", must("small-grid", "batch-size", top=3), narrow)
case("lengths", "shapes-vary", must("shapes-vary", "padding", top=99), lengths)
case("one_hot_loss", "memory-temporary", must("memory-temporary", top=99), gpt(16, layers=4, vocab=50304, one_hot=True), memory=True)
case("fragmented", "memory-fragmentation", must("memory-fragmentation", top=99), ballast(-24), memory=True)
case("compilable_small", "launch-bound", None, gpt(4, **SMALL), gpt(4, {"compiled": True}, **SMALL), "launch-bound:compile", "eager -> compile")
case("chains", "pointwise-chains", must("pointwise-chains", top=3), gpt(32, layers=4, pointwise=True),
     gpt(32, {"compiled": True}, layers=4, pointwise=True), "launch-bound:compile", "eager -> compile, device-bound")
case("healthy_compiled", "none", HEALTHY, gpt(32, {"compiled": True}, layers=4, pointwise=True))
case("breaks", "graph-breaks", must("graph-breaks", top=3), broken)
case("autotune", "conv-autotune or shapes-vary", must("conv-autotune", "shapes-vary"), varied)
case("nearly_full", "memory-limit", must("memory-limit", top=99), ballast(0.91), memory=True)
