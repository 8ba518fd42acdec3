# SPDX-License-Identifier: GPL-3.0-or-later
"""The same loop captured by us and by torch.profiler, in turn, in one process: are kernels, times and bytes the same?

    samewindow.py --cli … --agent … [--graph] [--steps 10] [--pairs 3] [--keep DIR]

Both files are read by an independent reader each: torch.profiler's JSON by Python, ours through the SQLite export.
"""

import argparse
import collections
import gzip
import json
import os
import sqlite3
import statistics
import subprocess
import tempfile

from parts import Serve, Worker


def of_torch(path):
    kernels, copies = collections.defaultdict(list), collections.Counter()
    opened = gzip.open if path.endswith(".gz") else open
    for event in json.load(opened(path))["traceEvents"]:
        if event.get("cat") == "kernel":
            kernels[event["name"]].append(event["dur"] * 1e3)
        elif event.get("cat") == "gpu_memcpy":
            copies[event["name"]] += event["args"]["bytes"]
    return kernels, sum(copies.values())


def of_ours(cli, path):
    database = path + ".sqlite"
    subprocess.run([cli, "export", path, "--format", "sqlite", "-o", database], check=True, stderr=subprocess.DEVNULL)
    connection = sqlite3.connect(database)
    kernels = collections.defaultdict(list)
    # Work of the step before, still queued when the window opened, has no launch in the file.
    for name, duration in connection.execute("SELECT name, duration_ns FROM event WHERE kind='kernel' AND launch IS NOT NULL"):
        kernels[name].append(duration)
    total = sum(json.loads(args)["bytes"] for args, in connection.execute("SELECT args FROM event WHERE kind='gpu_memcpy'"))
    connection.close()
    os.remove(database)
    return kernels, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--keep", default=tempfile.mkdtemp())
    options = parser.parse_args()
    worker = Worker(["--graph"] if options.graph else [], options.agent)
    serve = Serve(options.cli)
    ours, torchs = [], []
    for pair in range(options.pairs):
        path = os.path.join(options.keep, f"same{pair}.tlc")
        worker.tell("spin")
        serve.arm(worker, warmup=3, steps=options.steps, detail="normal", out=path)
        serve.wait_captured()
        ours.append(of_ours(options.cli, path))
        trace = os.path.join(options.keep, f"same{pair}.json")
        answer = worker.ask(f"profile {options.steps} {trace}")
        assert answer["device_events"] > 0, "torch.profiler saw no device work after our capture"
        torchs.append(of_torch(trace))
    print("exit", worker.close(), serve.close())
    count = lambda side: [sum(len(v) for v in kernels.values()) / options.steps for kernels, _ in side]
    print("kernels a step: ours", count(ours), "torch", count(torchs))
    print("copy bytes a step: ours", [b / options.steps for _, b in ours], "torch", [b / options.steps for _, b in torchs])
    names = set().union(*(k.keys() for k, _ in ours + torchs))
    worst, differing = [], []
    for name in names:
        a = [sum(k.get(name, [])) for k, _ in ours]
        b = [sum(k.get(name, [])) for k, _ in torchs]
        counts = {len(k.get(name, [])) for k, _ in ours + torchs}
        if len(counts) > 1:
            differing.append((name[:80], [len(k.get(name, [])) for k, _ in ours], [len(k.get(name, [])) for k, _ in torchs]))
        worst.append((abs(statistics.median(a) / max(statistics.median(b), 1) - 1), name[:90], len(counts)))
    worst.sort(reverse=True)
    print(f"{len(names)} kernel names; other counts: {differing[:5]}")
    print(f"total time by name: {sum(w[0] <= 0.03 for w in worst)} within 3 %, the worst:")
    for difference, name, _ in worst[:5]:
        print(f"  {100 * difference:.2f} %  {name}")


if __name__ == "__main__":
    main()
