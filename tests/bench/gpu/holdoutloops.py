# SPDX-License-Identifier: GPL-3.0-or-later
"""The models, inputs and training step of holdout.py. Every model takes (x, y) and returns its loss."""

import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils import checkpoint

SDPA = getattr(F, "scaled_dot_product_attention", None)


class Env:
    def __init__(self, device, tiny):
        self.device, self.tiny, self.cuda = device, tiny, device == "cuda"
        start = time.perf_counter()
        for _ in range(20):
            burn(1)
        self.burn_ms = (time.perf_counter() - start) * 1e3 / 20  # one unit of loader work, for loads given in ms

    def sync(self):
        if self.cuda:
            torch.cuda.synchronize()


def burn(units):
    """CPU work on one core, of a fixed amount rather than a fixed time: cores that are shared must make it last longer."""
    for i in range(units):
        np.sort(np.random.RandomState(i).rand(10000))


class Gpt(nn.Module):
    """each_block: called after every block with its output. pointwise: norm and gelu written out of small operators."""

    def __init__(self, env, layers=6, width=768, heads=12, vocab=8192, seq=512, attention="sdpa", pointwise=False,
                 recompute=False, each_block=None, one_hot=False):
        super().__init__()
        if env.tiny:
            layers, width, heads, vocab, seq = 2, 32, 2, 64 + vocab % 8, 16
        self.vocab, self.seq, self.recompute, self.each_block, self.one_hot = vocab, seq, recompute, each_block, one_hot
        self.embed, self.position = nn.Embedding(vocab, width), nn.Parameter(torch.zeros(seq, width))
        self.blocks = nn.ModuleList(Block(width, heads, attention, pointwise) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

    def forward(self, x, y):
        h = self.embed(x) + self.position[: x.shape[1]]
        for block in self.blocks:
            h = checkpoint.checkpoint(block, h, use_reentrant=False) if self.recompute else block(h)
            if self.each_block:
                self.each_block(h)
        logits = self.head(self.norm(h)).flatten(0, 1).float()
        if self.one_hot:  # a full table of targets, as a hand-written label smoothing makes it
            table = F.one_hot(y.flatten(), self.vocab).float() * 0.9 + 0.1 / self.vocab
            return -(table * F.log_softmax(logits, -1)).sum(-1).mean()
        return F.cross_entropy(logits, y.flatten())


class Block(nn.Module):
    def __init__(self, width, heads, attention, pointwise):
        super().__init__()
        self.heads, self.attention, self.pointwise = heads, attention if SDPA else "naive", pointwise
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def normed(self, norm, x):
        if not self.pointwise:
            return norm(x)
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * norm.weight + norm.bias

    def attend(self, q, k, v):
        if self.attention == "sdpa":
            return SDPA(q, k, v, is_causal=True)
        scores = (q @ k.transpose(-2, -1)) / q.shape[-1] ** 0.5
        mask = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).triu(1)
        return scores.masked_fill(mask, float("-inf")).softmax(-1) @ v

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.normed(self.norm1, x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.out(self.attend(q, k, v).transpose(1, 2).reshape(b, t, c))
        h = self.up(self.normed(self.norm2, x))
        h = 0.5 * h * (1 + torch.tanh(0.79788456 * (h + 0.044715 * h * h * h))) if self.pointwise else F.gelu(h)
        return x + self.down(h)


class ResNet(nn.Module):
    def __init__(self, env, blocks=(2, 2, 2, 2), width=64, bias=False, classes=1000):
        super().__init__()
        if env.tiny:
            blocks, width = (1, 1), 8
        layers, inside = [*conv(3, width, 7, 2, bias), nn.MaxPool2d(3, 2, 1)], width
        for stage, count in enumerate(blocks):
            for i in range(count):
                layers.append(Bottleneck(inside, width << stage, 2 if stage and not i else 1, bias))
                inside = (width << stage) * 4
        self.body = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, classes))

    def forward(self, x, y):
        return F.cross_entropy(self.body(x).float(), y)


