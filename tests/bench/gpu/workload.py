# SPDX-License-Identifier: GPL-3.0-or-later
"""The training loop that is measured: a small GPT in bf16, launch-bound when eager, one launch a step as a CUDA graph.

Driven through stdin, one command a line, answered by one JSON line on stdout:
    spin          train until the next command (so that an agent can arm and warm up)
    run N         train N steps between two device synchronisations -> {"seconds": s, "steps": N, "host_ms": [m, …], "loss": x}
                  host_ms: of each step on the host alone, which is the step time of a launch-bound loop
    profile N [F] the same inside torch.profiler (CPU + CUDA), started and warmed outside the timed part; F: export there
    stats         -> {"rss_kb": …, "threads": …, "fds": …}
    quit
"""

import argparse
import json
import os
import queue
import sys
import threading
import time

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../capture/marks"))
import tuneline_marks as tm  # noqa: E402


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c)
        x = x + self.out(y)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(torch.nn.Module):
    def __init__(self, layers, width, heads, vocabulary, context):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.position = torch.nn.Parameter(torch.zeros(context, width))
        self.blocks = torch.nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, targets):
        x = self.embed(tokens) + self.position[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class Training:
    def __init__(self, options):
        torch.manual_seed(1)
        self.device = options.device
        shape = (options.batch, options.context)
        self.model = Gpt(options.layers, options.width, options.heads, 8192, options.context).to(self.device)
        self.host = torch.randint(0, 8192, (2, *shape))
        if self.device == "cuda":
            self.host = self.host.pin_memory()
        self.data = self.host.to(self.device)
        self.graph = options.graph
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, capturable=self.graph)
        self.steps = 0
        if self.graph:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(5):
                    self.work()
            torch.cuda.current_stream().wait_stream(side)
            self.recorded = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.recorded):
                self.loss = self.work()

    def work(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device, dtype=torch.bfloat16):
            loss = self.model(self.data[0], self.data[1])
        loss.backward()
        self.optimizer.step()
        return loss

    def step(self):
        tm.step()
        self.data.copy_(self.host, non_blocking=True)
        if self.graph:
            self.recorded.replay()
        else:
            self.loss = self.work()
        self.steps += 1

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def run(self, steps):
        self.synchronize()
        times = [time.perf_counter()]
        for _ in range(steps):
            self.step()
            times.append(time.perf_counter())
        self.synchronize()
        host = [round(1e3 * (b - a), 4) for a, b in zip(times, times[1:])]
        return {"seconds": time.perf_counter() - times[0], "steps": steps, "host_ms": host, "loss": float(self.loss.detach())}

    def profile(self, steps, path):
        activities = [torch.profiler.ProfilerActivity.CPU]
        if self.device == "cuda":
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        with torch.profiler.profile(activities=activities) as profiler:
            warm = None if path else self.run(3)  # an exported trace must hold exactly the steps asked for
            del warm
            answer = self.run(steps)
        events = profiler.profiler.kineto_results.events()
        answer["device_events"] = sum(1 for e in events if e.device_type() == torch.autograd.DeviceType.CUDA)
        if path:
            profiler.export_chrome_trace(path)
        return answer


def stats():
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    return {"rss_kb": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
            "fds": len(os.listdir("/proc/self/fd"))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--graph", action="store_true")
    for name, value in (("layers", 12), ("width", 768), ("heads", 12), ("batch", 4), ("context", 512)):
        parser.add_argument("--" + name, type=int, default=value)
    training = Training(parser.parse_args())
    commands = queue.Queue()

    def read():
        for line in sys.stdin:
            commands.put(line.split())
        commands.put(["quit"])

    threading.Thread(target=read, daemon=True).start()
    training.run(5)
    print(json.dumps({"ready": os.getpid()}), flush=True)
    spinning = False
    while True:
        try:
            words = commands.get(block=not spinning)
        except queue.Empty:
            training.step()
            if training.steps % 8 == 0:  # the host must not run seconds ahead of the device
                training.synchronize()
            continue
        spinning = words[0] == "spin"
        if words[0] == "quit":
            return
        if words[0] == "run":
            print(json.dumps(training.run(int(words[1]))), flush=True)
        elif words[0] == "profile":
            print(json.dumps(training.profile(int(words[1]), words[2] if len(words) > 2 else None)), flush=True)
        elif words[0] == "stats":
            print(json.dumps(stats()), flush=True)


if __name__ == "__main__":
    main()