def conv(inside, out, size, stride, bias, relu=True):
    layers = [nn.Conv2d(inside, out, size, stride, size // 2, bias=bias), nn.BatchNorm2d(out)]
    return layers + [nn.ReLU(inplace=True)] if relu else layers


class Bottleneck(nn.Module):
    def __init__(self, inside, width, stride, bias):
        super().__init__()
        self.body = nn.Sequential(*conv(inside, width, 1, 1, bias), *conv(width, width, 3, stride, bias),
                                  *conv(width, width * 4, 1, 1, bias, relu=False))
        same = inside == width * 4 and stride == 1
        self.short = nn.Identity() if same else nn.Sequential(*conv(inside, width * 4, 1, stride, bias, relu=False))

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


class Mlp(nn.Module):
    """between: called on the hidden values after every layer, returns what goes on."""

    def __init__(self, env, layers=8, width=4096, inputs=None, classes=1000, between=None):
        super().__init__()
        if env.tiny:
            layers, width, inputs = 2, 32, inputs and 3 * 16 * 16
        self.between = between
        sizes = [inputs or width] + [width] * layers
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.inputs, self.last = sizes[0], nn.Linear(width, classes)

    def forward(self, x, y):
        x = x.flatten(1)
        for layer in self.layers:
            x = F.relu(layer(x))
            x = self.between(x) if self.between else x
        return F.cross_entropy(self.last(x).float(), y)


def tokens(env, model, batch, device=None):
    shape = (2 if env.tiny else batch, model.seq + 1)
    whole = torch.randint(0, model.vocab, shape, device=device or env.device)
    return whole[:, :-1].contiguous(), whole[:, 1:].contiguous()


def images(env, batch, size=224, device=None):
    batch, size = (2, 16) if env.tiny else (batch, size)
    device = device or env.device
    return torch.randn(batch, 3, size, size, device=device), torch.randint(0, 1000, (batch,), device=device)


def vectors(env, model, batch):
    batch = 4 if env.tiny else batch
    return torch.randn(batch, model.inputs, device=env.device), torch.randint(0, 1000, (batch,), device=env.device)


def resident(*batches):
    """Batches that lie on the device already, one after another."""
    state = [0]

    def take():
        state[0] += 1
        return batches[state[0] % len(batches)]

    return take


def copied(env, batch, pinned):
    """The same host batch copied every step, on the compute stream."""
    host = [t.pin_memory() if pinned and env.cuda else t for t in batch]
    return lambda: tuple(t.to(env.device, non_blocking=pinned) for t in host)


def prefetched(env, batch):
    """Copied from pinned memory on a stream of its own, one batch ahead."""
    if not env.cuda:
        return copied(env, batch, False)
    host, stream = [t.pin_memory() for t in batch], torch.cuda.Stream()

    def load():
        with torch.cuda.stream(stream):
            return tuple(t.to(env.device, non_blocking=True) for t in host)

    state = [load()]

    def take():
        torch.cuda.current_stream().wait_stream(stream)
        now = state[0]
        for tensor in now:
            tensor.record_stream(torch.cuda.current_stream())
        state[0] = load()
        return now

    return take


class Samples(torch.utils.data.Dataset):
    def __init__(self, count, size, units):
        self.count, self.size, self.units = count, size, units

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        burn(self.units)
        return torch.full((3, self.size, self.size), float(index % 7)), index % 1000


def loaded(env, batch, workers, sample_ms, size=64, batches=1000, persistent=True):
    """A DataLoader; sample_ms: milliseconds of one core for each sample."""
    batch, workers = (2, min(workers, 2)) if env.tiny else (batch, workers)
    samples = Samples(batches * batch, 16 if env.tiny else size, 1 if env.tiny else max(1, round(sample_ms / env.burn_ms)))
    loader = torch.utils.data.DataLoader(samples, batch, num_workers=workers, pin_memory=env.cuda,
                                         persistent_workers=persistent and workers > 0)

    def forever():
        while True:
            yield from loader

    iterator = forever()
    return lambda: tuple(t.to(env.device, non_blocking=True) for t in next(iterator))


class Side:
    """One training loop. enter() sets the process-wide switches, which two alternating sides do not share."""

    def __init__(self, env, model, batches, precision="bf16", optimizer="fused", kind="adamw", zero=True, benchmark=False,
                 compiled=False, graph=False, scaler=False, channels_last=False, after=None, config=None, lead=1):
        self.env, self.batches, self.precision, self.zero, self.benchmark = env, batches, precision, zero, benchmark
        self.after, self.lead, self.config, self.recorded = after or {}, lead, config or {}, None
        self.model = model.to(env.device)
        if channels_last:
            self.model = self.model.to(memory_format=torch.channels_last)
        if compiled and hasattr(torch, "compile"):
            self.model = torch.compile(self.model)
        modes = {"fused": {"fused": True}, "foreach": {"foreach": True}, "single": {"foreach": False}}
        options = dict(modes["foreach" if optimizer == "fused" and not env.cuda else optimizer])
        if graph and env.cuda and kind == "adamw":
            options["capturable"] = True
        make = torch.optim.AdamW if kind == "adamw" else torch.optim.SGD
        self.optimizer = make(model.parameters(), lr=1e-4, **({} if kind == "adamw" else {"momentum": 0.9}), **options)
        self.scaler = torch.cuda.amp.GradScaler() if scaler and env.cuda else None
        if graph and env.cuda:
            self.record()

    def enter(self):
        fast = self.precision != "fp32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = fast
        torch.backends.cudnn.benchmark = self.benchmark

    def record(self):
        self.enter()
        inputs = self.batches()
        self.batches = lambda: inputs
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(4):
                self.work()
        torch.cuda.current_stream().wait_stream(side)
        recorded = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recorded):
            self.work()
        self.recorded = recorded

    def work(self):
        x, y = self.batches()
        self.optimizer.zero_grad(set_to_none=self.zero)
        half = self.precision in ("bf16", "fp16")
        dtype = torch.float16 if self.precision == "fp16" and self.env.cuda else torch.bfloat16
        with torch.autocast(self.env.device, dtype=dtype, enabled=half):
            loss = self.model(x, y)
        self.hook("forward", loss)
        (self.scaler.scale(loss) if self.scaler else loss).backward()
        self.hook("backward", loss)
        if self.scaler:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()
        self.hook("step", loss)

    def hook(self, name, loss):
        if name in self.after:
            self.after[name](loss)

    def step(self):
        if self.recorded:
            self.recorded.replay()
        else:
            self.work()
